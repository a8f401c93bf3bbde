"""BIOS attributes of a node: wanted by the site, pending for its next start, running now.

A BIOS overrules the kernel: C-states, NUMA nodes per socket, IOMMU and SR-IOV are its to give.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from inventory.plan import Node, Plan

from .parse.redfish_bios import FoundBios
from .verdict import Verdict

Value = str | int | bool
# What stands where nothing was said.
ABSENT = "-"


@dataclass(frozen=True, slots=True)
class BiosRow:
    """One attribute in three columns, as JSON writes its values; `says` why it is no pass."""

    attribute: str
    wanted: str
    pending: str
    running: str
    verdict: Verdict
    says: str = ""


def wanted_of(plan: Plan, node: Node) -> dict[str, Value]:
    """What the site wants of a node's BIOS, by attribute."""
    kind = f"node {node.profile}"
    return {one.attribute: one.value for one in plan.bios if one.kind == kind}


def judge(wanted: Mapping[str, Value], found: FoundBios) -> tuple[BiosRow, ...]:
    """Return a row for each wanted attribute, sorted by name."""
    return tuple(_row(name, value, found) for name, value in sorted(wanted.items()))


def of_another(node: Node, found: FoundBios) -> str:
    """Why the evidence is not this node's; empty where nothing speaks against it."""
    return "" if found.node == node.name else f"this is the evidence of {found.node}"


def _row(name: str, value: Value, found: FoundBios) -> BiosRow:
    pending = found.pending if found.pending is not None else {}
    verdict, says = _verdict(name, value, found.running, pending)
    return BiosRow(
        attribute=name,
        wanted=json.dumps(value),
        pending=_shown(pending, name),
        running=_shown(found.running, name),
        verdict=verdict,
        says=says,
    )


def _shown(values: Mapping[str, object], name: str) -> str:
    return json.dumps(values[name], sort_keys=True) if name in values else ABSENT


def _verdict(
    name: str, value: Value, running: Mapping[str, object], pending: Mapping[str, object]
) -> tuple[Verdict, str]:
    if name not in running:
        return Verdict.FAIL, "this BIOS shows no such attribute: its name, or an option above it"
    is_due = name in pending and not same(pending[name], running[name])
    if is_due and same(value, pending[name]):
        return Verdict.INCONCLUSIVE, "a reboot is required: it is pending"
    if same(value, running[name]):
        if is_due:
            return Verdict.FAIL, "the next reboot takes it away"
        return Verdict.PASS, ""
    # Of a value that it does not know, a service says null (DSP0266, "null value").
    if not isinstance(running[name], str | int | float):
        return Verdict.INCONCLUSIVE, "the BMC does not say its value"
    return Verdict.FAIL, " ".join(_why(value, running[name]))


def same(one: object, other: object) -> bool:
    """Equal in value and in kind: `1`, `true` and `"1"` are three values, `1` and `1.0` one."""
    kinds = [bool if isinstance(each, bool) else type(each) for each in (one, other)]
    numbers = all(kind in (int, float) for kind in kinds)
    return one == other and (kinds[0] is kinds[1] or numbers)


def _why(value: Value, running: object) -> Iterator[str]:
    yield "it has another value"
    if str(value).lower() == str(running).lower():
        yield f"(write it in fabric.yml as the BMC does: {json.dumps(running)})"
