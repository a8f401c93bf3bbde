"""Waves that begin where some devices have moved: as by a walk of each state, port by port."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from itertools import pairwise, product

import pytest

from validation.order.hop import wrong_on
from validation.order.judge import Ground
from validation.order.model import HostSide
from validation.order.order import Begun, judged
from validation.order.plans import fabric_of

from .plans import changed, plan
from .test_order import lossless, mtu

OTHERS = {
    "mtu": changed("two", mtu(4200, 4400)),
    "dscp": changed("two", lossless(dscp=34)),
}


SEEDS = range(10)


def lost(ground: Ground, state: Mapping[str, int]) -> set[tuple[str, ...]]:
    """What is lost in one state: kind, hop, sender and receiver."""
    made = {name: one.versions[state[name]] for name, one in ground.fabric.devices.items()}
    nics = [one for one in ground.fabric.cables if not ground.fabric.devices[one.below].level]
    found = set[tuple[str, ...]]()
    for out, back in product(nics, nics):
        sends, takes = (made[one.below].ends[one.below_port] for one in (out, back))
        if out.below == back.below or not isinstance(sends, HostSide):
            continue
        assert isinstance(takes, HostSide)
        for path in paths(ground, out.above, back.above):
            hops = [(out.below, out.below_port), (out.above, out.above_port), *path]
            hops += [(back.above, back.above_port), (back.below, back.below_port)]
            for near, far in list(pairwise(hops))[::2]:
                one, other = (made[name].ends[port] for name, port in (near, far))
                found |= {
                    (kind, *near, *far, *hops[0], *hops[-1])
                    for kind, _ in wrong_on(one, other, sends, takes)
                }
    return found


def paths(ground: Ground, a: str, b: str) -> Iterator[list[tuple[str, str]]]:
    """The ports between two leaves of two tiers; none on one leaf."""
    if a == b:
        yield []
    for up, down in product(ground.fabric.up.get(a, ()), ground.fabric.up.get(b, ())):
        if a != b and up.above == down.above:
            yield [
                (a, up.below_port), (up.above, up.above_port),
                (up.above, down.above_port), (b, down.below_port),
            ]  # fmt: skip


def told(kind: str, seed: int) -> tuple[bool, bool]:
    """Whether the waves of a draw are right, by the walk and by `judged`."""
    draw = random.Random(f"{kind} {seed}")
    old, new = draw.sample([plan("two"), OTHERS[kind]], 2)
    ground = Ground(fabric_of(old, new))
    moving = ground.fabric.moving
    drawn = draw.sample(moving, len(moving))
    cut = draw.randrange(len(moving) + 1)
    done, rest = drawn[:cut], drawn[cut:]
    either = rest[: draw.randrange(3)]
    draw.shuffle(rest)
    first, second = rest[:2], rest[2 : draw.randrange(3, 6)]
    is_right = True
    for there in product((0, 1), repeat=len(either)):
        begin = dict.fromkeys(ground.fabric.devices, 0) | dict.fromkeys(done, 1)
        begin |= dict(zip(either, there, strict=True))
        before, now = lost(ground, begin), dict(begin)
        for wave in (first, second):
            for versions in product((0, 1), repeat=len(wave)):
                here = {name: max(now[name], at) for name, at in zip(wave, versions, strict=True)}
                known = {one for one in lost(ground, now | here) if one[0] not in ground.excused}
                is_right &= known <= before
            now |= dict.fromkeys(wave, 1)
    waves = [(str(number), tuple(wave)) for number, wave in enumerate((first, second)) if wave]
    found = judged(old, new, waves, Begun(frozenset(done), frozenset(either)))
    return is_right, found.order.own is None


@pytest.mark.parametrize("kind", OTHERS)
def test_waves_from_any_state_are_judged_as_by_a_walk(kind):
    drawn = [told(kind, seed) for seed in SEEDS]
    assert [found for _, found in drawn] == [walked for walked, _ in drawn]
