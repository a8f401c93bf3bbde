"""`node`: a table of what is wanted, staged and running, part by part."""

from __future__ import annotations

from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from inventory.visible import one_line

from .words import PlainTable, print_line

if TYPE_CHECKING:  # see rollout.py
    from deploy.servers.node_look import NodeLook

_COLOURS = {"as planned": "green", "differs": "red", "waits": "yellow", "not known": "yellow"}


def node_json(look: NodeLook) -> dict[str, Any]:
    """Every row, and why there is none."""
    return {
        "node": look.node,
        "exit_code": look.exit_code,
        "hint": look.hint,
        "unread": look.unread,
        "notes": list(look.notes),
        "rows": [asdict(row) for row in look.rows],
    }


def node_text(look: NodeLook, out: Console) -> None:
    """One table, part by part with the verdict first, then one line that counts."""
    table = PlainTable(box=None, header_style="bold")
    for column in ("", look.node, "wanted", "staged", "running"):
        table.add_column(column, no_wrap=not column)
    for part, rows in groupby(look.rows, key=lambda row: row.part):
        table.add_row("", Text(one_line(part), "bold"))
        for row in rows:
            words = (row.what, row.wanted, row.staged, row.running)
            table.add_row(Text(row.judged, _COLOURS[row.judged]), *words)
    out.print(table)
    for note in (*look.notes, *([f"not known: {look.unread}"] if look.unread else [])):
        print_line(out, note, style="yellow")
    if look.hint:
        print_line(out, look.hint, style="yellow")
    counted = {word: sum(row.judged == word for row in look.rows) for word in _COLOURS}
    print_line(out, ", ".join(f"{number} {word}" for word, number in counted.items()))
