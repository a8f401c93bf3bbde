"""What soak and drills must show. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from inventory.plan import Plan
from switch_configs import is_typed
from validation.expectation import Expectation
from validation.probes.planned import Probe

from .drills import Drill, crosses, drills, refused
from .terms import soak
from .work import soaked, steady_devices


@dataclass(frozen=True, slots=True)
class StreamExpected(Expectation):
    """A paced stream loses nothing, and answers in time, in every interval."""

    stage: ClassVar[int] = 80
    check: ClassVar[str] = "soak"
    probe: Probe


@dataclass(frozen=True, slots=True)
class SteadyExpected(Expectation):
    """No link flapped, no session was reset, no unit failed, the kernel complained of nothing."""

    stage: ClassVar[int] = 80
    check: ClassVar[str] = "steady"
    ports: tuple[str, ...]
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DetectExpected(Expectation):
    """What is pulled is noticed in time by the device itself."""

    stage: ClassVar[int] = 80
    check: ClassVar[str] = "detect"
    drill: Drill


@dataclass(frozen=True, slots=True)
class SwitchOverExpected(Expectation):
    """Streams across what is pulled go on over another path in time."""

    stage: ClassVar[int] = 80
    check: ClassVar[str] = "switchover"
    drill: Drill


@dataclass(frozen=True, slots=True)
class BackExpected(Expectation):
    """After a drill everything is as it was."""

    stage: ClassVar[int] = 80
    check: ClassVar[str] = "back"
    drill: Drill


def expectations(plan: Plan, configured: frozenset[str]) -> Iterator[Expectation]:
    """Every stream, every device, every drill."""
    asked = soak()
    for probe in soaked(plan, configured):
        way = f"from {probe.sender} to {probe.receiver} on rail {probe.rail}"
        says = f"for {asked.seconds} s no packet is lost {way}"
        yield StreamExpected(f"soak:{probe.id}", probe.sender, says, probe)
    for name in steady_devices(plan, configured):
        keys = (
            tuple(session.key for session in plan.switch[name].sessions)
            if name in plan.switch
            else ()
        )
        typed = name in plan.switch and is_typed(plan.switch[name].dialect)
        says = (
            f"nothing flaps{' or' if typed else ','} resets{'' if typed else ' or fails'} meanwhile"
        )
        yield SteadyExpected(f"steady:{name}", name, says, _ports(plan, name), keys)
    for drill in drills(plan, configured):
        name, gap = drill.device, f"{drill.gap_ms:g} ms"
        if drill.how != "drain":
            says = f"{name} notices {drill.what} within {drill.detect_ms:g} ms"
            yield DetectExpected(f"detect:{drill.id}", name, says, drill)
        says = f"with {drill.what}, no flow waits longer than {gap}"
        yield SwitchOverExpected(f"switchover:{drill.id}", name, says, drill)
        says = f"after {drill.what}, all is as it was"
        yield BackExpected(f"back:{drill.id}", name, says, drill)


def _ports(plan: Plan, name: str) -> tuple[str, ...]:
    if name in plan.switch:
        return tuple(sorted(port.name for port in plan.switch[name].ports))
    return tuple(sorted(nic.port for nic in plan.node[name].rails))


def unasked(plan: Plan) -> Iterator[str]:
    """That nothing is pulled, where no flow would notice."""
    if any(node.rails for node in plan.nodes) and not crosses(plan):
        yield "pulls nothing: no flow of a rail crosses leaves, so no cable has another way for it"


def unanswered(plan: Plan) -> Iterator[str]:
    """The drills that are refused."""
    for one in sorted(refused(plan)):
        yield f"refuses a drill: {one}"
