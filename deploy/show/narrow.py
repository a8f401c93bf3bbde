"""Tables on a narrow screen: names and numbers stay whole, prose is folded.

A column is never narrower than its longest word, which is what a name, an address or a number is.
Where even that is too wide for the screen, each row becomes a few lines: its first cell, and below
it each other cell behind its column's name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from rich.console import Console
from rich.text import Text

# What a table without lines puts beside each cell: a space on both sides.
GAP = 2
_INDENT = "  "


def widths(columns: Sequence[Sequence[Text]], screen: int) -> list[int] | None:
    """The width of each column on a screen of so many characters; None where words would break.

    A cell is as wide as its longest line where there is room; the widest columns give way.
    """
    least = [max(map(_longest_word, cells), default=0) for cells in columns]
    most = [max(map(_longest_line, cells), default=0) for cells in columns]
    room = screen - GAP * len(columns)
    if sum(least) > room:
        return None
    cap = next(
        cap
        for cap in range(max(most, default=0), -1, -1)
        if sum(_within(least, most, cap)) <= room or not cap
    )
    return _within(least, most, cap)


def _within(least: Sequence[int], most: Sequence[int], cap: int) -> list[int]:
    return [max(low, min(high, cap)) for low, high in zip(least, most, strict=True)]


def _longest_word(cell: Text) -> int:
    return max((Text(word).cell_len for word in cell.plain.split()), default=0)


def _longest_line(cell: Text) -> int:
    return max((Text(line).cell_len for line in cell.plain.split("\n")), default=0)


def stacked(
    headers: Sequence[Text], rows: Sequence[Sequence[Text]], console: Console, screen: int
) -> Iterator[Text]:
    """Each row as lines: the first cell, then `column value` pairs, as many as fit on a line."""
    for first, *rest in rows:
        if first.plain:
            yield from first.wrap(console, screen, overflow="fold")
        named = zip_longest(headers[1:], rest, fillvalue=Text())
        pairs = [
            Text.assemble((header.plain, "bold"), " " if header.plain else "", cell)
            for header, cell in named
            if cell.plain
        ]
        yield from _filled(pairs, console, screen - len(_INDENT))


def _filled(pairs: Sequence[Text], console: Console, room: int) -> Iterator[Text]:
    line = Text()
    for pair in pairs:
        if line.plain and line.cell_len + len(_INDENT) + pair.cell_len > room:
            yield from _indented(line, console, room)
            line = Text()
        line = Text.assemble(line, _INDENT if line.plain else "", pair)
    if line.plain:
        yield from _indented(line, console, room)


def _indented(line: Text, console: Console, room: int) -> Iterator[Text]:
    for text in line.wrap(console, room, overflow="fold"):
        yield Text.assemble(_INDENT, text)
