"""The order of a rollout: the plan's own where no state of it is wrong, or another, or none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from inventory.plan import Plan

from .between import Conflict, by_detour, expanded
from .fields import Fields, fields_between
from .hop import Wrong
from .judge import Ground, Versions
from .model import Fabric, restarts
from .plans import fabric_of
from .reasons import changes, reason
from .search import Found, search
from .steps import Move, Way

Waves = Sequence[tuple[str, tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class Step:
    """Devices of one tier that go from a version to the next, and why now.

    `changes` says what, `drained` who carries no flows while it is done: with one at a time only
    what belongs to the one.
    """

    devices: tuple[str, ...]
    before: str
    after: str
    way: Way
    changes: tuple[str, ...]
    reason: str
    drained: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Order:
    """An order in which no state is wrong; else `refused`, the smallest state that none avoids.

    `own` is the first wrong state of the plan's own waves, None where they are right (then steps
    are theirs). `looks` counts the kinds of states that were looked at. `over` are DSCPs lent for
    a while, by the one that they stand for; `excused` what is wrong before or after by itself.
    `whole` says that every order was tried; else only those in which devices that are alike go
    side by side. `conflict` is why a port cannot take old and new at once; `fields` are set where
    an order has versions between.
    """

    steps: tuple[Step, ...]
    own: Wrong | None
    refused: Wrong | None
    looks: int
    over: tuple[tuple[int, int], ...] = ()
    excused: tuple[Wrong, ...] = ()
    whole: bool = True
    conflict: str = ""
    fields: Fields | None = None


@dataclass(frozen=True, slots=True)
class Begun:
    """Devices that are at the new plan before the first wave, and those that may be."""

    done: frozenset[str] = frozenset()
    either: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Judged:
    """Waves as they are: an `order` of them alone, and what is (or may be) wrong before the first.

    `ended` says that none of that is left once all of these waves are done.
    """

    order: Order
    lost: Wrong | None
    ended: bool


def order(
    old: Plan, new: Plan, replaced: Sequence[str] = (), done: frozenset[str] = frozenset()
) -> Order:
    """How to get from one plan to another; `replaced` are switches whose box is exchanged.

    Devices `done` are at the new plan already.
    """
    fabric = fabric_of(old, new, replaced, done)
    waves = [(wave.name, wave.devices) for wave in new.waves]
    found = order_of(fabric, waves or from_the_top(fabric))
    between = {step.after for step in found.steps} - {"new", "absent"}
    if not between:
        return found
    return replace(found, fields=fields_between(old, new, dict(found.over)))


def judged(old: Plan, new: Plan, waves: Waves, begun: Begun) -> Judged:
    """Whether these waves, in their order, make something wrong that is not wrong before them.

    What is wrong in the old or the new plan by itself is not judged, as in `order`; nor is what
    comes after the last of these waves.
    """
    fabric = fabric_of(old, new)
    now: dict[str, tuple[int, ...]] = dict.fromkeys(fabric.devices, (0,))
    now |= {name: (0, 1) for name in fabric.moving if name in begun.either}
    now |= {name: (1,) for name in fabric.moving if name in begun.done}
    ground = Ground(fabric, now)
    own, steps, looks = _as_planned(ground, waves, to_the_end=False)
    excused = tuple(ground.excused[kind] for kind in sorted(ground.excused))
    lost = ground.wrong(now)
    named = {name for _, names in waves for name in names}
    after = now | {name: (1,) for name in fabric.moving if name in named}
    ended = lost is not None and ground.wrong(after) is None
    return Judged(Order(steps, own, None, looks, excused=excused), lost, ended)


def from_the_top(fabric: Fabric) -> Waves:
    """The steps of a rollout where no wave is known yet: hosts, then switches tier by tier."""
    levels = sorted(
        {fabric.devices[name].level for name in fabric.moving}, key=lambda at: (at > 0, -at)
    )
    return [
        (
            f"tier {level}" if level else "hosts",
            tuple(name for name in fabric.moving if fabric.devices[name].level == level),
        )
        for level in levels
    ]


def order_of(fabric: Fabric, waves: Waves = ()) -> Order:
    """The same of a fabric whose devices have two versions at most."""
    ground = Ground(fabric)
    excused = tuple(ground.excused[kind] for kind in sorted(ground.excused))
    own, steps, looks = _as_planned(ground, waves)
    if own is None and (steps or not fabric.moving):
        return Order(steps, None, None, looks, excused=excused)
    refused: Found | None = None
    over: tuple[tuple[int, int], ...] = ()
    conflict = ""
    for number, tried in enumerate(_fabrics(fabric)):
        if isinstance(tried, Conflict):
            conflict = str(tried)
            continue
        made, over = tried
        ground = ground if number == 0 else Ground(made)
        found = search(ground)
        looks += found.looks
        if found.moves is not None:
            steps = tuple(_steps(ground, found.moves))
            return Order(steps, own, None, looks, over, excused, conflict=conflict)
        refused = refused or found
    wrong = refused.wrong if refused else None
    whole = refused is not None and refused.whole
    return Order((), own, wrong, looks, (), excused, whole, conflict)


def _fabrics(fabric: Fabric) -> Iterator[tuple[Fabric, tuple[tuple[int, int], ...]] | Conflict]:
    """Old and new alone, then with versions between, then over DSCPs of nobody."""
    yield fabric, ()
    try:
        between = expanded(fabric)
    except Conflict as found:
        yield found
        try:
            made, over = by_detour(fabric)
        except Conflict as none:
            yield none
        else:
            yield made, tuple(sorted(over.items()))
        return
    if between != fabric:
        yield between, ()


def _as_planned(
    ground: Ground, waves: Waves, *, to_the_end: bool = True
) -> tuple[Wrong | None, tuple[Step, ...], int]:
    """The first wrong state of waves, in each of which all goes side by side.

    Where they begin in another state than all as they were (`Ground.now`), what is wrong there
    already is not theirs. `to_the_end`: what no wave has goes last, all of it together.
    """
    now: dict[str, tuple[int, ...]] = dict(ground.now or ground.first)
    moved: dict[str, tuple[int, ...]] = {}
    steps: list[Step] = []
    open_ = {name for name in ground.fabric.moving if now[name] != (1,)}
    named = [(name, [one for one in names if one in open_]) for name, names in waves]
    left = set(ground.fabric.moving) - {one for _, names in named for one in names}
    if not waves:
        return None, (), 0
    looks = 0
    last = [("what no wave has", sorted(left))] if to_the_end else []
    for _, names in (*named, *last):
        if not names:
            continue
        looks += 1
        if wrong := _away(ground, names):
            return wrong, (), looks
        moved |= {name: now[name] for name in names}
        either = {**now, **dict.fromkeys(names, (0, 1))}
        if wrong := ground.wrong(either, moved=moved if ground.now else None):
            return wrong, (), looks
        steps += _steps(ground, ((Move(tuple(names), "together"), dict(now)),))
        now |= dict.fromkeys(names, (1,))
    return None, tuple(steps), looks


def _away(ground: Ground, names: Sequence[str]) -> Wrong | None:
    """A device that is away while it changes, and that nobody drained before."""
    for name in names:
        old, new = ground.fabric.devices[name].versions
        if old.word != "absent" and restarts(old, new):
            said = "it is away while it changes, and was not drained: what is on its way is lost"
            return Wrong("away", name, said, ((name, "away"),))
    return None


def _steps(ground: Ground, moves: Sequence[tuple[Move, Versions]]) -> Iterator[Step]:
    """A step for each move; of a wave of several kinds one for each."""
    fabric = ground.fabric
    for move, state in moves:
        kinds: dict[str, tuple[int, str, str, tuple[str, ...]]] = {}
        for name in move.devices:
            made = fabric.devices[name].versions
            before, after = made[state[name][0]], made[state[name][0] + 1]
            told = changes(before, after)
            kinds[name] = (fabric.devices[name].level, before.word, after.word, told)
        one_by_one = move.way == "one at a time"
        # One after the other has its turn; side by side has none.
        names = move.devices if one_by_one else sorted(move.devices, key=lambda one: kinds[one])
        for (level, old, new, told), some in groupby(names, kinds.__getitem__):
            who = tuple(some)
            why = reason(level, new, told, one_by_one=one_by_one)
            yield Step(who, old, new, move.way, told, why, who if one_by_one else ())
