"""What must be true while many NICs send to one. Pure.

PFC, ECN and CNPs are asked only where the plan has them (`lossless.mode`) and NICs with RDMA use
them; elsewhere nothing is asked of them and nothing passes: rates, shares and the victim are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from inventory.plan import Plan
from switch_configs.answers import answers
from validation.expectation import Expectation

from .incast import groups, slots


@dataclass(frozen=True, slots=True)
class OfIncast(Expectation):
    """Of incast `number` into a leaf's NICs of one rail; its turn lies with the leaf's first node.

    `scope` is what the schedule was made for.
    """

    rail: int
    leaf: str
    number: int
    scope: frozenset[str]


@dataclass(frozen=True, slots=True)
class IncastExpected(OfIncast):
    """The receiver gets its line rate from all senders together, each its part of it."""

    stage: ClassVar[int] = 60
    check: ClassVar[str] = "incast"


@dataclass(frozen=True, slots=True)
class VictimExpected(OfIncast):
    """A flow to another receiver keeps its share meanwhile."""

    stage: ClassVar[int] = 60
    check: ClassVar[str] = "victim"


@dataclass(frozen=True, slots=True)
class AloneExpected(OfIncast):
    """A flow that is alone loses nothing and is marked by nobody."""

    stage: ClassVar[int] = 60
    check: ClassVar[str] = "alone"


@dataclass(frozen=True, slots=True)
class MarksExpected(OfIncast):
    """DCQCN works: switches mark, the receiver tells, senders slow down."""

    stage: ClassVar[int] = 60
    check: ClassVar[str] = "dcqcn"


@dataclass(frozen=True, slots=True)
class LosslessHoldsExpected(OfIncast):
    """Nothing of the lossless class is dropped, and nothing else pauses."""

    stage: ClassVar[int] = 60
    check: ClassVar[str] = "nodrop"


def expectations(plan: Plan, configured: frozenset[str]) -> Iterator[Expectation]:
    """Those of every incast that can run once `configured` is in place."""
    by_rail = groups(plan, configured)
    for rail, leaf, number in slots(plan, configured):
        first = by_rail[rail][leaf][0]
        where = f"rail {rail} behind {leaf}"
        name = f"rail{rail}:{leaf}:{number}"
        rest = (rail, leaf, number, configured)
        says = f"many NICs fill one of {where}, each with its part"
        yield IncastExpected(f"incast:{name}", first.node, says, *rest)
        says = f"a flow beside an incast into {where} keeps its share"
        yield VictimExpected(f"victim:{name}", first.node, says, *rest)
        nic = next(one for one in plan.node[first.node].rails if one.index == rail)
        if not nic.rdma_device or plan.lossless.mode == "marking-only":
            continue
        says = f"one flow of {where} loses nothing and is not marked"
        yield AloneExpected(f"alone:{name}", first.node, says, *rest)
        says = f"an incast into {where} is marked, told to its senders, and they slow down"
        yield MarksExpected(f"dcqcn:{name}", first.node, says, *rest)
        if plan.lossless.mode == "full":
            says = f"an incast into {where} drops nothing of the lossless class and pauses it alone"
            yield LosslessHoldsExpected(f"nodrop:{name}", first.node, says, *rest)


def unanswered(plan: Plan) -> Iterator[str]:
    """The systems of rails' switches whose ports do not tell what is asked of an incast."""
    if plan.lossless.mode == "marking-only" or not any(
        nic.rdma_device for node in plan.nodes for nic in node.rails
    ):
        return
    rails = [one for one in plan.switches if one.plane == "compute"]
    for system in sorted({one.dialect for one in rails}):
        known = answers(system).counters
        tells = known.tells if known else frozenset[str]()
        if not tells & {"group_drops", "ingress_drops"}:
            yield (
                f"cannot show that {system} drops nothing of the lossless class: no counter of "
                "drops at a full ingress buffer is read there"
            )
        joined = any(
            one.dialect == system and port.peer.device in plan.switch
            for one in rails
            for port in one.ports
        )
        if plan.lossless.mode == "full" and "global_pause" not in tells and joined:
            yield (
                f"cannot show that no whole port is paused between two switches of {system}: no "
                "counter of pause frames without a priority (IEEE 802.3x) is read there"
            )
