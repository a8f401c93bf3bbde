"""Find an order in which no state is wrong, or the smallest state that no order avoids.

Devices that are alike are moved as one: by role first, by kind then, and singly where there are
few enough to try every order. What is wrong with a mixture stays so when more is mixed, so a whole
group's move is refused only where each order of its members meets the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass

from .classes import role
from .hop import Wrong
from .judge import Ground, Versions
from .steps import Move, Proved, move_of, prove

_MOST_STATES = 20_000
_MOST_SINGLE_STATES = 3_000

Groups = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Found:
    """The moves of an order, or what refuses all; `whole` where every order was tried."""

    moves: tuple[tuple[Move, Versions], ...] | None
    looks: int
    wrong: Wrong | None
    whole: bool


def search(ground: Ground) -> Found:
    """By role, by kind, singly: the first that has an order; else the smallest wrong state."""
    looks, wrong, whole = 0, None, False
    for groups, is_whole in _groupings(ground):
        found = _search(ground, groups)
        looks += found.looks
        if found.moves is not None:
            return Found(found.moves, looks, None, whole=True)
        wrong = min(filter(None, (wrong, found.wrong)), key=lambda one: one.size, default=None)
        whole = is_whole and found.whole
    return Found(None, looks, wrong, whole)


def _groupings(ground: Ground) -> Iterator[tuple[Groups, bool]]:
    fabric = ground.fabric
    roles = _grouped({name: role(fabric, name) for name in fabric.moving})
    yield roles, False
    kinds = _grouped({name: ground.colours[name] for name in fabric.moving})
    if kinds != roles:
        yield kinds, False
    states = 1
    for name in fabric.moving:
        states *= len(fabric.devices[name].versions)
    if states <= _MOST_SINGLE_STATES:
        yield tuple((name,) for name in fabric.moving), True


def _grouped(keys: Mapping[str, Hashable]) -> Groups:
    groups = defaultdict(list)
    for name, key in keys.items():
        groups[key].append(name)
    return tuple(sorted(tuple(sorted(names)) for names in groups.values()))


def _search(ground: Ground, groups: Groups) -> Found:
    """Depth first, what accepts more before what says other, and switches from the top."""
    devices = ground.fabric.devices
    lengths = [len(devices[names[0]].versions) for names in groups]
    start = tuple(0 for _ in groups)
    end = tuple(length - 1 for length in lengths)
    seen = {start}
    wrongs: list[Wrong] = []
    looks = 0
    trail: list[tuple[tuple[int, ...], Iterator[int], Move | None]] = []
    trail.append((start, _choices(ground, groups, start), None))
    while trail:
        at, choices, _ = trail[-1]
        if at == end:
            moves = [(move, _state(ground, groups, one)) for one, _, move in trail[1:] if move]
            before = [_state(ground, groups, one) for one, _, _ in trail[:-1]]
            told = tuple((move, was) for (move, _), was in zip(moves, before, strict=True))
            return Found(told, looks, None, whole=True)
        choice = next(choices, None)
        if choice is None:
            trail.pop()
            continue
        to = tuple(one + (number == choice) for number, one in enumerate(at))
        if to in seen:
            continue
        proved, move = _tried(ground, groups, at, choice)
        looks += proved.looks
        if proved.wrong:
            wrongs.append(proved.wrong)
        elif len(seen) < _MOST_STATES:
            seen.add(to)
            trail.append((to, _choices(ground, groups, to), move))
    wrong = min(wrongs, key=lambda one: one.size, default=None)
    return Found(None, looks, wrong, whole=len(seen) < _MOST_STATES)


def _tried(ground: Ground, groups: Groups, at: tuple[int, ...], choice: int) -> tuple[Proved, Move]:
    state = _state(ground, groups, at)
    numbers = dict.fromkeys(groups[choice], at[choice])
    move = move_of(ground, groups[choice], numbers)
    return prove(ground, state, move), move


def _state(ground: Ground, groups: Groups, at: tuple[int, ...]) -> Versions:
    moved = {name: (one,) for names, one in zip(groups, at, strict=True) for name in names}
    return {**ground.first, **moved}


_RANK = {"ready": 0, "absent": 1, "moved": 1, "via": 2, "new": 3, "old": 4}


def _choices(ground: Ground, groups: Groups, at: tuple[int, ...]) -> Iterator[int]:
    """Groups that have a version left, the least far first, from the top down."""
    devices = ground.fabric.devices

    def rank(number: int) -> tuple[int, int, int]:
        device = devices[groups[number][0]]
        word = device.versions[at[number] + 1].word
        return (
            sum(one.word == "via" for one in device.versions[: at[number] + 1]),
            _RANK[word],
            -device.level,
        )

    left = [
        number
        for number, names in enumerate(groups)
        if at[number] + 1 < len(devices[names[0]].versions)
    ]
    yield from sorted(left, key=rank)
