"""What soak and drills must show. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from inventory.plan import Plan
from switch_configs import is_typed
from validation.expectation import Expectation
from validation.probes.planned import Probe

from .drills import Drill, crosses, drills, guarded, refused
from .lengths import length_in
from .terms import Length
from .work import counted_devices, soaked, steady_devices


@dataclass(frozen=True, slots=True)
class StreamExpected(Expectation):
    """A paced stream loses nothing, and answers in time, in every interval."""

    stage: ClassVar[int] = 80
    check: ClassVar[str] = "soak"
    probe: Probe
    length: Length


@dataclass(frozen=True, slots=True)
class SteadyExpected(Expectation):
    """No link flapped, no session was reset, no unit failed, the kernel complained of nothing."""

    stage: ClassVar[int] = 80
    check: ClassVar[str] = "steady"
    ports: tuple[str, ...]
    keys: tuple[str, ...]
    length: Length


@dataclass(frozen=True, slots=True)
class LossExpected(Expectation):
    """Of the frames that `devices` sent, hardly any is lost, by the counters of their ports."""

    stage: ClassVar[int] = 80
    check: ClassVar[str] = "loss"
    devices: tuple[str, ...]
    length: Length


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


def expectations(
    plan: Plan, configured: frozenset[str], words: Iterable[str] = ()
) -> Iterator[Expectation]:
    """Every stream, every device, every drill. `words` say how long the fabric was watched."""
    asked = length_in(words)
    for probe in soaked(plan, configured):
        way = f"from {probe.sender} to {probe.receiver} on rail {probe.rail}"
        says = f"for {asked.says} no packet is lost {way}"
        yield StreamExpected(f"soak:{probe.id}", probe.sender, says, probe, asked)
    yield from _losses(plan, configured, asked)
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
        yield SteadyExpected(f"steady:{name}", name, says, _ports(plan, name), keys, asked)
    for drill in drills(plan, configured):
        name, gap = drill.device, f"{drill.gap_ms:g} ms"
        if drill.how != "drain" and not (drill.guarded and not drill.refusal):
            says = f"{name} notices {drill.what} within {drill.detect_ms:g} ms"
            yield DetectExpected(f"detect:{drill.id}", name, says, drill)
        says = f"with {drill.what}, no flow waits longer than {gap}"
        yield SwitchOverExpected(f"switchover:{drill.id}", name, says, drill)
        says = f"after {drill.what}, all is as it was"
        yield BackExpected(f"back:{drill.id}", name, says, drill)


def _losses(plan: Plan, configured: frozenset[str], asked: Length) -> Iterator[LossExpected]:
    """Each device by itself, and all together: a fabric sends enough to show a small ratio."""
    mine = counted_devices(plan, configured) if asked.most_loss_ratio else ()
    most = f"at most {asked.most_loss_ratio:g}" if asked.most_loss_ratio else ""
    for name in mine:
        says = f"in {asked.says}, {most} of the frames that {name} sent are lost at its ports"
        yield LossExpected(f"loss:{name}", name, says, (name,), asked)
    if mine:
        says = f"in {asked.says}, {most} of all frames are lost, and enough were sent to show it"
        yield LossExpected("loss:fabric", mine[0], says, mine, asked)


def _ports(plan: Plan, name: str) -> tuple[str, ...]:
    if name in plan.switch:
        return tuple(sorted(port.name for port in plan.switch[name].ports))
    return tuple(sorted(nic.port for nic in plan.node[name].rails))


def unasked(plan: Plan) -> Iterator[str]:
    """That nothing is pulled, where no flow would notice."""
    if any(node.rails for node in plan.nodes) and not crosses(plan):
        yield (
            "takes no cable down: no flow of a rail crosses leaves, so no cable has an "
            "alternative path"
        )
    for system in sorted(guarded(plan)):
        yield (
            f"times no failure detection on {system}: a push does not say when a route was "
            "withdrawn"
        )


def unanswered(plan: Plan) -> Iterator[str]:
    """The drills that are refused."""
    for one in sorted(refused(plan)):
        yield f"refuses a drill: {one}"
