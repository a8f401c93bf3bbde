"""A large site: one panel for pods that are alike, one box for devices that are alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from . import shapes
from .folding import Fold, Folded, Stack, StackKey, fold
from .frame import LEFT, RIGHT, TOP, cable_line, framed
from .scene import Scene

_BOX_HEIGHT = 80.0
_ROW_PITCH = 190.0
_GAP = 14.0
_PANEL_GAP = 24.0
_PAD = 24.0
_HEAD = 24.0
_FOOT = 36.0
_LAYER = 5.0
_LINE = 17.0
_MAX_FOLDS = 4
_HINT = (
    "A stack stands for devices that are alike, a panel for pods that are alike; up and down count "
    "a device's links."
)


@dataclass(frozen=True, slots=True)
class Area:
    """A box: left and right edge, and the middle of its height."""

    left: float
    right: float
    y: float

    @property
    def middle(self) -> float:
        """Half way between its edges."""
        return (self.left + self.right) / 2

    def nearest(self, x: float) -> float:
        """The place on its edge that is nearest to `x`."""
        return min(max(x, self.left + 10), self.right - 10)


def draw(scene: Scene) -> str:
    """The picture of a scene of any size."""
    made = fold(scene)
    rows = sorted(scene.rows, reverse=True)
    row_y = {row: TOP + _HEAD + _BOX_HEIGHT / 2 + at * _ROW_PITCH for at, row in enumerate(rows)}
    panels = _panels(made)
    areas = {
        key: area for one, (left, right) in panels for key, area in _areas(one, left, right, row_y)
    }
    bottom = max(row_y.values()) + _BOX_HEIGHT / 2 + _FOOT + 24
    parts = [part for one, edges in panels if one.pods for part in _panel(one, *edges, row_y)]
    parts += _links(scene, made, areas)
    stacks = [stack for one, _ in panels for stack in one.stacks]
    parts += [part for stack in stacks for part in _stack(stack, areas[stack.key])]
    return framed(scene, row_y, bottom, parts, _hint(made))


def _hint(made: Folded) -> str:
    hidden = len([one for one in made.folds if one.pods]) - _MAX_FOLDS
    return f"{_HINT} Not drawn: {hidden} more kinds of pod." if hidden > 0 else _HINT


def _panels(made: Folded) -> list[tuple[Fold, tuple[float, float]]]:
    """The folds that are drawn, with their edges: the commonest pods, side by side."""
    outside = [(one, (LEFT, RIGHT)) for one in made.folds if not one.pods]
    pods = sorted(
        (one for one in made.folds if one.pods), key=lambda one: (-len(one.pods), one.first)
    )
    shown = pods[:_MAX_FOLDS]
    width = (RIGHT - LEFT + _PANEL_GAP) / max(1, len(shown))
    edges = [(LEFT + at * width, LEFT + (at + 1) * width - _PANEL_GAP) for at in range(len(shown))]
    return [*outside, *zip(shown, edges, strict=True)]


def _areas(
    one: Fold, left: float, right: float, row_y: dict[int, float]
) -> Iterator[tuple[StackKey, Area]]:
    rows: dict[int, list[Stack]] = defaultdict(list)
    for stack in one.stacks:
        rows[stack.key.row].append(stack)
    inner_left, inner_right = (left + _PAD, right - _PAD) if one.pods else (left, right)
    for row, stacks in rows.items():
        slot = (inner_right - inner_left + _GAP) / len(stacks)
        for at, stack in enumerate(stacks):
            start = inner_left + at * slot
            yield stack.key, Area(start, start + slot - _GAP, row_y[row])


def _panel(one: Fold, left: float, right: float, row_y: dict[int, float]) -> Iterator[str]:
    middles = [row_y[stack.key.row] for stack in one.stacks]
    top = min(middles) - _BOX_HEIGHT / 2 - _HEAD
    height = max(middles) + _BOX_HEIGHT / 2 + _FOOT - top
    yield shapes.rect(left, top, right - left, height, shapes.PANEL, shapes.RULE, 8)
    base = top + height - 13
    if len(one.pods) == 1 or not has_nodes(one):
        yield shapes.text((left + right) / 2, base, _name(one), anchor="middle", bold=True)
        return
    name, which = f"{len(one.pods):,} pods, each like this", f"pods {runs(one.pods)}"
    yield shapes.text(left + _PAD, base, name, bold=True)
    if shapes.width_of(name) + shapes.width_of(which) + 20 < right - left - 2 * _PAD:
        yield shapes.text(right - _PAD, base, which, colour=shapes.FAINT, anchor="end")


def has_nodes(one: Fold) -> bool:
    """Whether these are pods of GPU nodes, and not switches of other servers."""
    return any(stack.key.word == "node" for stack in one.stacks)


def _name(one: Fold) -> str:
    if has_nodes(one):
        return f"pod {one.first}"
    return "beside the pods" + (f", {len(one.pods):,} times" if len(one.pods) > 1 else "")


def runs(numbers: tuple[int, ...]) -> str:
    """Sorted numbers in words: 1 to 19, 21."""
    breaks = [at for at, (a, b) in enumerate(pairwise(numbers), start=1) if b != a + 1]
    edges = [0, *breaks, len(numbers)]
    spans = [(numbers[start], numbers[end - 1]) for start, end in pairwise(edges)]
    return ", ".join(str(a) if a == b else f"{a} to {b}" for a, b in spans)


def _links(scene: Scene, made: Folded, areas: dict[StackKey, Area]) -> Iterator[str]:
    """One line for all links between two stacks, straight up wherever the boxes allow."""
    drawn = [link for link in made.links if link[0] in areas and link[1] in areas]
    beside: dict[tuple[StackKey, StackKey], list[int | None]] = defaultdict(list)
    for lower, upper, rail in drawn:
        beside[lower, upper].append(rail)
    for lower, upper, rail in drawn:
        low, high = areas[lower], areas[upper]
        rails = beside[lower, upper]
        narrow = min(low, high, key=lambda area: area.right - area.left)
        step = min(26.0, (narrow.right - narrow.left) / (len(rails) + 1))
        x = narrow.middle + (rails.index(rail) - (len(rails) - 1) / 2) * step
        y1, y2 = low.y - _BOX_HEIGHT / 2, high.y + _BOX_HEIGHT / 2
        yield cable_line(scene, rail, (low.nearest(x), y1), (high.nearest(x), y2), 3)


def _stack(stack: Stack, area: Area) -> Iterator[str]:
    top, width = area.y - _BOX_HEIGHT / 2, area.right - area.left
    layers = 2 if stack.count > 1 else 0
    for layer in range(layers, -1, -1):
        shift = layer * _LAYER
        left, wide = area.left + shift, width - layers * _LAYER
        y, high = top + (layers - layer) * _LAYER, _BOX_HEIGHT - layers * _LAYER
        yield shapes.rect(left, y, wide, high, shapes.PAPER, shapes.EDGE, 6)
    middle, room = area.left + (width - layers * _LAYER) / 2, width - layers * _LAYER - 8
    said = [words for words in _words(stack, room) if words and shapes.width_of(words) <= room]
    lines = said[: 3 if layers else 4]
    y = area.y + layers * _LAYER / 2 - _LINE / 2 * (len(lines) - 1) + 5
    for at, words in enumerate(lines):
        colour = shapes.INK if at == 0 else shapes.FAINT
        yield shapes.text(
            middle, y + _LINE * at, words, colour=colour, anchor="middle", bold=at == 0
        )


def _words(stack: Stack, room: float) -> Iterator[str]:
    """What a box says, as far as there is room; the first line always has some."""
    key, many = stack.key, stack.count > 1
    what = f"{stack.count:,} {shapes.TIMES} {key.word}" if many else key.word
    yield from _head(
        key.rail, key.word, what, f"{shapes.TIMES} {stack.count:,}" if many else "", room
    )
    yield key.profile
    ways = ((stack.links_down, "down"), (stack.links_up, "up"))
    ends = [f"{_range(links)} {way}" for links, way in ways if links[-1]]
    whole = ", ".join(ends)
    each = f"{whole} each" if many else whole
    choices = ([each], [whole], ends)
    yield from next((one for one in choices if max(map(shapes.width_of, one)) <= room), ())


def _head(rail: int, word: str, what: str, count: str, room: float) -> tuple[str, ...]:
    """What it is, in one line, or with the count below where room is short."""
    if rail < 0:
        choices: tuple[tuple[str, ...], ...] = ((what,), (word, count), (count,))
    else:
        choices = ((f"rail {rail}: {what}",), (f"rail {rail}", count), (f"r{rail}", count))
    return next((one for one in choices if shapes.width_of(one[0]) <= room), choices[-1])


def _range(values: tuple[int, ...]) -> str:
    low, high = f"{values[0]:,}", f"{values[-1]:,}"
    return low if low == high else f"{low} to {high}"
