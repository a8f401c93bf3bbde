"""The intent of a switch -> its files, by the templates in `templates/`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from inventory.plan import OobSwitch, Switch
from switch_configs.errors import DialectError
from switch_configs.intent import OobIntent, Rendered, SwitchIntent

from . import files, frr
from .system import SECTIONS, SystemView, system_view

# Each file's template; `main.j2` is the table of contents of its folder.
_TEMPLATES = {
    files.DAEMONS: "daemons/main.j2",
    files.INTERFACES: "interfaces/main.j2",
    files.LLDPD: "lldpd/main.j2",
    files.NFTABLES: "nftables/main.j2",
    files.QUEUES: "queues/main.j2",
    files.QUEUES_UNIT: "queues/unit.j2",
    files.RSYSLOG: "rsyslog/main.j2",
    files.SYSCTL: "sysctl/main.j2",
    files.TIMESYNCD: "timesyncd/main.j2",
}

RAW_SECTIONS = (*SECTIONS, *frr.RAW_SECTIONS)
"""The sections that a site may add raw lines to."""


@cache
def environment() -> Environment:
    """The templates of this dialect: strict, and they print what they are given."""
    # The output is configuration text, so nothing is escaped; words.py refuses odd characters.
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
    """All files of one switch, sorted by path; `DialectError` for what cannot be printed."""
    switch = intent.switch
    if switch.release not in releases:
        raise DialectError(
            f"{switch.name}: dialect {dialect} was not checked against release {switch.release}",
            f"it was checked against: {', '.join(releases)}",
        )
    _known_sections(switch, RAW_SECTIONS)
    try:
        texts = _texts(intent)
    except DialectError as error:
        if error.message.startswith(switch.name):
            raise
        raise DialectError(f"{switch.name}: {error.message}", error.hint) from None
    rendered = (files.owned_file(path, text) for path, text in sorted(texts.items()))
    return Rendered(switch.name, dialect, tuple(rendered))


def _texts(intent: SwitchIntent | OobIntent) -> dict[str, str]:
    texts = _system_texts(system_view(intent))
    if isinstance(intent, SwitchIntent):
        texts[files.FRR] = frr.text(intent)
    return texts


def _system_texts(shown: SystemView) -> dict[str, str]:
    return {
        path: environment().get_template(name).render(v=shown)
        for path, name in _TEMPLATES.items()
        if _is_needed(path, shown)
    }


def _is_needed(path: str, shown: SystemView) -> bool:
    """A file that would say nothing is not there."""
    wants = {
        files.DAEMONS: shown.routes,
        files.QUEUES: bool(shown.queues or shown.raw["queues"]),
        files.QUEUES_UNIT: bool(shown.queues or shown.raw["queues"]),
        files.RSYSLOG: bool(shown.syslog or shown.raw["rsyslog"]),
        files.TIMESYNCD: bool(shown.ntp or shown.raw["timesyncd"]),
    }
    return wants.get(path, True)


def _known_sections(switch: Switch | OobSwitch, sections: tuple[str, ...]) -> None:
    for stanza in switch.raw:
        if stanza.section not in sections:
            raise DialectError(
                f"{switch.name}: no section '{stanza.section}' for raw lines",
                f"there are: {', '.join(sections)}",
            )
