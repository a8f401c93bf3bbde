"""What a run left, read for one incast: its turn, its flows, and what was counted meanwhile.

Raises MissingEvidence or Unreadable for whatever is needed and not there, wherever it lies.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache

from testinfra.host import Host

from inventory.plan import Plan, PortRef
from inventory.reading.fields import Unreadable
from switch_configs.answers.port_counters import Ports
from switch_configs.answers.port_counters import delta as port_delta
from validation.counters import host as hosts
from validation.counters import read as switches
from validation.counters.ask import port_counters
from validation.counters.rules import Counted
from validation.evidence.trust import MissingEvidence
from validation.pairing.load_result import Measured, measured
from validation.pairing.loads import LoadProbe

from .again import Trial, starved, trials
from .expect import OfIncast
from .incast import Incast, incasts
from .phases import AFTER, BEFORE, INCAST, Phase, is_victims, of, phases, places, turn_command

HostOf = Callable[[str], Host]
_TURN = re.compile(r"turn (\d+)\n")


@dataclass(frozen=True, slots=True)
class Observed:
    """One incast in one phase: the rates of its senders, and the victim's."""

    phase: Phase
    sent: tuple[Measured, ...]
    victim: Measured

    @property
    def flows(self) -> tuple[LoadProbe, ...]:
        """All of them."""
        return tuple(one.flow for one in (*self.sent, self.victim))


@dataclass(frozen=True, slots=True)
class Ran:
    """An incast as it ran: by the name of the phase; `scope` is what its schedule was made for."""

    case: Incast
    phases: Mapping[str, Phase]
    scope: frozenset[str]


@dataclass(frozen=True)
class _Asked:
    digest: str
    scope: frozenset[str]
    turn: int
    plan: Plan = field(compare=False, hash=False)


@lru_cache(maxsize=8)
def _rounds(asked: _Asked) -> Mapping[tuple[int, str, int], Ran]:
    """Every incast of a turn by rail, leaf and number."""
    found: dict[tuple[int, str, int], Ran] = {}
    for number, row in enumerate(incasts(asked.plan, asked.scope, asked.turn)):
        named = {phase.name: phase for phase in phases(asked.plan, number, row)}
        for case in row:
            found[case.rail, case.leaf, case.number] = Ran(case, named, asked.scope)
    return found


def ran(plan: Plan, one: OfIncast, host_of: HostOf) -> Ran:
    """The incast that an expectation is of, in the turn in which it ran."""
    told = host_of(one.device).run(turn_command(one.rail, one.leaf))
    match = _TURN.fullmatch(str(told.stdout))
    if told.rc != 0 or match is None:
        raise Unreadable("the run did not say its turn")
    every = _rounds(_Asked(plan.digest, one.scope, int(match[1]), plan))
    return every[one.rail, one.leaf, one.number]


def observed(phase: Phase, case: Incast, host_of: HostOf) -> Observed:
    """The flows of one incast in a phase."""
    mine = [probe for probe in phase.flows if of(probe, case)]
    found = {probe: _measured(probe, host_of) for probe in mine}
    victim = next(found[probe] for probe in mine if is_victims(probe))
    return Observed(phase, tuple(found[probe] for probe in mine if not is_victims(probe)), victim)


def tried(plan: Plan, it: Ran, sender: str, host_of: HostOf) -> dict[str, tuple[Trial, bool]]:
    """Whether it starved again, of the trials after a sender starved that can be read."""
    found = {}
    for trial in trials(plan, it.scope, it.phases[INCAST], it.case, sender):
        with suppress(MissingEvidence, Unreadable):
            sent = [_measured(flow, host_of) for flow in trial.phase.flows]
            slow = starved(plan, trial.case, sent)
            found[trial.kind] = trial, any(got.flow.sender == trial.tried.node for got in slow)
    return found


def _measured(flow: LoadProbe, host_of: HostOf) -> Measured:
    told = host_of(flow.sender).run(flow.command)
    return measured(flow, told.rc, str(told.stdout), str(told.stderr))


@dataclass(frozen=True, slots=True)
class Counting:
    """What was counted on the way of some flows, and the switches whose form nobody knows."""

    counted: Counted
    unread: tuple[tuple[PortRef, str], ...]


def counting(plan: Plan, phase: Phase, flows: Iterable[LoadProbe], host_of: HostOf) -> Counting:
    """The differences of both snapshots at every NIC and switch port on the planned paths."""
    nics, ports, unread = {}, {}, []
    for place in places(plan, flows):
        if place.device in plan.node:
            before, after = (_node(plan, phase, when, place, host_of) for when in (BEFORE, AFTER))
            nics[place] = hosts.delta(before, after, place.port)
        elif port_counters(plan.switch[place.device].dialect, ()) is None:
            dialect = plan.switch[place.device].dialect
            unread.append((place, f"no form of the counters of dialect {dialect} is known"))
        else:
            first, then = (_switch(plan, phase, when, place, host_of) for when in (BEFORE, AFTER))
            ports[place] = port_delta(first, then, place.port)
    return Counting(Counted(nics, ports), tuple(unread))


def _node(
    plan: Plan, phase: Phase, when: str, place: PortRef, host_of: HostOf
) -> Mapping[str, hosts.NicReading]:
    return hosts.read(plan.node[place.device], _text(phase, when, place, host_of))


def _switch(plan: Plan, phase: Phase, when: str, place: PortRef, host_of: HostOf) -> Ports:
    dialect = plan.switch[place.device].dialect
    return _ports(dialect, _text(phase, when, place, host_of), when == AFTER)


@lru_cache(maxsize=256)
def _ports(dialect: str, text: str, last: bool) -> Ports:
    """Kept, because every incast behind a switch reads the same snapshot."""
    return switches.ports(dialect, text, last)


def _text(phase: Phase, when: str, place: PortRef, host_of: HostOf) -> str:
    told = host_of(place.device).run(phase.moment(when))
    if told.rc != 0:
        raise Unreadable(f"{place.device}: the counters ended with status {told.rc}")
    return str(told.stdout)
