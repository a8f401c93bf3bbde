"""Numbers and lists as people read them, and tables as all answers have them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from deploy.commands.next_steps import as_typed
from inventory.visible import one_line

from . import narrow

# More rows than a screen or two are folded, unless everything is asked for.
MOST_ROWS = 48
_SHOWN = 3
_NUMBERS = {
    "ASN",
    "ECMP",
    "ports",
    "Gb/s",
    "MTU",
    "m",
    "table",
    "VLAN",
    "W",
    "unit",
    "nodes",
    "count",
    "links",
    "rail NICs",
    "Kmin",
    "Kmax",
    "mark %",
    "xon",
    "xoff",
    "size",
    "#",
    "pid",
    "starts",
    "up s",
    "memory MB",
    "disk MB",
}


def kilowatts(watts: int) -> str:
    """`41.2 kW`."""
    return f"{watts / 1000:.1f} kW"


def counted(words: Iterable[str]) -> str:
    """`8 leaf + 4 spine`, sorted by word."""
    found = Counter(words)
    return " + ".join(f"{count:,} {word}" for word, count in sorted(found.items()))


def named_span(names: Sequence[str]) -> str:
    """The first name and the last one without what they share: `node-p1-01 .. 32`."""
    if len(set(names)) < 2:
        return span(names)
    first, last = names[0].split("-"), names[-1].split("-")
    shared = 0
    while shared < min(len(first), len(last)) - 1 and first[shared] == last[shared]:
        shared += 1
    return f"{names[0]} .. {'-'.join(last[shared:])}"


def many(count: int, word: str) -> str:
    """`1 device`, `1,860 devices`."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def span(values: Sequence[object]) -> str:
    """The first and the last of sorted values: `leaf-p1-r0 .. leaf-p4-r7`."""
    if not values:
        return "-"
    first, last = str(values[0]), str(values[-1])
    return first if first == last else f"{first} .. {last}"


def first_of(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = len(names) - _SHOWN
    told = ", ".join(names[:_SHOWN])
    return f"{told} and {more:,} more" if more > 0 else told


class PlainTable(Table):
    """A table whose cells say what they say: nothing in one is markup, or acts on a terminal.

    It fits its screen, with names and numbers whole (`narrow.py`).
    """

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """As rich does where the screen is wide enough."""
        cells = [[_text(one) for one in (each.header, *each.cells)] for each in self.columns]
        found = narrow.widths(cells, options.max_width)
        if found is None:
            yield from [self.title] if isinstance(self.title, Text) and self.title.plain else []
            headers, *rows = zip(*cells, strict=True)
            yield from narrow.stacked(headers, rows, console, options.max_width)
            return
        for column, width in zip(self.columns, found, strict=True):
            column.width, column.overflow, column.no_wrap = width, "fold", False
        yield from super().__rich_console__(console, options)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """Up to the whole screen."""
        return Measurement(1, options.max_width)

    def add_column(self, header: RenderableType = "", *more: Any, **options: Any) -> None:
        """As rich does."""
        super().add_column(_inert(header), *more, **options)

    def add_row(self, *cells: RenderableType | None, **options: Any) -> None:
        """As rich does; a cell of `Text` is taken as it is."""
        super().add_row(*map(_inert, cells), **options)


def _text(cell: RenderableType) -> Text:
    """A cell as text; rich itself fills up a short row with ""."""
    return cell if isinstance(cell, Text) else Text(str(cell))


def _inert(cell: RenderableType | None) -> Any:
    return Text(one_line(cell)) if isinstance(cell, str) else cell


def print_line(out: Console, *parts: str | tuple[str, str], style: str = "") -> None:
    """One line that says what it says; a part may have a style of its own.

    What devices and files say is in it: nothing of that is markup, an emoji, a command to the
    terminal or the end of the line.
    """
    styled = ((part, "") if isinstance(part, str) else part for part in parts)
    words = [(one_line(as_typed(text)), own) for text, own in styled]
    out.print(Text.assemble(*words, style=style), soft_wrap=True)


def plain_table(title: str, columns: Sequence[str]) -> PlainTable:
    """A table without lines; columns of numbers stand right."""
    said = Text(one_line(title), "table.title")
    table = PlainTable(
        title=said, title_justify="left", box=None, header_style="bold", pad_edge=False
    )
    for name in columns:
        justify: Literal["left", "right"] = "right" if name in _NUMBERS else "left"
        table.add_column(name, justify=justify)
    return table
