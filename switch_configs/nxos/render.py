"""An intent -> the running configuration, section by section, by the templates."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from inventory.plan import OobSwitch, RawStanza, Switch
from switch_configs.errors import DialectError
from switch_configs.intent import OobIntent, Rendered, SwitchIntent
from switch_configs.shown.foreign import Chain, below

from .files import running_file
from .view import view

SECTIONS = (
    "system", "features", "tacacs", "access-lists", "qos", "services", "vlans", "policies",
    "vrfs", "hardware", "interfaces", "lines", "bgp", "logging",
)  # fmt: skip
"""In the order of `show running-config`; raw lines stand at the end of theirs."""


def header(device: str) -> str:
    """The first line. NX-OS keeps no comments, so it says only what any reader of it knows."""
    return f"! {device}: rendered by railbed, a change made here is lost.\n"


@cache
def environment() -> Environment:
    """The templates of this dialect: strict, and they print what they are given."""
    # The output is configuration text, so nothing is escaped; `words` refuses odd characters.
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
        auto_reload=False,
    )


def render(intent: SwitchIntent | OobIntent, dialect: str, releases: tuple[str, ...]) -> Rendered:
    """The configuration of one switch; `DialectError` for what cannot be printed."""
    switch = intent.switch
    if switch.release not in releases:
        raise DialectError(
            f"{switch.name}: dialect {dialect} was not checked against release {switch.release}",
            f"it was checked against: {', '.join(releases)}",
        )
    shown = view(intent)
    raw = _raw(switch)
    text = "".join(
        environment().get_template(f"{one}.j2").render(v=shown) + raw.get(one, "")
        for one in SECTIONS
    )
    text = "".join(_once(list(below(text)))) if raw else text
    return Rendered(switch.name, dialect, (running_file(header(switch.name) + text),))


def _once(chains: list[Chain], depth: int = 0) -> Iterator[str]:
    """What a site adds below a line that is there already stands with the rest of it."""
    found: dict[str, list[Chain]] = {}
    for chain in chains:
        found.setdefault(chain[depth], []).append(chain)
    for line, those in found.items():
        yield f"{line}\n"
        yield from _once([one for one in those if len(one) > depth + 1], depth + 1)


def _raw(switch: Switch | OobSwitch) -> dict[str, str]:
    """A site's own lines by section, as they are."""
    out: dict[str, str] = {}
    for stanza in switch.raw:
        out[stanza.section] = out.get(stanza.section, "") + _lines(stanza, switch.name)
    unknown = sorted(set(out) - set(SECTIONS))
    if unknown:
        raise DialectError(
            f"{switch.name}: raw lines for section '{unknown[0]}', which NX-OS has not",
            f"its sections are: {', '.join(SECTIONS)}",
        )
    return out


def _lines(stanza: RawStanza, device: str) -> str:
    for line in stanza.lines:
        if not line.isprintable():
            raise DialectError(f"{device}: raw line {line!r} holds a control character")
    return "".join(f"{line}\n" for line in stanza.lines)
