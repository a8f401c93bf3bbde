"""A small fabric as a picture: devices by tier, every cable with what was measured of it."""

from __future__ import annotations

from collections.abc import Mapping

from markupsafe import Markup

from inventory.plan import Cable, Plan
from validation.verdict import Verdict

from .layers import MOST_IN_A_ROW, Wire, drawn


def fits(plan: Plan) -> bool:
    """Whether every device has room for its name, and cables can be told apart."""
    return bool(_rows(plan)) and max(map(len, _rows(plan))) <= MOST_IN_A_ROW


def topology(plan: Plan, seen: Mapping[str, Verdict], named: Mapping[str, str]) -> Markup:
    """`seen`: the worst verdict by device, port or cable; `named`: cables with a word at them."""
    rows = _rows(plan)
    devices = {name for row in rows for name in row}
    wires = [
        Wire(cable.a.device, cable.b.device, str(cable), _cable_verdict(cable, seen), word)
        for cable in plan.cables
        if cable.plane != "oob" and {cable.a.device, cable.b.device} <= devices
        for word in [named.get(str(cable), "")]
    ]
    bad = sum(wire.verdict is Verdict.FAIL for wire in wires)
    said = f"Fabric with measured cables: {len(wires)} cables, {bad} fail"
    return drawn(rows, wires, seen, said)


def _rows(plan: Plan) -> list[list[str]]:
    tiers = ("superspine", "spine", "leaf")
    rows = [[switch.name for switch in plan.switches if switch.tier == tier] for tier in tiers]
    return [row for row in (*rows, [node.name for node in plan.nodes]) if row]


def _cable_verdict(cable: Cable, seen: Mapping[str, Verdict]) -> Verdict | None:
    found = [seen[key] for key in (str(cable), str(cable.a), str(cable.b)) if key in seen]
    for verdict in (Verdict.FAIL, Verdict.INCONCLUSIVE, Verdict.PASS):
        if verdict in found:
            return verdict
    return None
