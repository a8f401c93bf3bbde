"""What a switch runs, as text that compares byte for byte with a rendered one.

NX-OS adds lines that are its own: comments, users, the console, a BIOS version, ports that
nobody named, secrets in its own encoding. They are left out here, and kept by a push.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from switch_configs.errors import DialectError
from switch_configs.intent import Account, Own, Rendered

from . import kept, logins, users
from .files import running_file
from .render import header

_BEGIN, _END = "railbed-fetch 1", "railbed-fetch end"
FETCH_COMMAND = f"echo {_BEGIN} ; show running-config | no-more ; echo {_END}"
"""NX-OS has `echo`; a semicolon parts commands (Cisco Nexus 9000 NX-OS Fundamentals guide)."""

_SHELL = "feature bash-shell"
_BANNER = re.compile(r"banner (?:motd|exec) (.)(.*)")
_VLAN = re.compile(r"interface Vlan\d+")
_BIOS = re.compile(r"(version \S+) Bios:version.*")
_SECRETS = re.compile(r'^(tacacs-server host \S+ key )(?!0 <<|<<)(?:[067] )?("[^"]*"|\S+)')
_SHOWN = "<<secret:shown>>"
_LOCALIZED = re.compile(r"^(snmp-server user .*) localized(?:V2)?key$")


def running(device: str, dialect: str, fetched: str) -> Rendered:
    """The answer to the fetch command; `DialectError` when it is cut or doubled."""
    body = _body(device, fetched)
    try:
        ours = tidy(body)
    except ValueError as error:
        raise _broken(device, str(error)) from None
    return Rendered(device, dialect, (running_file(header(device) + ours),))


def held(device: str, dialect: str, fetched: str) -> Rendered:
    """The same answer with all that it says, but for the shell that the question came through."""
    body = (one for one in _body(device, fetched) if one != _SHELL)
    return Rendered(device, dialect, (running_file("".join(f"{one}\n" for one in body)),))


def _body(device: str, fetched: str) -> list[str]:
    """The lines of an answer."""
    lines = [one.rstrip() for one in fetched.replace("\r", "").strip().splitlines()]
    if len(lines) < 2 or lines[0] != _BEGIN or lines[-1] != _END:
        raise _broken(device, "its first or last line is missing")
    body = lines[1:-1]
    for word in (_BEGIN, _END):
        if word in body:
            raise _broken(device, "it is there twice")
    for word in ("version ", "hostname "):
        if sum(one.startswith(word) for one in body) != 1:
            raise _broken(device, f"it has not one line '{word.strip()}'")
    return body


def tidied(device: str, text: str) -> str:
    """A saved configuration, below the first line that a rendered one has."""
    return header(device) + tidy(text.splitlines())


def tidy(lines: list[str]) -> str:
    """Lines without those that are the switch's own; `ValueError` for a banner without its end."""
    kept = [_same(one) for one in _stanzas_of_ours(lines)]
    named = [
        line
        for line, after in zip(kept, [*kept[1:], ""], strict=True)
        if not _is_unnamed_port(line, after)
    ]
    return "".join(f"{line}\n" for line in named)


def _stanzas_of_ours(lines: list[str]) -> list[str]:
    out, ours = [], True
    shown = list(_without_banners(lines))
    own = users.own(shown)
    for line in shown:
        if not line.strip() or line.lstrip().startswith("!"):
            continue
        if not line[0].isspace():
            ours = not line.startswith(kept.HEADS) and line not in own
        if ours:
            out.append(line)
    return out


def accounts(saved: Rendered) -> tuple[Account, ...]:
    """Local users, as `logins` reads them."""
    texts = (file.text.splitlines() for file in saved.files)
    return logins.accounts(one.rstrip() for text in texts for one in _without_banners(text))


def own(saved: Rendered) -> tuple[Own, ...]:
    """Users and what else is kept, each line one."""
    return tuple(sorted({one for file in saved.files for one in _own(file.text.splitlines())}))


def _own(lines: list[str]) -> Iterator[Own]:
    shown = list(_without_banners(lines))
    twins = users.own(shown)
    head = ""
    for line in (" ".join(["", *one.split()]) if one[:1].isspace() else one for one in shown):
        if line and not line[0].isspace():
            head = line if line.startswith(kept.HEADS) or line in twins else ""
        if head in twins:
            yield Own("SNMP", line, kept.is_twin(head))
        elif head and line.strip():
            yield kept.own(head, line)
    if len(shown) < len(lines):
        yield Own("banners", "\n".join(one for one in lines if one not in shown))


def _without_banners(lines: list[str]) -> Iterator[str]:
    """A banner is any text up to the character that it began with."""
    end = ""
    for line in lines:
        began = _BANNER.fullmatch(line)
        if end:
            end = "" if end in line else end
        elif began:
            end = "" if began[1] in began[2] else began[1]
        else:
            yield line
    if end:  # nobody knows where the configuration goes on
        raise ValueError("a banner has no end")


def _is_unnamed_port(line: str, after: str) -> bool:
    """NX-OS shows every port that it has, with nothing below those that nobody configured.

    With `feature interface-vlan` it shows Vlan1 so (batfish, `grammar/cisco_nxos/testconfigs`).
    """
    is_port = line.startswith("interface Ethernet") or _VLAN.fullmatch(line)
    return bool(is_port) and not after.startswith(" ")


def _same(line: str) -> str:
    """A line as we would print it; a secret becomes a word that is no value."""
    line = users.without_keys(_BIOS.sub(r"\1", line), _SHOWN)
    shown = _SECRETS.sub(rf"\g<1>0 {_SHOWN}", line)
    return _LOCALIZED.sub(r"\1", shown)


def without_secrets(text: str) -> str:
    """For comparison: a switch shows its secrets encoded, so they can never be compared."""
    return re.sub(r"<<secret:\w+>>", _SHOWN, text)


def _broken(device: str, why: str) -> DialectError:
    return DialectError(
        f"{device}: the answer to the fetch command cannot be read: {why}",
        "run it again; a login banner or a cut connection changes what comes back",
    )
