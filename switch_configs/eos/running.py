"""What a switch runs, as `render` would write it.

EOS prints lines that are no wish of ours: its own defaults, and what belongs to the switch and not
to the plan (local users, root). They are left out here, and a push keeps the latter. Secrets come
back encrypted; they are masked, and never compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise

from switch_configs.errors import DialectError
from switch_configs.intent import Account, ConfigFile, Own, Rendered
from switch_configs.shown.secrets import HELD, bare

from . import files, logins
from .fetch import is_saved, parse

# What stays as it is on the switch, whatever the plan says.
KEPT = re.compile(r"(no )?(username|aaa root|enable password|boot) ")
# Printed by EOS whether or not anybody asked for it (running configurations in batfish's and
# AVD's tests; of releases from 4.30 in public labs of vEOS and cEOS).
_OWN = re.compile(
    r"no service interface inactive port-id allocation disabled"
    r"|transceiver qsfp default-mode \S+|no aaa root|no username \S+|no enable password"
    r"|no logging (console|monitor)|switchport default mode routed|end"
)
_OWN_BLOCK = ("unsupported error-correction action error", "unsupported speed action error")
_BANNERS = ("banner login", "banner motd")
_BANNER_END = "EOF"
# A push compares its two texts several times, of each switch that is pushed at the same time.
_TEXTS = 128
_HEAD = re.compile(r"! device: (\S+) \((?:.*, )?(EOS-[^)\s]+)\)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
# EOS takes names of DSCPs too (AVD golden policy-maps.cfg): nobody here has seen which it shows.
_NO_DSCP = re.compile(r"^( +set dscp) (default|cs0)$", re.MULTILINE)
_SECRETS = (
    (re.compile(r"\b(key|password|secret) (\d\w?|sha512) (?!<<)\S+"), rf"\1 \2 {HELD}"),
    (re.compile(r" v3 localized \S+ auth"), " v3 auth"),
    (re.compile(r"\b(auth sha\d*|priv aes\d*) (?!<<)\S+"), rf"\1 {HELD}"),
    (re.compile(r"(?m)^(snmp-server community) \S+"), rf"\1 {HELD}"),
)


@dataclass
class Line:
    """A line, and those below it."""

    text: str
    below: list[Line] = field(default_factory=list)


def running(device: str, dialect: str, fetched: str) -> Rendered:
    """The answer to the fetch command; may raise `DialectError`."""
    text, is_pending = parse(device, fetched)
    try:
        held = [files.config_file(tidy(text))]
    except ValueError as error:
        raise DialectError(f"{device}: {error}") from None
    if is_pending:
        held.append(ConfigFile(files.PENDING_FILE, "a change waits\n", "", "", "", "none"))
    if not is_saved(fetched):
        held.append(ConfigFile(files.UNSAVED_FILE, "not saved\n", "", "", "", "none"))
    return Rendered(device, dialect, tuple(sorted(held)))


def held(device: str, dialect: str, fetched: str) -> Rendered:
    """The same answer with all that it says."""
    return Rendered(device, dialect, (files.config_file(parse(device, fetched)[0]),))


@lru_cache(_TEXTS)
def tidy(text: str) -> str:
    """The configuration without EOS's own lines, banners and secrets.

    `ValueError` for a banner that is not ended: nobody knows where the configuration goes on.
    """
    text = _NO_DSCP.sub(r"\1 0", "\n".join(_without_banners(text.splitlines())))
    heads = (_HEAD.fullmatch(line) for line in text.splitlines())
    head = next(
        (f"! device: {match[1]} ({match[2]})" for match in heads if match), "! device: not said"
    )
    return laid_out(head, [line for line in _lines(masked(text)) if _is_ours(line)])


# The login that EOS comes with, once it has a password: at first it asks for none (EOS User Manual,
# "Administering the Switch"). A bash is what its privilege gives it anyway. The image is in flash:.
_SHIPPED = re.compile(
    r"no (?:username|aaa root|enable password)\b.*|boot system flash:/?[\w.-]+\.swi"
    r"|username admin(?: privilege (?:1|15)| role network-admin| shell /bin/bash)*"
    r" secret (?:(?:5|sha512) )?\S+"
)


def accounts(saved: Rendered) -> tuple[Account, ...]:
    """Local users, as `logins` reads them."""
    texts = (file.text.splitlines() for file in saved.files)
    return logins.accounts(one.rstrip() for text in texts for one in _without_banners(text))


def own(saved: Rendered) -> tuple[Own, ...]:
    """Logins, boot and banners, each line one."""
    return tuple(sorted({one for file in saved.files for one in _own(file.text.splitlines())}))


def kept_lines(fetched: str) -> str:
    """What every push leaves as it is, as text that is loaded behind a clean configuration.

    `DialectError` where the switch has no login of its own: without one nobody could come back.
    """
    lines = parse("the switch", fetched)[0].splitlines()
    try:
        mine = [one for one in _without_banners(lines) if KEPT.match(one)]
    except ValueError as error:
        raise DialectError(str(error)) from None
    if not any(one.startswith("username ") for one in mine):
        raise DialectError(
            "the switch has no user of its own, and a push would lock everybody out",
            "give it one, as its README says",
        )
    found = "".join(f"{one}\n" for one in (*mine, *_banners(lines)))
    if odd := _CONTROL.search(found):
        raise DialectError(
            f"a banner or a user holds the character {odd[0]!r}, which nobody can type"
        )
    return found


def _own(lines: list[str]) -> Iterator[Own]:
    lines = [line.rstrip() for line in lines]
    plain = list(_without_banners(lines))
    for one in plain:
        if KEPT.match(one):
            yield Own(
                "boot" if one.startswith("boot ") else "users", one, bool(_SHIPPED.fullmatch(one))
            )
    if len(plain) < len(lines):
        yield Own("banners", "\n".join(_banners(lines)))


def _banners(lines: list[str]) -> Iterator[str]:
    inside = False
    for line in lines:
        inside |= line.rstrip() in _BANNERS
        if inside:
            yield line
        inside &= line.rstrip() != _BANNER_END


def _without_banners(lines: list[str]) -> Iterator[str]:
    """The lines that are no banner's: a banner goes on to a line `EOF` (EOS User Manual)."""
    inside = ""
    for line in map(str.rstrip, lines):
        if inside and line in _BANNERS:
            raise ValueError(f"'{line}' stands inside of '{inside}'")
        if not inside and line not in _BANNERS:
            yield line
        inside = line if line in _BANNERS else "" if line == _BANNER_END else inside
    if inside:
        raise ValueError(f"'{inside}' has no end")


def as_shown(text: str) -> str:
    """A rendered configuration as EOS shows it: `!` where it sets them, each stanza once.

    Its first line is kept.
    """
    lines = [line for line in _once(_lines(text)) if line.text != "end"]
    return laid_out(text.partition("\n")[0], lines)


def _once(lines: list[Line]) -> list[Line]:
    """What a site adds below a line that is there already stands with the rest of it."""
    found: dict[str, Line] = {}
    for line in lines:
        found.setdefault(line.text, Line(line.text)).below.extend(line.below)
    return [replace(line, below=_once(line.below)) for line in found.values()]


def laid_out(head: str, lines: list[Line]) -> str:
    """The text of a configuration."""
    body = "".join(f"{line}\n" for line in _printed(lines, 0, top=True))
    return f"{head}\n!\n{body}end\n"


def masked(text: str) -> str:
    """The text without values of secrets; words that stand for one are left."""
    text = "\n".join(text.splitlines())
    for pattern, instead in _SECRETS:
        text = pattern.sub(instead, text)
    return text


def _lines(text: str) -> list[Line]:
    """The lines by their indentation."""
    root = Line("")
    opened: list[tuple[int, Line]] = [(-1, root)]
    for raw in text.splitlines():
        stripped = raw.strip()
        if not stripped or stripped.startswith("!"):
            continue
        indent = len(raw) - len(raw.lstrip())
        while opened[-1][0] >= indent:
            opened.pop()
        line = Line(stripped)
        opened[-1][1].below.append(line)
        opened.append((indent, line))
    return root.below


def _is_ours(line: Line) -> bool:
    """Whether a plan may say it: no default of EOS, nothing of the switch's own, no bare port."""
    if not line.below and (_OWN.fullmatch(line.text) or KEPT.match(line.text)):
        return False
    if line.text == "system l1" and tuple(sorted(one.text for one in line.below)) == _OWN_BLOCK:
        return False
    return bool(line.below) or not line.text.startswith("interface ")


def _printed(lines: list[Line], depth: int, *, top: bool = False) -> list[str]:
    """As EOS sets them: `!` beside what has lines below it, and outside between kinds."""
    out: list[str] = []
    for one, after in [*pairwise(lines), *((line, None) for line in lines[-1:])]:
        out += [f"{'   ' * depth}{one.text}", *_printed(one.below, depth + 1)]
        if after is None:
            out += ["!"] if top else []
        elif one.below or after.below or (top and _kind(one.text) != _kind(after.text)):
            out.append(f"{'   ' * depth}!")
    return out


# First words of lines that stand together without a `!` between them.
_KINDS = (
    ("ip route", "routes"),
    ("ip virtual-router", "mac"),
    ("ip community-list", "communities"),
    ("ip routing", "routing"),
    ("ipv6 unicast-routing", "ipv6"),
)


def _kind(text: str) -> str:
    plain = text.removeprefix("no ")
    if plain.startswith("vrf instance "):
        return plain
    named = next((name for head, name in _KINDS if plain.startswith(head)), None)
    return named or plain.split()[0]


@lru_cache(_TEXTS)
def statements(text: str) -> tuple[str, ...]:
    """Every line after those it stands below, sorted: EOS orders blocks in its own way.

    Secrets are one and the same here, however they are written.
    """
    ours = [line for line in _lines(bare(masked(text))) if _is_ours(line)]
    return tuple(sorted(_paths(ours, "")))


def _paths(lines: list[Line], above: str) -> list[str]:
    out = []
    for line in lines:
        path = f"{above} / {line.text}" if above else line.text
        out += [path, *_paths(line.below, path)]
    return out


_IN_ORDER = re.compile(
    r"(tacacs-server host|ntp server|logging vrf|aaa group server\b.* / server) "
)


@lru_cache(_TEXTS)
def in_order(text: str) -> tuple[str, ...]:
    """The servers of logins in their order: the first is asked first."""
    flat = re.sub(r"<<[^>]*>>|\b0 <<|\b7 <<", HELD, masked(text))
    paths = _paths(_lines(flat), "")
    return tuple(re.sub(r" key .*", "", path) for path in paths if _IN_ORDER.match(path))
