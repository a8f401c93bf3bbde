"""A figure over the number of nodes, a line for each size: whether it scales."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import log2

from markupsafe import Markup

from . import inline

_LEFT, _INSET, _RIGHT, _TOP, _HIGH, _BELOW = 38, 10, 56, 12, 130, 36
_MARKS = ("●", "■", "▲", "◆", "▼", "+")
_DASHES = 4

Lines = Mapping[str, Mapping[int, float]]


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where a number of nodes (each doubling as wide) and a value lie, in pixels."""

    nodes: tuple[int, ...]
    steps: tuple[float, ...]

    def x(self, count: int) -> float:
        room, first, last = inline.PHONE_PX - _LEFT - _RIGHT - _INSET, self.nodes[0], self.nodes[-1]
        share = 0.5 if first == last else log2(count / first) / log2(last / first)
        return _LEFT + _INSET + room * share

    def y(self, value: float) -> float:
        return _TOP + _HIGH * (1 - value / self.steps[-1])


def curve(name: str, unit: str, lines: Lines, failed: frozenset[tuple[str, int]]) -> Markup:
    """`lines`: by size, what was reached with so many nodes. `failed` points have a cross."""
    nodes = tuple(sorted({count for line in lines.values() for count in line}))
    top = max(value for line in lines.values() for value in line.values())
    frame = _Frame(nodes, inline.round_steps(0, top, 4))
    parts, ends = [*_grid(frame, unit)], list[float]()
    for number, (size, line) in enumerate(lines.items()):
        mark = _MARKS[number % len(_MARKS)]
        points = [(frame.x(count), frame.y(value)) for count, value in sorted(line.items())]
        parts.append(_polyline(points, number % _DASHES))
        for (x, y), count in zip(points, sorted(line), strict=True):
            bad = (size, count) in failed
            shown, css = ("✗", "mark fail") if bad else (mark, "mark")
            parts.append(inline.text(x, y + 4, shown, css, "middle"))
        ends.append(_free(points[-1][1] + 4, ends))
        parts.append(inline.text(points[-1][0] + 9, ends[-1], f"{mark} {size}".strip(), "soft"))
    sizes = ", ".join(one for one in lines if one) or "one"
    said = f"{name} in {unit} over {nodes[0]} to {nodes[-1]} nodes, sizes: {sizes}"
    return inline.picture(inline.PHONE_PX, _TOP + _HIGH + _BELOW, said, parts)


def _free(wanted: float, taken: list[float]) -> float:
    """A place for a word that is not upon another one's."""
    for shift in (0, 13, -13, 26, -26, 39, -39):
        if all(abs(wanted + shift - one) >= 12 for one in taken) and wanted + shift > 8:
            return wanted + shift
    return wanted


def _polyline(points: list[tuple[float, float]], dash: int) -> Markup:
    text = " ".join(f"{inline.number(x)},{inline.number(y)}" for x, y in points)
    return Markup('<polyline points="{}" class="curve dash{}"/>').format(text, dash)


def _grid(frame: _Frame, unit: str) -> Iterator[Markup]:
    right, bottom = inline.PHONE_PX - _RIGHT, frame.y(0)
    for step in frame.steps:
        yield inline.line(_LEFT, frame.y(step), right, frame.y(step), "grid" if step else "axis")
        yield inline.text(_LEFT - 5, frame.y(step) + 4, f"{step:g}", "soft", "end")
    free_from = 0.0
    for count in frame.nodes:
        yield inline.line(frame.x(count), bottom, frame.x(count), bottom + 4, "axis")
        half = len(str(count)) * inline.LETTER_PX / 2
        if frame.x(count) - half >= free_from:
            yield inline.text(frame.x(count), bottom + 16, str(count), "soft", "middle")
            free_from = frame.x(count) + half + 4
    yield inline.text(_LEFT, bottom + 31, f"nodes, in {unit}", "soft")
