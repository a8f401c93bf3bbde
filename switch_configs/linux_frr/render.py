"""SwitchIntent -> the files of a switch, by the templates in `templates/`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from switch_configs.errors import DialectError
from switch_configs.intent import Rendered, SwitchIntent

from . import files, frr
from .view import view

# Each file's template folder; `main.j2` in it is the table of contents.
_FOLDERS = {
    files.DAEMONS: "daemons",
    files.INTERFACES: "interfaces",
    files.LLDPD: "lldpd",
    files.NFTABLES: "nftables",
    files.SYSCTL: "sysctl",
}


@cache
def environment() -> Environment:
    """The templates of this dialect: strict, and they print what they are given."""
    # The output is configuration text, so nothing is escaped; view.py refuses odd characters.
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


def render(intent: SwitchIntent, dialect: str, releases: tuple[str, ...]) -> Rendered:
    """All files of one switch, sorted by path; `DialectError` for what cannot be printed."""
    switch = intent.switch
    if switch.release not in releases:
        raise DialectError(
            f"{switch.name}: dialect {dialect} was not checked against release {switch.release}",
            f"it was checked against: {', '.join(releases)}",
        )
    shown = view(intent)
    texts = {
        path: environment().get_template(f"{folder}/main.j2").render(v=shown)
        for path, folder in _FOLDERS.items()
    }
    texts[files.FRR] = frr.text(intent)
    rendered = (files.owned_file(path, texts[path]) for path in files.OWNED)
    return Rendered(switch.name, dialect, tuple(rendered))
