"""Stragglers in collectives: which groups of nodes to run next, until the slow nodes are named.

Adaptive group testing, without memory: the same results give the same next step. A group that
was good clears its nodes; of a slow one those are left that nothing has cleared, and they are
halved. All groups of a step are disjoint and run at once, so one slow node among n takes about
log2(n) steps, and several share them. A group has at least two nodes, as a collective over the
network needs: a single one is tried with a partner that is known to be good.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from .sure import NOT_SURE, Sure, nats

Group = tuple[str, ...]
TRIES = 2  # of a group without a result, and of one that contradicts its parts
PARTNERS = 2  # a node is to blame when it is slow with two different good ones
# A run of good nodes is slow by chance (another job, a shared uplink); a slow node hides.
SLOW_BY_CHANCE = 0.05
SLOW_IF_SO = 0.95


class Result(StrEnum):
    """What came of one run of a group."""

    SLOW = "slow"
    GOOD = "good"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, order=True)
class Ran:
    """One run: its nodes and its result. The same group may have run more than once."""

    group: Group
    result: Result


@dataclass(frozen=True, slots=True)
class Named:
    """Where the search ended. `suspects` are sets that nothing tells apart, each with a culprit.

    Without any, nothing was slow, or nothing twice. `together` are groups that were slow twice
    although their parts are good: what lies between these nodes is to blame, or the scale.
    `unknown` are nodes without any result.
    """

    suspects: tuple[Group, ...] = ()
    sure: Sure = NOT_SURE
    together: tuple[Group, ...] = ()
    unknown: Group = ()
    hint: str = ""


@dataclass(frozen=True, slots=True)
class _Known:
    """What all runs say of the nodes; `lefts` are disjoint, each holds a slow node."""

    order: dict[str, int]
    results: tuple[Ran, ...]
    good: frozenset[str]
    lefts: tuple[Group, ...]
    between: tuple[Group, ...]


def next_groups(nodes: Sequence[str], results: Sequence[Ran]) -> tuple[Group, ...] | Named:
    """The groups to run next, all at once, or the verdict.

    `nodes` come in the order of the fabric, neighbours side by side: halves then split along
    pods and leaves. `results` are all runs so far, in any order; groups of other nodes are
    refused (ValueError).
    """
    whole = tuple(dict.fromkeys(nodes))
    if len(whole) < 2:
        return Named(unknown=whole, hint="a collective needs two nodes")
    if strange := {one for ran in results for one in ran.group} - set(whole):
        raise ValueError(f"not among the nodes: {', '.join(sorted(strange))}")
    known = _known(whole, results)
    asked = tuple(_apart(_wanted(known, whole)))
    return asked or _verdict(known)


def _known(whole: Group, results: Sequence[Ran]) -> _Known:
    order = {node: at for at, node in enumerate(whole)}
    good = frozenset(node for ran in results if ran.result is Result.GOOD for node in ran.group)
    slow = {_sorted(ran.group, order) for ran in results if ran.result is Result.SLOW}
    left = {group: _sorted(set(group) - good, order) for group in slow}
    lefts: list[Group] = []
    for one in sorted({one for one in left.values() if one}, key=lambda one: (len(one), one)):
        if not any(set(one) & set(other) for other in lefts):
            lefts.append(one)
    passed = {_sorted(ran.group, order) for ran in results if ran.result is Result.GOOD}
    between = sorted((one for one, rest in left.items() if not rest and one not in passed), key=len)
    return _Known(order, tuple(results), good, tuple(lefts), tuple(between))


def _sorted(group: Iterable[str], order: dict[str, int]) -> Group:
    return tuple(sorted(set(group), key=order.__getitem__))


def _times(known: _Known, group: Group, result: Result) -> int:
    mine = (ran for ran in known.results if ran.result is result)
    return sum(_sorted(ran.group, known.order) == group for ran in mine)


def _wanted(known: _Known, whole: Group) -> Iterator[Group]:
    """The groups that would tell more, the most telling first; they may overlap."""
    if not known.results:
        yield whole
        return
    for left in known.lefts:
        yield from _halves(known, left) if len(left) > 1 else _with_partner(known, left[0])
    for one in known.between[:1]:
        if _times(known, one, Result.SLOW) < TRIES and _may_ask(known, one):
            yield one
    held = {node for left in known.lefts for node in left}
    rest = tuple(node for node in whole if node not in known.good and node not in held)
    yield from _parts(known, rest)


def _may_ask(known: _Known, group: Group) -> bool:
    return _times(known, group, Result.UNKNOWN) < TRIES


def _halves(known: _Known, left: Group) -> Iterator[Group]:
    middle = (len(left) + 1) // 2
    yield from _parts(known, left[:middle])
    yield from _parts(known, left[middle:])


def _parts(known: _Known, part: Group) -> Iterator[Group]:
    """The part as a group; in halves where it has given no result twice."""
    if len(part) == 1:
        yield from _with_partner(known, part[0])
    elif part and _may_ask(known, part):
        if not _times(known, part, Result.SLOW):
            yield part
    elif len(part) > 1:
        yield from _halves(known, part)


def _with_partner(known: _Known, node: str) -> Iterator[Group]:
    """The node with a good one that it has not met, nearest first.

    Where nobody is known to be good, others that it has not met alone: one good result clears
    both, and where none comes of it, everything is slow and no node can be told from another.
    """
    met = {other for ran in known.results if len(set(ran.group)) == 2 and node in ran.group
           for other in ran.group}  # fmt: skip
    if len(met & known.good if known.good else met - {node}) >= PARTNERS:
        return
    some = known.good or frozenset(known.order)
    here = known.order[node]
    for other in sorted(some - met - {node}, key=lambda one: abs(known.order[one] - here)):
        yield _sorted((node, other), known.order)


def _apart(wanted: Iterable[Group]) -> Iterator[Group]:
    """Of the wanted ones those that can run at once: no node is in two."""
    busy = set[str]()
    for one in wanted:
        if not busy & set(one):
            busy |= set(one)
            yield one


def _verdict(known: _Known) -> Named:
    """Nothing more can be asked."""
    alone = [one for one in known.lefts if len(one) == 1 and known.good]
    sets = tuple(sorted(known.lefts, key=lambda one: known.order[one[0]]))
    seen = [_sightings(known, one[0]) for one in alone]
    sure = Sure(nats(SLOW_IF_SO, SLOW_BY_CHANCE, min(seen))) if seen and seen != [0] else NOT_SURE
    together = tuple(one for one in known.between if _times(known, one, Result.SLOW) >= TRIES)
    held = {node for left in known.lefts for node in left} | known.good
    return Named(
        suspects=sets,
        sure=sure,
        together=together[:1],
        unknown=tuple(node for node in known.order if node not in held),
        hint=_hint(sets, together),
    )


def _sightings(known: _Known, node: str) -> int:
    """In how many runs only this node can have been the slow one."""
    slow = (set(ran.group) - known.good for ran in known.results if ran.result is Result.SLOW)
    return sum(left == {node} for left in slow)


def _hint(sets: tuple[Group, ...], together: tuple[Group, ...]) -> str:
    if any(len(one) > 1 for one in sets):
        return "no node is known to be good: add some that are, and run again"
    if sets:
        return "run stage 45 on it, and stage 50 with its rail NICs one by one"
    if together:
        return "each part is good alone: run stages 50 and 60 over the uplinks between them"
    return ""
