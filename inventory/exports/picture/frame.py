"""What every picture has around its rows: title, tiers, notes, numbers, colours."""

from __future__ import annotations

from collections.abc import Iterator

from ...plan import Plane
from ..colours import PLANE_COLOURS, RAIL_COLOURS, colour
from . import facts, shapes
from .scene import Scene

WIDTH = 1600.0
LEFT, RIGHT = 150.0, 1270.0
_MARGIN = 40.0
_NOTES_X = 1310.0
_LEGEND_X = 1010.0
TOP = 130.0
_LINE = 20.0

# The colours of labels, dark enough for lines on white; white itself is drawn pale.
_SCREEN = {
    "blue": "#0969da", "orange": "#e16f24", "green": "#1a7f37", "brown": "#8a5a2b",
    "slate": "#6e7781", "white": "#c2b280", "red": "#cf222e", "black": "#24292f",
    "aqua": "#0e8a9b", "rose": "#d6498f", "violet": "#8250df", "yellow": "#bf8700",
}  # fmt: skip


def screen_colour(plane: Plane, rail: int | None) -> str:
    """The colour on the screen of a plane's or a rail's cables."""
    if plane != "compute" or rail is None:
        return _SCREEN[PLANE_COLOURS[plane]]
    return _SCREEN[RAIL_COLOURS[rail % len(RAIL_COLOURS)]]


def cable_line(
    scene: Scene, rail: int | None, start: tuple[float, float], end: tuple[float, float], px: float
) -> str:
    """A line in the colour of its cables; what is striped on labels is dashed here."""
    striped = rail is not None and rail >= len(RAIL_COLOURS)
    return shapes.line(*start, *end, screen_colour(scene.plane, rail), px, striped)


def framed(
    scene: Scene, row_y: dict[int, float], bottom: float, parts: list[str], hint: str
) -> str:
    """The whole SVG: `parts` are the rows, whose middles `row_y` gives."""
    height = bottom + 70 + _LINE * (max(3, _footer_lines(scene)) + 1)
    around = [*_title(scene), *_tiers(scene, row_y), *_notes(scene, row_y)]
    foot = [*_numbers(scene, bottom + 30), *_colours(scene, bottom + 30)]
    last = shapes.text(_MARGIN, height - 18, hint, colour=shapes.FAINT)
    name = f"{scene.site}: {scene.plane} plane"
    return shapes.document(WIDTH, height, name, [*around, *parts, *foot, last])


def _title(scene: Scene) -> Iterator[str]:
    words = facts.totals(scene)
    yield shapes.text(_MARGIN, 56, f"{scene.site}: {scene.plane} plane", shapes.TITLE_PX, bold=True)
    yield shapes.text(_MARGIN, 84, words, shapes.HEAD_PX, shapes.FAINT)


def _tiers(scene: Scene, row_y: dict[int, float]) -> Iterator[str]:
    for row, members in scene.rows.items():
        words = facts.row_word(members).split(", ")
        lines = [*words, f"{len(members):,}"]
        y = row_y[row] - _LINE * (len(lines) - 1) / 2 + 5
        for at, word in enumerate(lines):
            is_word = at < len(words)
            size, colour = (
                (shapes.HEAD_PX, shapes.INK) if is_word else (shapes.TEXT_PX, shapes.FAINT)
            )
            yield shapes.text(_MARGIN, y + at * _LINE, word, size, colour, bold=is_word)


def _notes(scene: Scene, row_y: dict[int, float]) -> Iterator[str]:
    """What lies between two rows, beside the gap between them."""
    taken: dict[float, int] = {}
    for hop in scene.hops:
        middle = (row_y[hop.lower] + row_y[hop.upper]) / 2
        offset = taken[middle] = taken.get(middle, -1) + 1
        words = facts.hop_words(scene, hop)
        y = middle - 1.5 * _LINE + 5 + offset * 5 * _LINE
        yield shapes.text(_NOTES_X, y, words[0], shapes.HEAD_PX, bold=True)
        for at, line in enumerate(words[1:], start=1):
            yield shapes.text(_NOTES_X, y + at * _LINE, line, colour=shapes.FAINT)


def _footer_lines(scene: Scene) -> int:
    lists = facts.devices(scene), facts.oversubscription(scene)
    return max(*map(len, lists), _legend_shape(_legend(scene))[1])


def _numbers(scene: Scene, y: float) -> Iterator[str]:
    yield shapes.line(_MARGIN, y - 26, WIDTH - _MARGIN, y - 26, shapes.RULE)
    columns = (
        (_MARGIN, "Devices", facts.devices(scene)),
        (460.0, "Bandwidth down and up", facts.oversubscription(scene)),
    )
    for x, head, lines in columns:
        yield shapes.text(x, y, head, shapes.HEAD_PX, bold=True)
        for at, words in enumerate(lines, start=1):
            yield shapes.text(x, y + 4 + at * _LINE, words)


def _colours(scene: Scene, y: float) -> Iterator[str]:
    named = _legend(scene)
    width, per_column = _legend_shape(named)
    yield shapes.text(_LEGEND_X, y, "Cable colours", shapes.HEAD_PX, bold=True)
    for at, (words, rail) in enumerate(named):
        left = _LEGEND_X + width * (at // per_column)
        base = y + 4 + (at % per_column + 1) * _LINE
        yield cable_line(scene, rail, (left, base - 4), (left + 26, base - 4), 4)
        yield shapes.text(left + 36, base, words)


def _legend(scene: Scene) -> list[tuple[str, int | None]]:
    rails = sorted({wire.rail for wire in scene.wires if wire.rail is not None})
    named: list[tuple[str, int | None]] = [(f"rail {rail}", rail) for rail in rails]
    if any(wire.rail is None for wire in scene.wires):
        named.append(("no rail" if rails else f"{scene.plane} plane", None))
    return [(f"{words}: {colour(scene.plane, rail)}", rail) for words, rail in named]


def _legend_shape(named: list[tuple[str, int | None]]) -> tuple[float, int]:
    """The width of a column, and the entries in it: as few as the page's width allows."""
    width = 56 + max(shapes.width_of(words) for words, _ in named)
    columns = int((WIDTH - _MARGIN - _LEGEND_X) // width)
    return width, max(4, -(-len(named) // columns))
