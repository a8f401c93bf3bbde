"""Steps of an order, and the proof of each: of every subset of what may be done side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

from .hop import Wrong
from .judge import Ground, Versions
from .model import restarts

Way = Literal["together", "one at a time"]
_EXACT = 256


@dataclass(frozen=True, slots=True)
class Move:
    """Devices that go one version on: in any order and side by side, or one after the other.

    One after the other each is drained, away while it changes, and back before the next.
    """

    devices: tuple[str, ...]
    way: Way


@dataclass(frozen=True, slots=True)
class Proved:
    """What came of a move: the versions after it, how many states were looked at, what is wrong."""

    after: Versions
    looks: int
    wrong: Wrong | None


def move_of(ground: Ground, devices: Iterable[str], state: Mapping[str, int]) -> Move:
    """How these must go one version on from here."""
    names = tuple(sorted(devices))
    away = any(
        restarts(made[state[name]], made[state[name] + 1])
        for name in names
        for made in (ground.fabric.devices[name].versions,)
    )
    return (
        Move(_in_turn(ground, names, state), "one at a time") if away else Move(names, "together")
    )


def _in_turn(ground: Ground, names: tuple[str, ...], state: Mapping[str, int]) -> tuple[str, ...]:
    """Who gets the AS that another still has comes after it: two leaves of one AS hear no other."""
    asns = {
        name: (made[state[name]].asn, made[state[name] + 1].asn)
        for name in names
        for made in (ground.fabric.devices[name].versions,)
    }
    held = Counter(old for old, new in asns.values() if old != new)
    left, turn = list(names), list[str]()
    while left:
        free = (name for name in left if asns[name][0] == asns[name][1] or not held[asns[name][1]])
        name = next(free, left[0])
        left.remove(name)
        turn.append(name)
        held[asns[name][0]] -= 1
    return tuple(turn)


def prove(ground: Ground, state: Versions, move: Move) -> Proved:
    """Whether every state on the way is right; `state` is taken to be."""
    after = {**state, **{name: (state[name][0] + 1,) for name in move.devices}}
    either = {**state, **{name: (*state[name], *after[name]) for name in move.devices}}
    if move.way == "together":
        return Proved(after, 1, ground.wrong(either))
    if _carries_alike(ground, either, move.devices):
        wrong = next(filter(None, _by_kind(ground, either, move.devices)), None)
        if wrong is None or len(move.devices) > _EXACT:
            return Proved(after, 1 + len(move.devices), wrong)
    return _one_by_one(ground, state, move.devices, after)


def _carries_alike(ground: Ground, either: Versions, devices: Sequence[str]) -> bool:
    """Whether cables of these carry packets in each mixture: then one of a kind speaks for all."""
    cables = [
        cable
        for name in devices
        for cable in (*ground.fabric.up.get(name, ()), *ground.fabric.down.get(name, ()))
    ]
    return all(
        ground.up[cable].issuperset(product(either[cable.below], either[cable.above]))
        for cable in cables
    )


def _by_kind(ground: Ground, either: Versions, devices: Sequence[str]) -> Iterator[Wrong | None]:
    """Each mixture with nobody away, with any one away as to paths, and one of each kind in all."""
    yield ground.wrong(either)
    yield from (ground.cut(either, frozenset({name})) for name in devices)
    colours = ground.colours
    for name in {colours[name]: name for name in reversed(devices)}.values():
        yield ground.wrong(either, frozenset({name}))


def _one_by_one(ground: Ground, state: Versions, devices: Sequence[str], after: Versions) -> Proved:
    now: Versions = state
    for number, name in enumerate(devices, start=1):
        if wrong := ground.wrong(now, frozenset({name})):
            return Proved(after, 2 * number - 1, wrong)
        now = {**now, name: after[name]}
        if wrong := ground.wrong(now):
            return Proved(after, 2 * number, wrong)
    return Proved(after, 2 * len(devices), None)
