"""SwitchIntent -> frr.conf, by the templates beside this file."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from inventory.plan import RawStanza
from switch_configs.intent import SwitchIntent

from .options import Printing
from .view import view

SECTIONS = ("system", "discards", "bgp", "prefix_lists", "communities", "policies", "bfd")
"""The sections of frr.conf in their order: those to which a site may add raw lines."""


@cache
def environment() -> Environment:
    """The templates of frr.conf: strict, and they print what they are given."""
    # The output is configuration text, so nothing is escaped; view.py refuses odd characters.
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
        auto_reload=False,
    )


def frr_conf(intent: SwitchIntent, printing: Printing, raw: Iterable[RawStanza] = ()) -> str:
    """The whole file. `raw` are stanzas whose sections are of SECTIONS; `DialectError` may rise.

    A drained switch has one line more: bgpd itself marks all that it says then.
    """
    shown = view(intent, printing, raw)
    return environment().get_template("main.j2").render(v=shown, sections=SECTIONS)


def shutdown_command(drained: bool) -> str:
    """A shell command that starts or ends the drain in all tables, in what runs only."""
    word = "" if drained else "no "
    lines = ("configure terminal", f"{word}bgp graceful-shutdown")
    return "vtysh " + " ".join(f"-c '{line}'" for line in lines)
