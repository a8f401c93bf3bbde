"""Suspects: the parts to go and look at, what points at each, how many parts it is, how sure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from validation.verdict import Finding, Verdict, worst

_LINK = re.compile(r"([\w.-]+):([\w./-]+) -- ([\w.-]+):([\w./-]+)")
_ENDS = re.compile(r"([\w.-]+):([\w./-]+)")
# What `validation/locating/suspect.py` ends its words with: how many are alike, what, how sure.
_TOLD = re.compile(
    r"\[1 (?:of (?P<alike>\d+) alike|suspect): (?P<kind>[^;\]]+); (?P<sure>[^\]]+)\]$"
)
_NAME = re.compile(r"[A-Za-z][\w.-]*")


@dataclass(frozen=True, slots=True)
class Suspect:
    """One part to go and look at, and everything that points at it."""

    name: str
    verdict: Verdict
    findings: tuple[Finding, ...]

    @property
    def devices(self) -> frozenset[str]:
        """The devices that its name speaks of."""
        return frozenset(_NAME.findall(self.name)) | frozenset(
            end for link in _LINK.findall(self.name) for end in (link[0], link[2])
        )

    @property
    def hints(self) -> tuple[str, ...]:
        """What to do next, each sentence once."""
        return tuple(dict.fromkeys(finding.hint for finding in self.findings if finding.hint))


@dataclass(frozen=True, slots=True)
class Weight:
    """What speaks for a suspect, and how many parts it is that evidence cannot tell apart.

    `against` expectations point at it; `passing` are about the same ports or device and pass.
    """

    parts: int
    made_of: str
    against: int
    passing: int
    told: str = ""

    @property
    def sure(self) -> str:
        """How sure, in words: the locator's own, else by what points at it and what does not."""
        points = "expectation points" if self.against == 1 else "expectations point"
        said = f"{self.against} {points} at it, {self.passing} about it pass"
        if self.told:
            return f"{self.told}: {said}"
        if self.against > 1:
            return f"{'strong' if not self.passing else 'fair'}: {said}"
        return f"{'fair' if not self.passing else 'weak'}: {said}"


def suspects(findings: Iterable[Finding]) -> tuple[Suspect, ...]:
    """What did not pass, grouped by suspect, the most pointed-at first."""
    groups: dict[str, list[Finding]] = {}
    for one in findings:
        if one.verdict is not Verdict.PASS:
            groups.setdefault(one.suspect or one.device, []).append(one)
    named = [
        Suspect(name, worst([finding.verdict for finding in group]), tuple(group))
        for name, group in groups.items()
    ]
    return tuple(
        sorted(
            named, key=lambda one: (one.verdict is not Verdict.FAIL, -len(one.findings), one.name)
        )
    )


def weights(some: Iterable[Suspect], findings: Iterable[Finding]) -> dict[str, Weight]:
    """By suspect's name: the parts it stands for, and what speaks for and against it."""
    passing: dict[str, int] = {}
    for finding in findings:
        if finding.verdict is Verdict.PASS:
            for key in {finding.device, ":".join(finding.expectation.split(":")[1:3])}:
                passing[key] = passing.get(key, 0) + 1
    return {suspect.name: _weight(suspect, _about(suspect.name, passing)) for suspect in some}


def _weight(one: Suspect, passing: int) -> Weight:
    against = len(one.findings)
    said = next((hit for finding in one.findings if (hit := _TOLD.search(finding.found))), None)
    if said is None:
        return Weight(*_parts(one.name), against, passing)
    if said["alike"]:
        return Weight(int(said["alike"]), said["kind"], against, passing, said["sure"])
    parts, made_of = _parts(one.name)
    return Weight(parts, made_of or said["kind"], against, passing, said["sure"])


def _about(name: str, passing: dict[str, int]) -> int:
    keys = {f"{device}:{port}" for device, port in _ENDS.findall(name)}
    if not keys:
        kind, _, rest = name.partition(" ")
        keys = {rest} if kind == "device" else {name}
    return sum(passing.get(key, 0) for key in keys)


def _parts(name: str) -> tuple[int, str]:
    """How many parts a name stands for, and which: loads cannot tell those of a link apart."""
    links = len(_LINK.findall(name))
    kind = name.partition(" ")[0]
    if links:
        each = "port or NIC and optic at each end, and the cable between"
        return 5 * links, f"{each}: counters, optics or a swap tell them apart"
    if kind == "pair":
        return 2, "two nodes: a load of each with a third one tells them apart"
    if kind == "path":
        return 2, "two nodes, and all that lies between them"
    return 1, ""
