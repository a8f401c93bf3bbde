"""BIOS attributes of a node: wanted by the site, pending for its next start, running now.

A BIOS overrules the kernel: C-states, NUMA nodes per socket, IOMMU and SR-IOV are its to give.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from inventory.plan import Node, Plan
from inventory.reading.fields import Unreadable
from validation.parse.host.redfish_bios import FoundBios, found_bios
from validation.verdict import Finding, Verdict

Value = str | int | bool
SUFFIX = ".bios.json"
STAGE, CHECK = 10, "bios"
# What stands where nothing was said.
ABSENT = "-"
_MOST = 4


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
    return {setting.attribute: setting.value for setting in plan.bios if setting.kind == kind}


def judge(wanted: Mapping[str, Value], found: FoundBios) -> tuple[BiosRow, ...]:
    """Return a row for each wanted attribute, sorted by name."""
    return tuple(_row(name, value, found) for name, value in sorted(wanted.items()))


def of_another(node: Node, found: FoundBios) -> str:
    """Why the evidence is not this node's; empty where nothing speaks against it."""
    return "" if found.node == node.name else f"this is the evidence of {found.node}"


def findings(plan: Plan, texts: Mapping[str, str], nodes: frozenset[str]) -> tuple[Finding, ...]:
    """Stage 10's answers from saved evidence, by node; empty where none was given.

    Asked of `nodes`, and of those that there is evidence of, as far as the site wants anything of
    their BIOS. A node without evidence is inconclusive.
    """
    asked = [
        node for node in plan.nodes if node.name in nodes | set(texts) and wanted_of(plan, node)
    ]
    return tuple(_finding(plan, node, texts.get(node.name)) for node in asked if texts)


def _finding(plan: Plan, node: Node, text: str | None) -> Finding:
    verdict, told = _told(plan, node, text)
    return Finding(
        STAGE,
        CHECK,
        node.name,
        f"{CHECK}:{node.name}",
        verdict,
        "" if verdict is Verdict.PASS else f"BIOS of {node.name}",
        told,
        "its BIOS has the attributes that the site wants",
        "" if verdict is Verdict.PASS else f"`railbed bios {node.name}`",
    )


def _told(plan: Plan, node: Node, text: str | None) -> tuple[Verdict, str]:
    """The worst of a node's rows, and in words those that are no pass."""
    if text is None:
        return Verdict.INCONCLUSIVE, f"there is no evidence of it: {node.name}{SUFFIX}"
    try:
        found = found_bios(text)
    except Unreadable as error:
        return Verdict.INCONCLUSIVE, str(error)
    if why := of_another(node, found):
        return Verdict.INCONCLUSIVE, why
    rows = [row for row in judge(wanted_of(plan, node), found) if row.verdict is not Verdict.PASS]
    fails = [row for row in rows if row.verdict is Verdict.FAIL]
    words = [
        f"{row.attribute}: found {row.running}, wanted {row.wanted}: {row.says}"
        for row in (fails or rows)
    ]
    told = "; ".join(words[:_MOST]) + (f"; and {len(words) - _MOST} more" * (len(words) > _MOST))
    said = f"its BMC said so at {found.time}"
    return (fails or rows)[0].verdict if rows else Verdict.PASS, f"{told}; {said}" if told else said


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
