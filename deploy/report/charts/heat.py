"""What pairs reached, sender by receiver: a square a pair, or the worst of many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from validation.verdict import Verdict

from . import inline

MOST_ROWS = 32
_LABEL_PX, _TOP = 96, 8
_SHADES = 5  # of good figures: the classes shade0 (least) to shade4


@dataclass(frozen=True, slots=True)
class Cell:
    """The worst of the figures between two places: its share of the best there is, its verdict.

    `share` is None where nothing was measured, `count` how many figures it stands for.
    """

    verdict: Verdict
    share: float | None
    count: int
    said: str


Cells = dict[tuple[str, str], Cell]


def heat(name: str, places: Sequence[str], cells: Cells) -> Markup:
    """A square matrix: who sends is a row, who receives a column, both in the order of `places`."""
    side = min(34.0, max(8.0, (inline.PHONE_PX - _LABEL_PX) / max(len(places), 1)))
    at = {place: number for number, place in enumerate(places)}
    parts = [*_labels(places, side)]
    for (row, column), cell in sorted(cells.items()):
        x, y = _LABEL_PX + at[column] * side, _TOP + at[row] * side
        parts += _square(x, y, side, cell, f"{row} to {column}: {cell.said}")
    high = _TOP + len(places) * side
    parts += _numbers(places, side, high)
    bad = sum(one.verdict is Verdict.FAIL for one in cells.values())
    said = f"{name}: {len(cells)} squares, {bad} with a pair that fails"
    width = max(inline.PHONE_PX, _LABEL_PX + len(places) * side)
    return inline.picture(width, high + 20, said, parts)


def shade_of(share: float) -> int:
    """The shade of a good figure by its share of the best: each is a step of five percent."""
    return max(0, min(_SHADES - 1, _SHADES - 1 - int((1 - share) * 20 + 1e-9)))


def _square(x: float, y: float, side: float, cell: Cell, said: str) -> Iterator[Markup]:
    mark = {Verdict.FAIL: "✗", Verdict.INCONCLUSIVE: "?"}.get(cell.verdict, "")
    shade = f"shade{shade_of(cell.share)}" if cell.share is not None and not mark else ""
    css = f"cell {shade or cell.verdict}"
    yield inline.rect(x + 0.5, y + 0.5, side - 1, side - 1, css, said)
    if mark:
        size = "mark small" if side < 14 else "mark"
        yield inline.text(
            x + side / 2, y + side / 2 + 4, mark, f"{size} on-{cell.verdict}", "middle"
        )
    elif side >= 26 and cell.share is not None:
        words = f"{cell.share:.0%}".rstrip("%")
        css = "on-dark" if shade_of(cell.share) >= _SHADES - 2 else ""
        yield inline.text(x + side / 2, y + side / 2 + 4, words, css, "middle")


def _labels(places: Sequence[str], side: float) -> Iterator[Markup]:
    most = int((_LABEL_PX - 28) / inline.LETTER_PX)
    every = max(1, round(13 / side + 0.4))  # words are 13 px high: on smaller rows only some
    for number, place in enumerate(places):
        if number % every == 0:
            y = _TOP + (number + 0.5) * side + 4
            words = f"{number + 1}  {inline.shortened(place, most)}"
            yield inline.text(_LABEL_PX - 5, y, words, "", "end")


def _numbers(places: Sequence[str], side: float, bottom: float) -> Iterator[Markup]:
    """Columns have the numbers of the rows: their names would not fit."""
    every = max(1, round(15 / side + 0.4))
    for number in range(0, len(places), every):
        x = _LABEL_PX + (number + 0.5) * side
        yield inline.text(x, bottom + 14, str(number + 1), "soft", "middle")
