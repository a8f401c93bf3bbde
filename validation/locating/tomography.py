"""Slow flows across leaves whose NICs are good: which hop between them is to blame. Pure.

Paths are not known. What is known is how many streams a group of equal hops had to carry in a
round, how many of its flows were slow, and, where switch ports are counted, how much each hop
sent. A bad hop makes about as many flows slow as it carries streams, round after round; another
one that was as busy in one round is not in the next (soft tomography by counts). Without
counters all hops of a group look alike, and the set says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from math import exp, log, sqrt

from inventory.plan import PortRef

from .ground import Ground, Key
from .seen import Seen

# What a stream may be left with where its hop is bad; "narrow" hops are tried apart.
LEFT = (0.8, 0.55, 0.35, 0.2, 0.1)
CHANCE = 0.002  # of a flow across leaves to be slow although nothing is bad
MOST_CHANCE = 0.008  # more is no chance: a switch on top slows some flows of every leaf
STRAY = 0.02  # slow flows of a group in a round that no cause explains
IDLE_SHARE = 0.03  # of a port's rate: other traffic, no stream of ours
FLOOR = 0.003  # the least that any count is worth: no single round decides
TOLD_APART = log(100)
NARROW_SHARE = 0.6  # a hop that was fuller than this share of its rate is not narrow
DOUBT_NATS = 0.35


@dataclass(frozen=True, slots=True)
class Count:
    """A group of hops in one round: flows, slow ones that nothing explains yet, streams."""

    key: Key
    flows: int
    slow: float
    streams: int
    stream_gbit: float
    idle_gbit: float
    round: int


@dataclass(frozen=True)
class Counts:
    """All rounds with flows across leaves, by group; `chance` is how often a flow is slow."""

    ground: Ground
    seen: tuple[Seen, ...]
    by_key: dict[Key, list[Count]]
    chance: float = CHANCE
    _fullest: dict[tuple[Key, PortRef], float] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def doubted(self) -> list[Key]:
        """The groups in which more flows were slow than chance makes likely."""
        return sorted(
            (key for key, some in self.by_key.items() if self._excess(some) > DOUBT_NATS),
            key=lambda key: (key[0], sorted(key[1])),
        )

    def _excess(self, some: Sequence[Count]) -> float:
        """In nats, how much better another share of slow flows fits than chance does."""
        slow, mean = sum(count.slow for count in some), sum(map(self.usual, some))
        return slow * log(slow / mean) - (slow - mean) if slow > mean else 0.0

    def most_nats(self, key: Key) -> float:
        """The most that could speak for a hop that explained every slow flow of a group."""
        some = self.by_key.get(key, ())
        return sum(
            -log(_near(count.slow, self.usual(count), 0)) for count in some if count.slow >= 0.5
        )

    def fullest(self, key: Key, hop: PortRef) -> float:
        """The most that a hop sent in any round of a group; every round of it asks again."""
        if (found := self._fullest.get((key, hop))) is None:
            rounds = self.by_key[key]
            found = max(self.seen[each.round].sent_gbit.get(hop, 0.0) for each in rounds)
            self._fullest[key, hop] = found
        return found

    def usual(self, one: Count) -> float:
        """The slow flows that chance makes in a group."""
        return STRAY + one.flows * self.chance


@dataclass(frozen=True, slots=True)
class Part:
    """Something that may be bad, with every hop whose streams it touches, by group."""

    unit: str
    is_switch: bool
    hops: tuple[tuple[Key, tuple[PortRef, ...]], ...]


@dataclass
class Fit:
    """How well a part explains what was slow, in nats against chance."""

    part: Part
    nats: float
    left: float = 0.0
    by_key: dict[Key, float] = field(default_factory=dict)


Explained = frozenset[int]  # flows by their id()


def counts(ground: Ground, seen: Sequence[Seen], explained: Explained) -> Counts:
    """The sums that tomography needs; flows in `explained` have a cause already."""
    by_key: dict[Key, list[Count]] = {}
    for number, one in enumerate(seen):
        flows, slow, streams = Counter[Key](), Counter[Key](), Counter[Key]()
        gbit = 0.0
        for got in one.crossing:
            if id(got) in explained:
                continue
            here, there = got.flow.leaves
            terms = got.flow.terms
            gbit = max(gbit, got.flow.rate_gbps * terms.seconds / terms.streams)
            for key in ground.keys(here, there):
                flows[key] += 1
                streams[key] += terms.streams
                slow[key] += got.slow
        for key in flows:
            rate = ground.cable(ground.hops[key][0]).rate_gbps
            idle = IDLE_SHARE / 3 * rate * one.flows[0].flow.terms.seconds
            count = Count(key, flows[key], slow[key], streams[key], gbit, idle, number)
            by_key.setdefault(key, []).append(count)
    return Counts(ground, tuple(seen), by_key, _chance(by_key))


def _chance(by_key: dict[Key, list[Count]]) -> float:
    """How often flows are slow where nothing is bad: as in nine tenths of the leaves' groups."""
    shares = sorted(
        sum(count.slow for count in some) / max(1, sum(count.flows for count in some))
        for key, some in by_key.items()
        if len(key[1]) == 1
    )
    usual = shares[: len(shares) * 9 // 10]
    found = sum(usual) / len(usual) if len(usual) > 7 else CHANCE
    return min(MOST_CHANCE, max(CHANCE, found))


def parts(ground: Ground, keys: Iterable[Key]) -> list[Part]:
    """Every cable between switches, and every switch above leaves, that these groups pass."""
    cables: dict[str, dict[Key, list[PortRef]]] = {}
    switches: dict[str, dict[Key, list[PortRef]]] = {}
    for key in keys:
        for hop in ground.hops.get(key, ()):
            cables.setdefault(f"cable {ground.cable(hop)}", {}).setdefault(key, []).append(hop)
            enters = ground.far(hop).device
            if len(ground.below[enters]) > 1:
                switches.setdefault(f"device {enters}", {}).setdefault(key, []).append(hop)
    found = [(False, cables), (True, switches)]
    return [
        Part(unit, is_switch, tuple((key, tuple(hops)) for key, hops in by_key.items()))
        for is_switch, some in found
        for unit, by_key in sorted(some.items())
    ]


def fits(known: Counts, least: float) -> list[Fit]:
    """All parts that may explain at least so many nats more than chance does, best first."""
    bound = {key: known.most_nats(key) for key in known.doubted}
    found = [
        _fit(known, part)
        for part in parts(known.ground, bound)
        if sum(bound[key] for key, _ in part.hops) >= least
    ]
    return sorted(
        (one for one in found if one.nats > 0), key=lambda one: (-one.nats, one.part.unit)
    )


def _fit(known: Counts, part: Part) -> Fit:
    """The best of the ways in which this part may be bad."""
    best = Fit(part, 0.0)
    # Without counters nobody knows what a hop carries, so all ways say the same.
    ways = (*LEFT, 0.0) if any(one.sent_gbit for one in known.seen) else LEFT[:1]
    for left in ways:
        by_key = {
            key: sum(_gain(known, count, hops, left) for count in known.by_key.get(key, ()))
            for key, hops in part.hops
        }
        # One direction of a cable may be bad and the other good; of a switch, all is.
        total = sum(by_key.values()) if part.is_switch else max(by_key.values(), default=0)
        total = max(total, sum(by_key.values())) + _prior(known, part)
        if total > best.nats:
            best = Fit(part, total, left, by_key)
    return best


def _prior(known: Counts, part: Part) -> float:
    """A switch is bad less often than a cable; one whose ends count broken frames more often."""
    if part.is_switch:
        return log(0.1)
    cable = known.ground.cable(part.hops[0][1][0])
    broken = any(one.errors.get(end) for one in known.seen for end in (cable.a, cable.b))
    return log(1000) if broken else 0.0


def without(known: Counts, fit: Fit, rest: Counts) -> Counts:
    """The counts once a part is named: in its own groups what it leaves over, else `rest`.

    `rest` leaves out all slow flows of these groups: they may be this part's.
    """
    by_key = dict(rest.by_key)
    for key, hops in fit.part.hops:
        if fit.by_key.get(key, 0) > 0:
            by_key[key] = [_left_over(known, count, hops, fit.left) for count in known.by_key[key]]
    return replace(known, by_key=by_key)


def _left_over(known: Counts, one: Count, hops: Sequence[PortRef], left: float) -> Count:
    expected, spread = _expected(known, one, hops, left)
    return replace(one, slow=max(0.0, round(one.slow - expected - spread - 0.5)))


def _gain(known: Counts, one: Count, hops: Sequence[PortRef], left: float) -> float:
    """What one round says for these hops being bad, against chance.

    `left` 0 stands for a narrow hop: slow when it is as full as it ever was, else good.
    """
    usual = known.usual(one)
    if not left and known.seen[one.round].sent_gbit:
        return _gain_narrow(known, one, hops)
    expected, spread = _expected(known, one, hops, left)
    if not expected and not spread:
        return 0.0
    return log(_near(one.slow, expected + usual, spread)) - _by_chance(one.slow, usual)


def _expected(
    known: Counts, one: Count, hops: Sequence[PortRef], left: float
) -> tuple[float, float]:
    """How many flows these hops make slow if they are bad, and how uncertain that is."""
    sent = known.seen[one.round].sent_gbit
    if not sent:
        among = len(known.ground.hops[one.key])
        mean = one.flows * (1 - (1 - len(hops) / among) ** (one.streams / one.flows))
        return mean, sqrt(mean)
    if not left:
        return (one.slow, 0.5) if _is_full(known, one, hops) else (0.0, 0.0)
    streams = 0.0
    for hop in hops:
        gbit = sent.get(hop, 0.0) - one.idle_gbit
        idle = gbit < one.stream_gbit * left * 0.5
        streams += 0.0 if idle else gbit / (one.stream_gbit * left)
    each = one.streams / one.flows
    distinct = one.flows * (1 - (1 - min(1.0, streams / one.streams)) ** each)
    return distinct, 0.35 * sqrt(streams) + 0.1 * streams


def _is_full(known: Counts, one: Count, hops: Sequence[PortRef]) -> float:
    """How many streams fill a hop that never sends more than it did now; 0: it is not full."""
    if len(hops) > 1:
        return 0.0
    hop = hops[0]
    full, mine = known.fullest(one.key, hop), known.seen[one.round].sent_gbit.get(hop, 0.0)
    rate = one.idle_gbit * 3 / IDLE_SHARE
    if full > NARROW_SHARE * rate or mine < max(full - 3 * one.idle_gbit, one.stream_gbit / 2):
        return 0.0
    return full / one.stream_gbit


def _gain_narrow(known: Counts, one: Count, hops: Sequence[PortRef]) -> float:
    """A full hop either just fits its streams, or makes all of them slow; else it is good."""
    streams = _is_full(known, one, hops)
    if not streams:
        return 0.0
    chance = _near(one.slow, known.usual(one), 0)
    squeezed = _near(one.slow, streams + 1.3 + known.usual(one), 1.2)
    return log(max(FLOOR, 0.4 * chance + 0.6 * squeezed)) - log(chance)


@cache
def _by_chance(count: float, usual: float) -> float:
    return log(_near(count, usual, 0))


@cache
def _poisson(count: int, mean: float) -> float:
    value = exp(-mean)
    for n in range(1, count + 1):
        value *= mean / n
    return value


def _near(count: float, mean: float, spread: float) -> float:
    """The probability of about this count: Poisson by chance, wider or narrower by `spread`."""
    if not spread:
        return max(FLOOR, _poisson(round(count), round(mean, 3)))
    wide = max(0.45, spread)
    value = exp(-0.5 * ((count - mean) / wide) ** 2) / (wide * 2.5066)
    return max(FLOOR, min(1.0, value))
