"""How the figures of one kind are spread, so that two groups are seen where a mean hides them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from statistics import median

from markupsafe import Markup

from . import inline

_LEFT, _TOP, _HIGH, _BELOW = 8, 34, 92, 34
_OUTER_PX = 46  # of a bar for what lies far outside: room for two numbers below it
_MOST_BINS, _LEAST_BINS = 32, 6


def histogram(name: str, unit: str, good: Sequence[float], bad: Sequence[float]) -> Markup:
    """Bars of how many figures lie where; those that failed stand upon the rest, with a cross.

    The axis is that of the good ones: what lies far outside has a bar of its own at the edge, so
    that a few bad figures never press the others into one bar.
    """
    every = [*good, *bad]
    edges = _edges(good or bad, every)
    counts = list(zip(_counts(edges, good), _counts(edges, bad), strict=True))
    places, most = _places(edges), max(map(sum, counts))
    parts: list[Markup] = []
    for at, (passed, failed) in enumerate(counts):
        span = f"{inline.amount(edges[at])} to {inline.amount(edges[at + 1])} {unit}"
        wide = places[at + 1] - places[at]
        parts += _bar(places[at], wide, most, passed, failed, span)
    parts += _axis(edges, places, unit, every, most)
    span = f"{inline.amount(min(every))} to {inline.amount(max(every))}"
    said = f"{name}: {len(every)} figures from {span}"
    return inline.picture(inline.PHONE_PX, _TOP + _HIGH + _BELOW, f"{said} {unit}", parts)


def _edges(main: Sequence[float], every: Sequence[float]) -> tuple[float, ...]:
    """Where bars begin and end; the outermost reach to the least and the largest figure."""
    low, high = min(main), max(main)
    if high - low < 1e-9 * max(abs(high), 1e-9):
        margin = abs(high) * 0.05 or 1.0
        low, high = low - margin, high + margin
    bins = min(_MOST_BINS, max(_LEAST_BINS, round(2 * len(main) ** 0.5)))
    steps = inline.round_steps(low, high, bins)
    first = (min(every),) if min(every) < steps[0] else ()
    last = (max(every),) if max(every) > steps[-1] else ()
    return (*first, *steps, *last)


def _breaks(edges: Sequence[float]) -> list[int]:
    """Where the axis jumps: a bar at the edge that is wider in figures than those inside."""
    step = edges[len(edges) // 2] - edges[len(edges) // 2 - 1]
    return [
        at
        for at, (low, high) in ((1, edges[:2]), (len(edges) - 2, edges[-2:]))
        if len(edges) > 4 and high - low > 1.01 * step
    ]


def _counts(edges: Sequence[float], values: Sequence[float]) -> list[int]:
    counts = [0] * (len(edges) - 1)
    for value in values:
        counts[min(max(bisect_right(edges, value) - 1, 0), len(counts) - 1)] += 1
    return counts


def _bar(x: float, wide: float, most: int, passed: int, failed: int, span: str) -> list[Markup]:
    parts, floor = [], float(_TOP + _HIGH)
    for count, css, word in ((passed, "bar", "pass"), (failed, "bar failed", "fail")):
        if count:
            # One of a thousand is one pixel and a half: it must not vanish.
            high = max(_HIGH * count / most, 1.5)
            floor -= high
            title = f"{count} {word}: {span}"
            parts.append(inline.rect(x + 0.5, floor, max(wide - 1, 1), high, css, title))
    if failed:
        parts.append(inline.text(x + wide / 2, max(floor - 3, 10), "✗", "mark fail", "middle"))
    return parts


def _places(edges: Sequence[float]) -> list[float]:
    """Where each edge lies, in pixels: bars are alike, but for those of what lies far outside."""
    jumps, room = _breaks(edges), inline.PHONE_PX - 2 * _LEFT
    inner = len(edges) - 1 - len(jumps)
    wide = (room - _OUTER_PX * len(jumps)) / inner
    places = [float(_LEFT)]
    for at in range(1, len(edges)):
        is_outer = (at == 1 and 1 in jumps) or (at == len(edges) - 1 and at - 1 in jumps)
        places.append(places[-1] + (_OUTER_PX if is_outer else wide))
    return places


def _axis(
    edges: Sequence[float], places: Sequence[float], unit: str, every: Sequence[float], most: int
) -> Iterator[Markup]:
    bottom, right = _TOP + _HIGH, inline.PHONE_PX - _LEFT
    middle = median(every)
    at = min(max(bisect_right(edges, middle) - 1, 0), len(edges) - 2)
    inside = (middle - edges[at]) / (edges[at + 1] - edges[at])
    x = places[at] + (places[at + 1] - places[at]) * inside
    words = f"median {inline.amount(middle)} {unit}"
    half = len(words) * inline.LETTER_PX / 2
    yield inline.line(_LEFT, bottom, right, bottom, "axis")
    yield inline.line(x, bottom, x, bottom + 5, "axis strong")
    yield inline.text(min(max(x, _LEFT + half), right - half), bottom + 30, words, "", "middle")
    yield inline.text(_LEFT, bottom + 16, inline.amount(edges[0]), "soft")
    yield inline.text(right, bottom + 16, inline.amount(edges[-1]), "soft", "end")
    for one in _breaks(edges):
        x, anchor = places[one], "start" if one == 1 else "end"
        yield inline.line(x, _TOP - 4, x, bottom + 8, "axis jump")
        shift = 2 if one == 1 else -2
        yield inline.text(x + shift, bottom + 16, inline.amount(edges[one]), "soft", anchor)
    yield inline.text(right, 11, f"highest bar: {most:,}", "soft", "end")
