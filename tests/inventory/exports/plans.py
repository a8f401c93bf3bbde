"""Plans of many shapes for these tests: the lab, generated ones, and one of three tiers."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path

from hypothesis import strategies as st

from inventory import Plan, open_site
from inventory.plan import Cable, PortRef
from tests.generated.sites import Size, generated_site


@cache
def lab() -> Plan:
    return open_site("lab")


@cache
def shipped(site: str) -> Plan:
    return open_site(site)


@cache
def generated(size: Size) -> Plan:
    with tempfile.TemporaryDirectory() as folder:
        return open_site(generated_site(Path(folder), size))


def large() -> Plan:
    return generated(Size(pods=20, spines=16, rails=8, nodes_per_pod=16, uplinks=2))


@cache
def three_tiers(
    pods: int, spines_per_pod: int, rails: int, nodes: int, missing: int = 0, units: int = 1
) -> Plan:
    """A generated plan whose spines belong to pods, below two superspines.

    `missing` nodes are not built in the last pod; the leaves of `units` generated pods share
    their spines. Only what exports read is made whole.
    """
    size = Size(pods=pods * units, spines=pods * spines_per_pod, rails=rails, nodes_per_pod=nodes)
    plan = generated(size)
    spines = [one for one in plan.switches if one.tier == "spine"]
    pod = {one.name: at // spines_per_pod + 1 for at, one in enumerate(spines)}
    tops = [replace(spines[0], name=f"superspine-g{n}-1", tier="superspine") for n in (1, 2)]
    gone = {n.name for n in plan.nodes if n.pod == pods * units and n.position > nodes - missing}
    kept = [
        cable
        for cable in plan.cables
        if not gone & {cable.a.device, cable.b.device}
        if cable.plane == "oob"
        or cable.b.device not in pod
        or _pod_of_units(plan, cable.a.device, units) == pod[cable.b.device]
    ]
    above = [
        Cable(PortRef(one.name, f"up{at}"), PortRef(top.name, f"swp{n}"), "compute", 0.4, 60)
        for n, one in enumerate(spines, start=1)
        for at, top in enumerate(tops)
    ]
    switches = [
        replace(one, pod=pod[one.name]) if one.name in pod else one for one in plan.switches
    ]
    return replace(
        plan,
        switches=tuple(sorted([*switches, *tops], key=lambda one: one.name)),
        nodes=tuple(one for one in plan.nodes if one.name not in gone),
        cables=tuple(sorted([*kept, *above])),
    )


def _pod_of_units(plan: Plan, leaf: str, units: int) -> int:
    return ((plan.switch[leaf].pod or 1) - 1) // units + 1


@st.composite
def sizes(draw: st.DrawFn) -> Size:
    return Size(
        pods=draw(st.integers(1, 12)),
        spines=draw(st.integers(1, 5)),
        rails=draw(st.integers(1, 9)),
        nodes_per_pod=draw(st.integers(1, 12)),
        uplinks=draw(st.integers(1, 2)),
        numbered=draw(st.booleans()),
    )


def table(text: str) -> list[dict[str, str]]:
    """A CSV's rows by column; every row has as many cells as the header."""
    header, *lines = text.rstrip("\n").split("\n")
    names = header.split(",")
    rows = [line.split(",") for line in lines]
    assert all(len(row) == len(names) for row in rows)
    return [dict(zip(names, row, strict=True)) for row in rows]
