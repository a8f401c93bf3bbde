"""What runs on record took: pushes by system and impact, engines, gates, and what is around."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from deploy.measuring.stages import LOADED_STAGE, load_phase
from deploy.record.journal import INTERRUPTED, ROLES, Record
from deploy.record.rows import ChangeRow, RunRow, SpanRow, WaveRow
from deploy.record.timing import lasted, steps, union
from deploy.switches.push_result import worst_impact
from inventory.plan import Plan
from switch_configs.intent import Impact
from validation.judging.gate import Word

_ENGINES = ("ansible", "pyinfra")
# A wave whose gate held has done its work; of one that stopped nobody knows how much.
_WORKED = frozenset({Word.GO, Word.HOLD})
_LOADS = load_phase(LOADED_STAGE)
_BEGINS, _EVERY = "begins: ", "every role"  # as `servers.engines` writes it
OOB = "the OOB server"


@dataclass(frozen=True, slots=True)
class PushTime:
    """One push that ended well: the whole, and of it applying, and proving that all works."""

    system: str
    impact: Impact
    took_s: float
    applied_s: float
    verified_s: float

    @property
    def talk_s(self) -> float:
        """The controller's part: logins, files, looks, saving."""
        return max(0.0, self.took_s - self.applied_s - self.verified_s)


@dataclass(frozen=True, slots=True)
class EngineTime:
    """One run of an engine over `hosts` of one kind, side by side; no `roles` are all of them.

    Where hosts of other kinds were in the same run, it is the most that these took.
    """

    engine: str
    kind: str
    roles: frozenset[str]
    hosts: int
    took_s: float


@dataclass(frozen=True, slots=True)
class GateTime:
    """From a wave's last change to the next wave, with so many devices to look at.

    `loaded` where that gate loaded rails, too.
    """

    devices: int
    took_s: float
    loaded: bool = False


@dataclass(frozen=True, slots=True)
class Samples:
    """All of some runs.

    `last` are gates after which a run ended well, `around` what no wave of such a run has.
    """

    runs: int = 0
    pushes: tuple[PushTime, ...] = ()
    engines: tuple[EngineTime, ...] = ()
    gates: tuple[GateTime, ...] = ()
    last: tuple[GateTime, ...] = ()
    around: tuple[GateTime, ...] = ()

    @property
    def final(self) -> tuple[GateTime, ...]:
        """Gates after which a run ended well; those alone that loaded rails, where any did."""
        return tuple(one for one in self.last if one.loaded) or self.last

    @property
    def loaded(self) -> bool:
        """Whether a last gate loaded rails."""
        return any(one.loaded for one in self.last)

    def over(self, other: Samples) -> Samples:
        """These; of what they have none, those of `other`."""
        return Samples(
            self.runs,
            self.pushes or other.pushes,
            self.engines or other.engines,
            self.gates or other.gates,
            self.last or other.last,
            self.around or other.around,
        )

    def __add__(self, other: Samples) -> Samples:
        """Of both."""
        return Samples(
            self.runs + other.runs,
            self.pushes + other.pushes,
            self.engines + other.engines,
            self.gates + other.gates,
            self.last + other.last,
            self.around + other.around,
        )


def measured(record: Record, plan: Plan, runs: Iterable[int] | None = None) -> Samples:
    """What these runs measured, or all that changed something; `plan` says whose.

    Of one that stopped or held only what went well before.
    """
    found, asked = Samples(), None if runs is None else {*runs}
    for row in record.runs():
        if row.ended is None or row.replay or (asked is not None and row.id not in asked):
            continue
        found += _of_run(record, plan, row)
    return found


def _of_run(record: Record, plan: Plan, row: RunRow) -> Samples:
    waves = record.waves(row.id)
    worked = {one.name for one in waves if one.decision in _WORKED}
    changes = [one for one in record.changes(row.id) if one.wave in worked]
    spans = record.spans(row.id)
    pushes = tuple(_pushes(plan, changes))
    engines = tuple(_engines(plan, changes, [one for one in spans if one.wave in worked]))
    if not (pushes or engines):
        return Samples()
    loaded = {one.wave for one in spans if one.phase == _LOADS}
    gates: list[GateTime] = []
    done = 0
    for wave, after in zip_longest(waves, waves[1:]):
        done += len(wave.devices)
        if wave.decision == Word.GO:
            end = after.started if after else str(wave.ended)
            took = (lasted(wave.started, end) or 0.0) - union(_work(wave, changes, spans))
            gates.append(GateTime(done, max(0.0, took), wave.name in loaded))
    if waves[-1].decision != Word.GO or row.outcome == INTERRUPTED:
        return Samples(1, pushes, engines, tuple(gates))
    before = lasted(row.started, waves[0].started) or 0.0
    after_all = lasted(str(waves[-1].ended), row.ended) or 0.0
    around = GateTime(len(plan.devices), before + after_all)
    return Samples(1, pushes, engines, tuple(gates[:-1]), tuple(gates[-1:]), (around,))


def _work(
    wave: WaveRow, changes: Sequence[ChangeRow], spans: Sequence[SpanRow]
) -> Iterator[tuple[float, float]]:
    """When a push went on in a wave, or an engine, in seconds since the wave began."""
    every = [one for one in spans if one.phase in _ENGINES]
    by_device: dict[str, list[SpanRow]] = {}
    for one in steps(changes):
        if one.wave == wave.name:
            by_device.setdefault(one.device, []).append(one)
    ends = [(one.began, one.ended) for one in every if one.wave == wave.name]
    ends += [(some[0].began, max(one.ended for one in some)) for some in by_device.values()]
    for began, ended in ends:
        yield lasted(wave.started, began) or 0.0, lasted(wave.started, ended) or 0.0


def _pushes(plan: Plan, changes: Sequence[ChangeRow]) -> Iterator[PushTime]:
    """One for each switch of a wave that was confirmed."""
    parts: dict[tuple[str, str], list[SpanRow]] = {}
    impacts: dict[tuple[str, str], list[Impact]] = {}
    for row in changes:
        if row.phase == "apply":
            impacts.setdefault((row.wave, row.device), []).append(row.impact)
    for one in steps(changes):
        parts.setdefault((one.wave, one.device), []).append(one)
    for key, some in parts.items():
        switch, names = plan.any_switch.get(key[1]), {one.phase for one in some}
        if switch is None or not {"push: apply", "push: confirm"} <= names:
            continue
        took = lasted(min(one.began for one in some), max(one.ended for one in some)) or 0.0
        yield PushTime(
            switch.dialect, worst_impact(impacts.get(key, ())), took,
            _sum(some, "push: apply"), _sum(some, "push: verify"),
        )  # fmt: skip


def _sum(spans: Iterable[SpanRow], phase: str) -> float:
    return sum(lasted(one.began, one.ended) or 0.0 for one in spans if one.phase == phase)


def _engines(
    plan: Plan, changes: Sequence[ChangeRow], spans: Sequence[SpanRow]
) -> Iterator[EngineTime]:
    asked = {(one.wave, one.device): _roles(one.detail) for one in changes if one.phase == ROLES
             and one.detail.startswith(_BEGINS)}  # fmt: skip
    for one in spans:
        hosts = [name for name in one.device.split(", ") if name]
        if one.phase in _ENGINES and one.wave and hosts:
            roles = asked.get((one.wave, hosts[0]), frozenset())
            took = lasted(one.began, one.ended) or 0.0
            for kind, count in Counter(kind_of(plan, name) for name in hosts).items():
                yield EngineTime(one.phase, kind, roles, count, took)


def _roles(detail: str) -> frozenset[str]:
    """Of `begins: pyinfra, os_base, nccl`; none of `begins: pyinfra, every role`."""
    _, _, named = detail.removeprefix(_BEGINS).partition(", ")
    return frozenset() if named == _EVERY else frozenset(named.split(", "))


def kind_of(plan: Plan, host: str) -> str:
    """What a server is, by what it is asked to be: its profile, as the site calls it."""
    node = plan.node.get(host)
    return node.profile.removesuffix("-twin") if node else OOB
