"""A large fabric: a tile a pod, in it a square a device, by tier; what is bad has a sign."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from inventory.plan import Plan
from validation.verdict import Verdict

from . import inline

_SIDE, _PITCH, _PER_ROW, _LABEL = 8, 9, 16, 15
_WIDTH = _PER_ROW * _PITCH + 6
_SIGNS = {Verdict.FAIL: "✗", Verdict.INCONCLUSIVE: "?"}
_MOST_NAMED = 6


@dataclass(frozen=True, slots=True)
class Tile:
    """One pod, or what stands above or beside them: devices by tier, the picture, and words."""

    name: str
    drawing: Markup
    bad: int
    said: str


def tiles(plan: Plan, seen: Mapping[str, Verdict]) -> tuple[Tile, ...]:
    """The pods with something bad first, then the others, by number; what is above them before."""
    made = [tile(name, rows, seen) for name, rows in _groups(plan).items()]
    return tuple(sorted(made, key=lambda one: one.bad == 0))


def _groups(plan: Plan) -> dict[str, dict[str, list[str]]]:
    groups: dict[str, dict[str, list[str]]] = {}
    for switch in sorted(plan.switches, key=lambda one: (one.pod is not None, one.pod or 0)):
        where = f"pod {switch.pod}" if switch.pod else f"{switch.plane}, above the pods"
        if switch.plane != "compute":
            where = f"{switch.plane} plane"
        groups.setdefault(where, {}).setdefault(switch.tier, []).append(switch.name)
    for node in sorted(plan.nodes, key=lambda one: (one.pod == 0, one.pod)):
        where = f"pod {node.pod}" if node.pod else "servers beside the pods"
        groups.setdefault(where, {}).setdefault("node", []).append(node.name)
    order = ("superspine", "spine", "leaf", "node")
    return {
        where: {tier: rows[tier] for tier in order if tier in rows}
        for where, rows in sorted(groups.items(), key=lambda item: _number(item[0]))
    }


def _number(where: str) -> tuple[int, int, str]:
    word, _, rest = where.partition(" ")
    return (1, int(rest), "") if word == "pod" and rest.isdigit() else (0, 0, where)


def tile(name: str, rows: Mapping[str, Sequence[str]], seen: Mapping[str, Verdict]) -> Tile:
    """Devices of one part of a fabric, by tier."""
    parts, y = list[Markup](), 4.0
    for tier, names in rows.items():
        parts.append(inline.text(0, y + 9, inline.many(len(names), tier), "soft"))
        parts += _squares(names, y + _LABEL, seen)
        y += _LABEL + -(-len(names) // _PER_ROW) * _PITCH + 4
    every = [one for names in rows.values() for one in names]
    bad = [one for one in every if seen.get(one) in _SIGNS]
    counts = ", ".join(inline.many(len(names), tier) for tier, names in rows.items())
    label = f"{name}: {counts}; {len(bad)} not as expected"
    return Tile(name, inline.picture(_WIDTH, y, label, parts), len(bad), _said(bad, seen))


def _said(bad: Sequence[str], seen: Mapping[str, Verdict]) -> str:
    worst_first = sorted(bad, key=lambda one: (seen[one] is not Verdict.FAIL, one))
    named = ", ".join(f"{_SIGNS[seen[one]]} {one}" for one in worst_first[:_MOST_NAMED])
    more = len(bad) - _MOST_NAMED
    return f"{named} and {more} more" if more > 0 else named


def _squares(names: Sequence[str], top: float, seen: Mapping[str, Verdict]) -> Iterator[Markup]:
    """What is alike is one path; what is bad lies upon it, larger, with a sign and a name."""
    alike: dict[str, list[str]] = {}
    bad: list[Markup] = []
    for at, name in enumerate(names):
        x, y = 2 + at % _PER_ROW * _PITCH, top + at // _PER_ROW * _PITCH
        verdict = seen.get(name)
        if verdict in _SIGNS:
            css, wide = f"cell {verdict}", _SIDE + 4
            bad.append(inline.rect(x - 2, y - 2, wide, wide, css, f"{name}: {verdict}", 2))
            sign = f"mark small on-{verdict}"
            bad.append(inline.text(x + _SIDE / 2, y + _SIDE, _SIGNS[verdict], sign, "middle"))
        else:
            css = "cell shade3" if verdict else "cell unseen"
            alike.setdefault(css, []).append(inline.box_path(x, y, _SIDE))
    for css, shapes in sorted(alike.items()):
        yield inline.path(shapes, css)
    yield from bad
