"""A small site: every device is drawn, every cable is a line."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from math import hypot

from . import shapes
from .frame import LEFT, RIGHT, TOP, cable_line, framed
from .scene import Member, Scene

_BOX_HEIGHT = 46.0
_ROW_PITCH = 200.0
_GAP = 10.0
_MAX_BOX = 150.0
_INSET = 12.0
_APART = 4.0
_MAX_PER_PAIR = 3
_PANEL_PAD = 30.0
_HINT = "Each box is a device, each line a cable."


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a device's box stands: its middle, and its width."""

    x: float
    y: float
    width: float


def fits(scene: Scene) -> bool:
    """Whether every device has room for its name, and every cable for its line."""
    if any(hop.per_pair[-1] > _MAX_PER_PAIR for hop in scene.hops):
        return False
    columns = _columns(scene)
    slots = sum(columns.values())
    widest = max(len(members) for members in scene.rows.values())
    slot = (RIGHT - LEFT - 2 * _INSET * len(columns)) / max(slots, widest)
    longest = max(shapes.width_of(member.name) for member in scene.members)
    return longest + 4 <= min(_MAX_BOX, slot - _GAP)


def draw(scene: Scene) -> str:
    """The picture of a scene that fits."""
    rows = sorted(scene.rows, reverse=True)
    row_y = {row: TOP + _BOX_HEIGHT / 2 + 10 + at * _ROW_PITCH for at, row in enumerate(rows)}
    spots = _spots(scene, row_y)
    bottom = max(row_y.values()) + _BOX_HEIGHT / 2 + _PANEL_PAD + 20
    parts = [*_panels(scene, spots), *_wires(scene, spots)]
    parts += [part for member in scene.members for part in _box(member, spots[member.name])]
    return framed(scene, row_y, bottom, parts, _HINT)


def _columns(scene: Scene) -> dict[int | None, int]:
    """Slots that each pod needs: as many as its fullest row has devices."""
    found = Counter((member.pod, member.row) for member in scene.members if member.pod is not None)
    columns: dict[int | None, int] = {}
    for (pod, _), count in sorted(found.items(), key=lambda item: (item[0][0] or 0, item[0][1])):
        columns[pod] = max(columns.get(pod, 0), count)
    return columns


def _bands(scene: Scene) -> dict[int | None, tuple[float, float]]:
    """The left and right edge of each pod; devices without a pod have the whole width."""
    columns = _columns(scene)
    bands: dict[int | None, tuple[float, float]] = {None: (LEFT, RIGHT)}
    at, total = LEFT, sum(columns.values())
    for pod, count in columns.items():
        width = (RIGHT - LEFT) * count / total
        bands[pod] = at, at + width
        at += width
    return bands


def _spots(scene: Scene, row_y: dict[int, float]) -> dict[str, Spot]:
    bands, groups = _bands(scene), defaultdict[tuple[int, int | None], list[str]](list)
    for member in scene.members:
        groups[member.row, member.pod].append(member.name)
    spots = {}
    for (row, pod), names in groups.items():
        left, right = bands[pod]
        left, right = (left, right) if pod is None else (left + _INSET, right - _INSET)
        slot = (right - left) / len(names)
        for at, name in enumerate(names):
            spots[name] = Spot(left + slot * (at + 0.5), row_y[row], min(_MAX_BOX, slot - _GAP))
    return spots


def _panels(scene: Scene, spots: dict[str, Spot]) -> Iterator[str]:
    for pod, (left, right) in _bands(scene).items():
        if pod is None:
            continue
        middles = [spots[member.name].y for member in scene.members if member.pod == pod]
        top = min(middles) - _BOX_HEIGHT / 2 - _PANEL_PAD
        height = max(middles) + _BOX_HEIGHT / 2 + _PANEL_PAD - top
        yield shapes.rect(left + 4, top, right - left - 8, height, shapes.PANEL, shapes.RULE, 8)
        foot = top + height - 9
        is_pod = any(member.pod == pod and member.word == "node" for member in scene.members)
        name = f"pod {pod}" if is_pod else "beside the pods"
        yield shapes.text((left + right) / 2, foot, name, colour=shapes.FAINT, anchor="middle")


def _wires(scene: Scene, spots: dict[str, Spot]) -> Iterator[str]:
    """The cables of a pair run side by side; pairs spread along the edges of boxes by x."""
    pairs: dict[tuple[str, str], list[int | None]] = defaultdict(list)
    for wire in scene.across:
        pairs[wire.lower, wire.upper].append(wire.rail)
    ups, downs = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for lower, upper in pairs:
        ups[lower].append(upper)
        downs[upper].append(lower)
    for (lower, upper), rails in sorted(pairs.items(), key=lambda item: item[0]):
        x1 = _end(spots, lower, upper, ups[lower])
        x2 = _end(spots, upper, lower, downs[upper])
        y1, y2 = spots[lower].y - _BOX_HEIGHT / 2, spots[upper].y + _BOX_HEIGHT / 2
        for at, rail in enumerate(sorted(rails, key=lambda one: -1 if one is None else one)):
            shift = (at - (len(rails) - 1) / 2) * _APART
            yield cable_line(scene, rail, *_beside((x1, y1), (x2, y2), shift), 1.8)


def _beside(
    start: tuple[float, float], end: tuple[float, float], shift: float
) -> tuple[tuple[float, float], tuple[float, float]]:
    """A line moved sideways, and a little longer, so that it still ends under its boxes."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = hypot(dx, dy)
    across = -dy / length * shift, dx / length * shift
    along = dx / length * _APART, dy / length * _APART
    return (
        (start[0] + across[0] - along[0], start[1] + across[1] - along[1]),
        (end[0] + across[0] + along[0], end[1] + across[1] + along[1]),
    )


def _end(spots: dict[str, Spot], device: str, other: str, others: list[str]) -> float:
    order = sorted(set(others), key=lambda name: (spots[name].x, name))
    spot = spots[device]
    return spot.x - spot.width / 2 + spot.width * (order.index(other) + 1) / (len(order) + 1)


def _box(one: Member, spot: Spot) -> Iterator[str]:
    left, top = spot.x - spot.width / 2, spot.y - _BOX_HEIGHT / 2
    yield shapes.rect(left, top, spot.width, _BOX_HEIGHT, shapes.PAPER, shapes.EDGE, 6)
    under = one.profile if shapes.width_of(one.profile) < spot.width else ""
    yield shapes.text(spot.x, spot.y + (-2 if under else 5), one.name, anchor="middle", bold=True)
    if under:
        yield shapes.text(spot.x, spot.y + 15, under, colour=shapes.FAINT, anchor="middle")
