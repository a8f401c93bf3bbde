"""What a run says of each device, port and cable: what the pictures are marked by."""

from __future__ import annotations

import re
from collections.abc import Iterable

from inventory.plan import Plan
from validation.verdict import Finding, Verdict, worst

from .suspects import Suspect

_PORT = re.compile(r"([\w.-]+):([\w./-]+)")
_CABLE = re.compile(r"([\w.-]+:[\w./-]+) -- ([\w.-]+:[\w./-]+)")
_OF = re.compile(r"(?:^| of | on |^device |^pair | and |^path | > )([\w.-]+)")


def seen(plan: Plan, findings: Iterable[Finding]) -> dict[str, Verdict]:
    """The worst verdict of each suspect, of each port that an id names, and of each device.

    A device that answered something well is a pass until something points at the device itself.
    """
    found: dict[str, list[Verdict]] = {}
    for finding in findings:
        for key in _keys(plan, finding):
            found.setdefault(key, []).append(finding.verdict)
    return {key: worst(verdicts) for key, verdicts in found.items()}


def _keys(plan: Plan, one: Finding) -> set[str]:
    keys = {one.suspect} if one.suspect else set()
    parts = one.expectation.split(":")
    if len(parts) >= 3:
        keys.add(f"{parts[1]}:{parts[2]}")
    if one.verdict is Verdict.PASS:
        return keys | {one.device}
    keys |= {f"{a} -- {b}" for a, b in _CABLE.findall(one.suspect)}
    if " -- " not in one.suspect:
        keys |= {f"{device}:{port}" for device, port in _PORT.findall(one.suspect)}
    return keys | blamed(plan, one.suspect or f"device {one.device}")


def blamed(plan: Plan, suspect: str) -> set[str]:
    """The devices that a suspect is, or lies in; none for cables, ports and ways between."""
    if suspect.startswith(("cable ", "port ", "swapped ", "BGP ", "path ")):
        return set()
    names = {name.partition(":")[0] for name in _OF.findall(suspect)}
    names |= {device for device, _ in _PORT.findall(suspect)} | {suspect.partition(" ")[0]}
    return names & set(plan.devices)


def touched(plan: Plan, some: Iterable[Suspect]) -> dict[str, Verdict]:
    """Every device that a suspect names, cable ends too: for pictures without cables."""
    found: dict[str, list[Verdict]] = {}
    known = set(plan.devices)
    for suspect in some:
        for name in suspect.devices & known:
            found.setdefault(name, []).append(suspect.verdict)
    return {name: worst(verdicts) for name, verdicts in found.items()}


def numbered(plan: Plan, some: Iterable[Suspect]) -> dict[str, str]:
    """Cables that a suspect is, or whose port it is, with that suspect's number in the list."""
    at = {str(end): str(cable) for end, cable in plan.cable_at.items()}
    named: dict[str, str] = {}
    for number, one in enumerate(some, start=1):
        ends = [f"{device}:{port}" for device, port in _PORT.findall(one.name)]
        for cable in dict.fromkeys(at[end] for end in ends if end in at):
            named.setdefault(cable, f"{number}")
    return named
