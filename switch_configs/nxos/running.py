"""What a switch runs, as text that compares byte for byte with a rendered one.

NX-OS adds lines that are its own: comments, users, the console, a BIOS version, ports that
nobody named, secrets in its own encoding. They are left out here, and kept by a push.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from switch_configs.errors import DialectError
from switch_configs.intent import Account, ConfigFile, Own, Rendered
from switch_configs.shown.secrets import HELD

from . import kept, logins, users
from .files import UNSAVED_FILE, running_file
from .render import header

BEGIN, _STARTUP, END = "railbed-fetch 1", "railbed-fetch startup", "railbed-fetch end"
FETCH_COMMAND = (
    f"echo {BEGIN}\nshow running-config\necho {_STARTUP}\nshow startup-config\necho {END}"
)
"""NX-OS has `echo` (Cisco Nexus 9000 NX-OS Fundamentals guide)."""

# What files come through.
_WAY_IN = "feature scp-server"
# As wide as netmiko sets a terminal; a longer line may be folded.
_WIDTH = 511
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_BANNER = re.compile(r"banner (?:motd|exec) (.)(.*)")
_VLAN = re.compile(r"interface Vlan\d+")
_BIOS = re.compile(r"(version \S+) Bios:version.*")
_SECRETS = re.compile(r'^(tacacs-server host \S+ key )(?!0 <<|<<)(?:[067] )?("[^"]*"|\S+)')
_LOCALIZED = re.compile(r"^(snmp-server user .*) localized(?:V2)?key$")


def running(device: str, dialect: str, fetched: str) -> Rendered:
    """The answer to the fetch command; `DialectError` when it is cut or doubled."""
    body = _body(device, fetched)
    try:
        ours = tidy(body)
    except ValueError as error:
        raise _broken(device, str(error)) from None
    made = [running_file(header(device) + ours)]
    if not _is_saved(device, fetched, ours):
        made.append(ConfigFile(UNSAVED_FILE, "not saved\n", "", "", "", "none"))
    return Rendered(device, dialect, tuple(sorted(made)))


def _is_saved(device: str, fetched: str, ours: str) -> bool:
    """Whether the startup file says the same; evidence says nothing of it."""
    saved = _parted(device, fetched)[1]
    try:
        return saved is None or tidy(saved) == ours
    except ValueError:
        return False


def kept_lines(fetched: str) -> str:
    """What every push leaves as it is, as text that follows the plan's in a candidate.

    `DialectError` where that cannot be known: no login of its own, or a line that was folded.
    """
    lines = _body("the switch", fetched)
    try:
        shown, banners = list(_without_banners(lines)), _banners(lines)
    except ValueError as error:
        raise DialectError(str(error)) from None
    twins, mine, out = users.own(shown), False, []
    for line in shown:
        if line and not line[0].isspace():
            mine = line.startswith(kept.HEADS) or line in twins
        if mine and line.strip():
            out.append(line)
    if not users.with_login(out):
        raise DialectError(
            "the switch has no user of its own, and a push would lock everybody out",
            "give it one, as its README says",
        )
    text = "".join(f"{one}\n" for one in (*out, *banners))
    if any(len(one) >= _WIDTH for one in text.splitlines()) or _CONTROL.search(text):
        raise DialectError(
            "a user or a banner of the switch has a line that no terminal shows whole",
            "use a shorter key (ed25519), or take the control characters away",
        )
    return text


def held(device: str, dialect: str, fetched: str) -> Rendered:
    """The same answer with all that it says, but for what files come through."""
    body = (one for one in _body(device, fetched) if one != _WAY_IN)
    return Rendered(device, dialect, (running_file("".join(f"{one}\n" for one in body)),))


def _body(device: str, fetched: str) -> list[str]:
    """The lines of what runs."""
    return _parted(device, fetched)[0]


def _parted(device: str, fetched: str) -> tuple[list[str], list[str] | None]:
    """What runs and the startup file, which is not there in evidence."""
    lines = [one.rstrip() for one in fetched.replace("\r", "").strip().splitlines()]
    if len(lines) < 2 or lines[0] != BEGIN or lines[-1] != END:
        raise _broken(device, "its first or last line is missing")
    body, saved = lines[1:-1], None
    if body.count(_STARTUP) == 1:
        at = body.index(_STARTUP)
        body, saved = body[:at], body[at + 1 :]
    for word in (BEGIN, _STARTUP, END):
        if word in body:
            raise _broken(device, "it is there twice")
    for word in ("version ", "hostname "):
        if sum(one.startswith(word) for one in body) != 1:
            raise _broken(device, f"it has not one line '{word.strip()}'")
    return body, saved


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
    twins, made = users.own(shown), users.made(shown)
    head = ""
    for line in (" ".join(["", *one.split()]) if one[:1].isspace() else one for one in shown):
        if line and not line[0].isspace():
            head = line if line.startswith(kept.HEADS) or line in twins else ""
        if head in twins:
            yield Own("SNMP", line, kept.is_twin(head))
        elif head and line.strip():
            told = kept.own(head, line)
            yield replace(told, shipped=True) if line in made else told
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


def _banners(lines: list[str]) -> list[str]:
    """What `_without_banners` leaves out, in its order."""
    out, rest = [], iter(_without_banners(lines))
    after = next(rest, None)
    for line in lines:
        if line is after:
            after = next(rest, None)
        else:
            out.append(line)
    return out


def _is_unnamed_port(line: str, after: str) -> bool:
    """NX-OS shows every port that it has, with nothing below those that nobody configured.

    With `feature interface-vlan` it shows Vlan1 so (batfish, `grammar/cisco_nxos/testconfigs`).
    """
    is_port = line.startswith("interface Ethernet") or _VLAN.fullmatch(line)
    return bool(is_port) and not after.startswith(" ")


def _same(line: str) -> str:
    """A line as we would print it; a secret becomes a word that is no value."""
    line = users.without_keys(_BIOS.sub(r"\1", line), HELD)
    shown = _SECRETS.sub(rf"\g<1>0 {HELD}", line)
    return _LOCALIZED.sub(r"\1", shown)


def without_secrets(text: str) -> str:
    """For comparison: a switch shows its secrets encoded, so they can never be compared."""
    return re.sub(r"<<secret:\w+>>", HELD, text)


def _broken(device: str, why: str) -> DialectError:
    return DialectError(
        f"{device}: the answer to the fetch command cannot be read: {why}",
        "run it again; a login banner or a cut connection changes what comes back",
    )
