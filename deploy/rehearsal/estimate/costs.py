"""What each act of a rollout costs, and on what that stands: the record, the twin, then others."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from deploy.lab.modelled import SYSTEMS
from deploy.rollout.drain.idle import BETWEEN_S, MOST_S
from deploy.rollout.gatekeeper import settle_s
from deploy.switches.push_result import is_at_least
from inventory.load.durations import Duration
from inventory.plan import Plan
from switch_configs.intent import Impact

from .acts import ServerChange, SwitchChange
from .arithmetic import (
    NOTHING,
    Basis,
    Part,
    Range,
    in_groups,
    longest,
    rounds,
    scaled,
    total,
    wider,
)
from .measured import EngineTime, GateTime, PushTime, Samples

_LINKS_DOWN: Impact = "link flap"
_SESSIONS_DOWN: Impact = "daemon restart"
_BITS = 8
_GIGA = 1e9


@dataclass
class Costs:
    """Prices acts on the devices of a plan; `used` has every figure that came into it.

    `own` are the acts of which the site itself says how long they take.
    """

    plan: Plan
    record: Samples
    twin: Samples
    stock: Mapping[str, Duration]
    own: frozenset[str] = frozenset()
    used: dict[tuple[str, bool], Part] = field(default_factory=dict)

    def push(self, change: SwitchChange) -> Range:
        """One push to one switch, from its login until it is read back."""
        return self._sum(self._push(change))

    def pushes(self, changes: Sequence[SwitchChange], at_once: int) -> Range:
        """A wave of switches: first those that go alone, then the others side by side."""
        alone = [[self.push(one)] for one in changes if one.alone]
        rest = [self.push(one) for one in changes if not one.alone]
        return in_groups([*alone, *([rest] if rest else [])], at_once)

    def servers(self, changes: Sequence[ServerChange]) -> Range:
        """A wave of servers: each engine and its roles is a run of its own, all side by side."""
        return longest(
            self._run(some) for some in _grouped(changes, lambda one: (one.engine, one.roles))
        )

    def gate(self, devices: int, *, last: bool = False) -> Range:
        """The look after a wave, at so many devices."""
        recorded = self.record.final if last else self.record.gates
        fallback = self.twin.last if last else self.twin.gates
        name = "last gate" if last else "gates"
        return self._sum([self._looks(name, recorded, fallback or self.twin.last, devices)])

    def around(self, devices: int) -> Range:
        """What is before the first wave and after the last: survey, proofs, packages, report."""
        name = "survey, proofs, packages to the OOB server"
        return self._sum([self._looks(name, self.record.around, self.twin.around, devices)])

    def again(self, devices: int) -> Range:
        """A gate that holds looks until all should have settled; then `apply` is run anew."""
        settle = settle_s(self.plan)
        source = "twice BGP's hold and connect timers"
        waits = Part("looks until a gate holds", Range(settle, settle), "plan", source)
        return self._sum([waits]) + self.around(devices)

    def by_table(self, key: str) -> Part:
        """An act of the table; nobody knows one that it has not."""
        name = key.replace("_", " ")
        if (found := self.stock.get(key)) is None:
            return Part(name, None, "nobody knows")
        source = found.source or ("profiles/durations.yml of the site" if key in self.own else "")
        return Part(name, Range(*found.seconds), found.sure, source)

    def _sum(self, parts: Iterable[Part]) -> Range:
        some = [*parts]
        for one in some:
            self.used[one.key] = wider(self.used.get(one.key), one)
        return total(one.takes or NOTHING for one in some)

    def _push(self, change: SwitchChange) -> Iterator[Part]:
        impact = _felt(change.impact)
        named = f"push to {change.system}, {impact}"
        alike = [one for one in self.record.pushes
                 if (one.system, _felt(one.impact)) == (change.system, impact)]  # fmt: skip
        if alike:
            yield _seen(named, [one.took_s for one in alike], "recorded", "push")
            return
        mine = [one for one in self.twin.pushes if one.system == change.system]
        if change.system not in SYSTEMS:  # the twin's is no model, but the very thing
            yield _of_twin(f"push to {change.system}", [one.took_s for one in mine])
            return
        yield _of_twin(f"push to {change.system}: logins, files, looks", _talk(mine))
        if change.drains:
            takes = Range(BETWEEN_S, MOST_S)
            yield Part("drain until seen idle", takes, "plan", "railbed waits at most so long")
        kind = "reload" if impact == "reload" else "apply"
        yield self.by_table(f"{kind}_{change.system}")
        if is_at_least(impact, _LINKS_DOWN):
            yield self.by_table("link_up")
        if is_at_least(impact, _SESSIONS_DOWN):
            takes = Range(0.0, settle_s(self.plan))
            yield Part("BGP and BFD return", takes, "plan", "twice its hold and connect timers")

    def _run(self, changes: Sequence[ServerChange]) -> Range:
        """One run of an engine: its kinds of servers side by side, through one server's port."""
        kinds = _grouped(changes, lambda one: one.kind)
        sent = [
            one for some in kinds if not _engines(self.record.engines, some[0])
            for one in some if one.most_bytes
        ]  # fmt: skip
        packages = self._sum([self._packages(sent)] if sent else [])
        return longest(self._sum(self._kind(some)) for some in kinds) + packages

    def _kind(self, changes: Sequence[ServerChange]) -> Iterator[Part]:
        """The servers of one kind in a run, but for their packages."""
        first = changes[0]
        named = f"{first.engine} on {first.kind}"
        if alike := _engines(self.record.engines, first):
            takes = scaled(alike, len(changes))
            yield Part(named, takes, "recorded", f"{_several(len(alike), 'run')} of it on record")
            return
        mine = scaled(_engines(self.twin.engines, first), len(changes))
        yield Part(named, mine, "twin" if mine else "nobody knows")
        for act in sorted({act for one in changes for act in one.acts}):
            yield self.by_table(act)

    def _packages(self, changes: Sequence[ServerChange]) -> Part:
        """Downloads: each node alone at its port's rate, at most all through the server's port."""
        ports = {end.device: one.rate_gbps for one in self.plan.cables if one.plane == "oob"
                 for end in (one.a, one.b)}  # fmt: skip
        server = ports.get(self.plan.oob.name, 1.0)
        port = min((ports.get(one.name, server) for one in changes), default=server)
        least = max(one.least_bytes for one in changes) * _BITS / (port * _GIGA)
        most = sum(one.most_bytes for one in changes) * _BITS / (server * _GIGA)
        source = "sizes of the version lock over the rates of management cables, per wave"
        return Part("packages to nodes", Range(least, max(least, most)), "plan", source)

    def _looks(
        self, name: str, recorded: Sequence[GateTime], twin: Sequence[GateTime], devices: int
    ) -> Part:
        basis: Basis = "recorded" if recorded else "twin"
        samples = [(rounds(one.devices), one.took_s) for one in recorded or twin]
        takes = scaled(samples, rounds(devices))
        source = f"{len(samples)} on record" if recorded else ""
        return Part(name, takes, basis if takes else "nobody knows", source)


def _grouped(
    changes: Iterable[ServerChange], of: Callable[[ServerChange], Hashable]
) -> list[list[ServerChange]]:
    """Those alike in one respect together, in order."""
    found: dict[Hashable, list[ServerChange]] = {}
    for one in changes:
        found.setdefault(of(one), []).append(one)
    return [*found.values()]


def _felt(impact: Impact) -> Impact:
    """What a push itself waits for: no push restarts a switch, its links go down and come up."""
    return _LINKS_DOWN if impact == "reboot" else impact


def _several(count: int, what: str) -> str:
    plural = f"{what}es" if what.endswith("h") else f"{what}s"
    return f"{count} {what if count == 1 else plural}"


def _talk(pushes: Sequence[PushTime]) -> list[float]:
    return [one.talk_s for one in pushes]


def _engines(samples: Iterable[EngineTime], of: ServerChange) -> list[tuple[int, float]]:
    """Runs of the same roles on servers of its kind; where there are none, of other roles."""
    mine = [one for one in samples if (one.engine, one.kind) == (of.engine, of.kind)]
    same = [one for one in mine if one.roles == of.roles]
    return [(one.hosts, one.took_s) for one in same or mine]


def _seen(name: str, seconds: Sequence[float], basis: Basis, what: str) -> Part:
    source = f"{_several(len(seconds), what)} on record"
    return Part(name, Range(min(seconds), max(seconds)), basis, source)


def _of_twin(name: str, seconds: Sequence[float]) -> Part:
    if not seconds:
        return Part(name, None, "nobody knows")
    return Part(name, Range(min(seconds), max(seconds)), "twin")
