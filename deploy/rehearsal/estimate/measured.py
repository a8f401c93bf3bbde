"""What runs on record took: pushes by system and impact, engines, gates, and what is around."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from deploy.record.journal import ROLES, Record
from deploy.record.rows import ChangeRow, SpanRow, WaveRow
from deploy.record.timing import lasted, steps, union
from deploy.switches.push_result import worst_impact
from inventory.plan import Plan
from switch_configs.intent import Impact

_ENGINES = ("ansible", "pyinfra")
_GO = "go"
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
    """One run of an engine over `hosts` of one kind, side by side; no `roles` are all of them."""

    engine: str
    kind: str
    roles: frozenset[str]
    hosts: int
    took_s: float


@dataclass(frozen=True, slots=True)
class GateTime:
    """From a wave's last change to the next wave, with so many devices to look at."""

    devices: int
    took_s: float


@dataclass(frozen=True, slots=True)
class Samples:
    """All of some runs. `last` are gates after which a run ended, `around` what no wave has."""

    runs: int = 0
    pushes: tuple[PushTime, ...] = ()
    engines: tuple[EngineTime, ...] = ()
    gates: tuple[GateTime, ...] = ()
    last: tuple[GateTime, ...] = ()
    around: tuple[GateTime, ...] = ()

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
    """What these runs measured, or all that changed something and ended well; `plan` says whose."""
    found = Samples()
    for row in record.runs():
        if row.ended is None or row.replay or (runs is not None and row.id not in runs):
            continue
        waves = [one for one in record.waves(row.id) if one.decision == _GO and one.ended]
        if waves:
            found += _of_run(record, plan, row.id, (row.started, row.ended), waves)
    return found


def _of_run(
    record: Record, plan: Plan, run: int, whole: tuple[str, str], waves: Sequence[WaveRow]
) -> Samples:
    changes, spans = record.changes(run), record.spans(run)
    pushes = tuple(_pushes(plan, changes))
    engines = tuple(_engines(plan, changes, spans))
    if not (pushes or engines):
        return Samples()
    gates: list[GateTime] = []
    done = 0
    for at, wave in enumerate(waves):
        done += len(wave.devices)
        end = waves[at + 1].started if at + 1 < len(waves) else str(wave.ended)
        work = union(_work(wave, changes, spans))
        gates.append(GateTime(done, max(0.0, (lasted(wave.started, end) or 0.0) - work)))
    before = lasted(whole[0], waves[0].started) or 0.0
    after = lasted(str(waves[-1].ended), whole[1]) or 0.0
    around = GateTime(len(plan.devices), before + after)
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
            kinds = {kind_of(plan, name) for name in hosts}
            kind = kinds.pop() if len(kinds) == 1 else ""
            roles = asked.get((one.wave, hosts[0]), frozenset())
            took = lasted(one.began, one.ended) or 0.0
            yield EngineTime(one.phase, kind, roles, len(hosts), took)


def _roles(detail: str) -> frozenset[str]:
    """Of `begins: pyinfra, os_base, nccl`; none of `begins: pyinfra, every role`."""
    _, _, named = detail.removeprefix(_BEGINS).partition(", ")
    return frozenset() if named == _EVERY else frozenset(named.split(", "))


def kind_of(plan: Plan, host: str) -> str:
    """What a server is, by what it is asked to be: its profile, as the site calls it."""
    node = plan.node.get(host)
    return node.profile.removesuffix("-twin") if node else OOB
