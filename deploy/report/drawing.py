"""The fabric as a picture: devices by tier, cables coloured by what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from inventory.plan import Cable, Plan
from validation.verdict import Finding, Verdict, worst

_WIDTH, _ROW, _TOP, _BOX_W, _BOX_H = 960, 118, 34, 104, 30
_MAX_PER_ROW = 16


@dataclass(frozen=True, slots=True)
class _Spot:
    x: float
    y: float


def fabric_svg(plan: Plan, findings: Iterable[Finding]) -> Markup:
    """An SVG of the compute plane, or nothing where it would be too wide to read."""
    rows = _rows(plan)
    if max(len(row) for row in rows) > _MAX_PER_ROW:
        return Markup("")
    spots = _spots(rows)
    seen = _verdicts(findings)
    cables = [one for one in plan.cables if one.plane != "oob"]
    lines = [_line(one, spots, _cable_verdict(one, seen)) for one in cables]
    boxes = [_box(name, spots[name], seen.get(name)) for row in rows for name in row]
    height = _TOP + _ROW * (len(rows) - 1) + _BOX_H + 14
    body = Markup("").join([*lines, *boxes])
    return Markup(
        '<svg viewBox="0 0 {} {}" role="img" aria-label="Fabric with measured cables">{}</svg>'
    ).format(_WIDTH, height, body)


def _rows(plan: Plan) -> list[list[str]]:
    spines = [one.name for one in plan.switches if one.tier != "leaf"]
    leaves = [one.name for one in plan.switches if one.tier == "leaf"]
    nodes = [one.name for one in plan.nodes]
    return [row for row in (spines, leaves, nodes) if row]


def _spots(rows: Sequence[Sequence[str]]) -> dict[str, _Spot]:
    return {
        name: _Spot(_WIDTH * (index + 0.5) / len(row), _TOP + _ROW * level)
        for level, row in enumerate(rows)
        for index, name in enumerate(row)
    }


def _verdicts(findings: Iterable[Finding]) -> dict[str, Verdict]:
    """The worst verdict of each suspect and of each port named in an expectation."""
    found: dict[str, list[Verdict]] = {}
    for one in findings:
        keys = {one.suspect} if one.suspect else set()
        parts = one.expectation.split(":")
        if len(parts) >= 3:
            keys.add(f"{parts[1]}:{parts[2]}")
        if one.verdict is Verdict.PASS:
            keys.add(one.device)
        for key in keys:
            found.setdefault(key, []).append(one.verdict)
    return {key: worst(verdicts) for key, verdicts in found.items()}


def _cable_verdict(cable: Cable, seen: dict[str, Verdict]) -> Verdict | None:
    keys = (str(cable), str(cable.a), str(cable.b))
    verdicts = [seen[key] for key in keys if key in seen]
    return worst(verdicts) if verdicts else None


def _line(cable: Cable, spots: dict[str, _Spot], verdict: Verdict | None) -> Markup:
    a, b = spots[cable.a.device], spots[cable.b.device]
    if a.y > b.y:
        a, b = b, a
    return Markup(
        '<line class="{}" x1="{:.0f}" y1="{:.0f}" x2="{:.0f}" y2="{:.0f}"><title>{}</title></line>'
    ).format(
        _css(verdict), a.x, a.y + _BOX_H / 2, b.x, b.y - _BOX_H / 2, f"{cable}: {_css(verdict)}"
    )


def _box(name: str, spot: _Spot, verdict: Verdict | None) -> Markup:
    return Markup(
        '<g class="{}"><rect x="{:.0f}" y="{:.0f}" width="{}" height="{}" rx="6"/>'
        '<text x="{:.0f}" y="{:.0f}">{}</text></g>'
    ).format(
        _css(verdict),
        spot.x - _BOX_W / 2,
        spot.y - _BOX_H / 2,
        _BOX_W,
        _BOX_H,
        spot.x,
        spot.y + 4,
        escape(name),
    )


def _css(verdict: Verdict | None) -> str:
    return str(verdict) if verdict else "unseen"
