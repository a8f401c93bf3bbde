"""A small fabric as a picture: devices by tier, every cable with what was measured of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from inventory.plan import Cable, Plan
from validation.verdict import Verdict

from . import inline

MOST_IN_A_ROW = 16
_ROW, _TOP, _BOX_H, _GAP = 110, 22, 30, 6
_SIGNS = {Verdict.FAIL: "✗", Verdict.INCONCLUSIVE: "?"}


@dataclass(frozen=True, slots=True)
class _Spot:
    x: float
    y: float
    width: float


def fits(plan: Plan) -> bool:
    """Whether every device has room for its name, and cables can be told apart."""
    return bool(_rows(plan)) and max(map(len, _rows(plan))) <= MOST_IN_A_ROW


def topology(plan: Plan, seen: Mapping[str, Verdict], named: Mapping[str, str]) -> Markup:
    """`seen`: the worst verdict by device, port or cable; `named`: cables with a word at them."""
    rows = _rows(plan)
    spots, width = _spots(rows)
    cables = [cable for cable in plan.cables if cable.plane != "oob" and cable.a.device in spots]
    cables = [cable for cable in cables if cable.b.device in spots]
    verdicts = {str(cable): _cable_verdict(cable, seen) for cable in cables}
    lines = [_line(cable, spots, verdicts[str(cable)]) for cable in cables]
    signs = [sign for cable in cables for sign in _sign(cable, spots, verdicts[str(cable)], named)]
    boxes = [part for row in rows for name in row for part in _box(name, spots[name], seen)]
    high = _TOP + _ROW * (len(rows) - 1) + _BOX_H + 10
    bad = sum(verdict is Verdict.FAIL for verdict in verdicts.values())
    said = f"Fabric with measured cables: {len(cables)} cables, {bad} fail"
    return inline.picture(width, high, said, [*lines, *boxes, *signs])


def _rows(plan: Plan) -> list[list[str]]:
    tiers = ("superspine", "spine", "leaf")
    rows = [[switch.name for switch in plan.switches if switch.tier == tier] for tier in tiers]
    return [row for row in (*rows, [node.name for node in plan.nodes]) if row]


def _spots(rows: Sequence[Sequence[str]]) -> tuple[dict[str, _Spot], float]:
    """Boxes as wide as their names need; the widest row says how wide the picture is."""
    boxes = [max(len(name) for name in row) * inline.LETTER_PX + 14 for row in rows]
    needed = max((box + _GAP) * len(row) for box, row in zip(boxes, rows, strict=True))
    width = max(needed, float(inline.PHONE_PX))
    spots = {
        name: _Spot(width * (at + 0.5) / len(row), _TOP + _ROW * level, box)
        for level, (row, box) in enumerate(zip(rows, boxes, strict=True))
        for at, name in enumerate(row)
    }
    return spots, width


def _cable_verdict(cable: Cable, seen: Mapping[str, Verdict]) -> Verdict | None:
    found = [seen[key] for key in (str(cable), str(cable.a), str(cable.b)) if key in seen]
    for verdict in (Verdict.FAIL, Verdict.INCONCLUSIVE, Verdict.PASS):
        if verdict in found:
            return verdict
    return None


def _ends(cable: Cable, spots: Mapping[str, _Spot]) -> tuple[_Spot, _Spot]:
    a, b = spots[cable.a.device], spots[cable.b.device]
    return (b, a) if a.y > b.y else (a, b)


def _line(cable: Cable, spots: Mapping[str, _Spot], verdict: Verdict | None) -> Markup:
    a, b = _ends(cable, spots)
    return Markup(
        '<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"><title>{}</title></line>'
    ).format(
        _css(verdict),
        inline.number(a.x),
        inline.number(a.y + _BOX_H / 2),
        inline.number(b.x),
        inline.number(b.y - _BOX_H / 2),
        f"{cable}: {_css(verdict)}",
    )


def _sign(
    cable: Cable,
    spots: Mapping[str, _Spot],
    verdict: Verdict | None,
    named: Mapping[str, str],
) -> list[Markup]:
    """A cross or a question mark upon the cable; the suspect's number beside it."""
    word = named.get(str(cable), "")
    if verdict not in _SIGNS or (verdict is Verdict.INCONCLUSIVE and not word):
        return []
    a, b = _ends(cable, spots)
    # Not in the middle, where cables cross: nearer to the lower end.
    x, y = a.x + (b.x - a.x) * 0.62, a.y + (b.y - a.y) * 0.62
    shown = f"{_SIGNS[verdict]} {word}".strip()
    wide = len(shown) * inline.LETTER_PX + 10
    return [
        inline.rect(x - wide / 2, y - 9, wide, 18, f"badge {verdict}", str(cable), 9),
        inline.text(x, y + 4, shown, f"on-{verdict}", "middle"),
    ]


def _box(name: str, spot: _Spot, seen: Mapping[str, Verdict]) -> list[Markup]:
    verdict = seen.get(name)
    x, y = spot.x - spot.width / 2, spot.y - _BOX_H / 2
    parts = [
        inline.rect(
            x, y, spot.width, _BOX_H, f"box {_css(verdict)}", f"{name}: {_css(verdict)}", 6
        ),
        inline.text(spot.x, spot.y + 4, name, "", "middle"),
    ]
    if verdict in _SIGNS:
        parts.append(inline.rect(x + spot.width - 9, y - 8, 16, 16, f"badge {verdict}", "", 8))
        sign = inline.text(x + spot.width - 1, y + 4, _SIGNS[verdict], f"on-{verdict}", "middle")
        parts.append(sign)
    return parts


def _css(verdict: Verdict | None) -> str:
    return str(verdict) if verdict else "unseen"
