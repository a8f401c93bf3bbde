"""A cable below its rate, by counters alone: which of two, one behind the other, and when both."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import pytest

from inventory.plan import PortRef
from tests.validation.recorded import lab
from validation.locating.ground import Ground
from validation.locating.located import locate
from validation.locating.narrow import Narrow, narrow
from validation.locating.seen import Seen
from validation.pairing.coverage import Lane
from validation.pairing.loads import LoadProbe
from validation.pairing.schedule import MOST_RAILS
from validation.pairing.top_up import top_up

UP, DOWN = PortRef("leaf-p1-r1", "swp6"), PortRef("spine2", "swp4")
BESIDE = PortRef("leaf-p1-r1", "swp5")
SLOW = "cable leaf-p1-r1:swp6 -- spine2:swp2"
BEHIND = "cable leaf-p2-r1:swp6 -- spine2:swp4"
FULL, MARK = 0.6, 0.065
EVERYTHING = frozenset(lab().devices)
MISSING: frozenset[Lane] = frozenset({(UP, "up"), (PortRef("leaf-p2-r1", "swp6"), "down")})


@cache
def ground() -> Ground:
    return Ground(lab())


@cache
def probe() -> LoadProbe:
    return top_up(lab(), EVERYTHING, MISSING, 400)[0]


def seen(sent: Mapping[PortRef, float]) -> Seen:
    """A round: every hop full but those that are said."""
    hops = {hop: FULL for some in ground().hops.values() for hop in some}
    return Seen((), {**hops, **sent}, asked=(probe(),))


def both(gbit: float = MARK) -> Seen:
    return seen({UP: gbit, DOWN: gbit})


def units(found: tuple[Narrow, ...]) -> list[tuple[str, ...]]:
    return [one.units for one in found]


def test_two_cables_that_always_carried_the_same_are_one_set():
    found = narrow(ground(), [both() for _ in range(5)])
    assert units(found) == [(SLOW, BEHIND)]
    (suspect,) = locate(ground(), [both() for _ in range(5)]).suspects
    assert "1 of 2 alike" in suspect.told
    assert suspect.name == f"{SLOW} or 1 others"


@pytest.mark.parametrize("other", [0.3, 0.0])
def test_the_one_that_was_full_without_the_other_is_named(other):
    """Loaded from elsewhere the good one carries more; not loaded at all it says nothing."""
    apart = seen({UP: MARK, DOWN: other, PortRef("spine1", "swp4"): 0.0 if not other else FULL})
    found = narrow(ground(), [*(both() for _ in range(5)), apart])
    assert units(found) == [(SLOW,)]
    assert found[0].behind == (() if other else (BEHIND,))
    located = locate(ground(), [*(both() for _ in range(5)), apart])
    assert [one.name for one in located.suspects] == [SLOW]
    assert (SLOW in located.by_unit, BEHIND in located.by_unit) == (True, not other)


def test_the_one_behind_is_named_where_the_first_carried_more_elsewhere():
    apart = seen({UP: 0.4, DOWN: MARK})
    assert units(narrow(ground(), [*(both() for _ in range(5)), apart])) == [(BEHIND,)]


def test_a_round_that_took_longer_is_no_other_mark():
    long = seen({UP: 1.5 * MARK, DOWN: 1.5 * MARK, BESIDE: 1.5 * FULL})
    assert units(narrow(ground(), [*(both() for _ in range(4)), long])) == [(SLOW, BEHIND)]


@pytest.mark.parametrize("sent", [(0.02, 0.2, 0.07, 0.14, 0.1), (0.0,) * 5, (MARK,) * 2])
def test_few_streams_none_at_all_and_two_rounds_are_no_mark(sent):
    assert narrow(ground(), [both(one) for one in sent]) == ()


def test_a_hop_that_nobody_gave_much_is_not_narrow():
    idle = {BESIDE: 0.0, PortRef("spine1", "swp4"): 0.0}
    assert narrow(ground(), [seen({UP: MARK, DOWN: MARK, **idle}) for _ in range(5)]) == ()


def test_in_every_second_top_up_rails_meet_and_no_node_meets_itself():
    """Each receiver listens at a port of its own, and every pair uses an uplink in need."""
    mixed = [top_up(lab(), EVERYTHING, MISSING, number) for number in range(401, 421, 2)]
    plain = [top_up(lab(), EVERYTHING, MISSING, number) for number in range(400, 420, 2)]
    rail = {leaf: nic.index for node in lab().nodes for nic in node.rails
            for leaf in [nic.leaf.device]}  # fmt: skip
    assert any(len({rail[leaf] for leaf in one.leaves}) == 2 for row in mixed for one in row)
    assert all(len({rail[leaf] for leaf in one.leaves}) == 1 for row in plain for one in row)
    for row in mixed:
        assert row
        places = [(one.receiver, one.port) for one in row]
        assert len(places) == len(set(places))
        assert all(one.sender != one.receiver for one in row)
        assert all({"leaf-p1-r1", "leaf-p2-r1"} & set(one.leaves) for one in row)
        assert all((one.port - 20000) % MOST_RAILS < 2 for one in row)
