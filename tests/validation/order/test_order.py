from __future__ import annotations

import random
from itertools import pairwise

import pytest

from inventory.plan import Plan
from validation.order.between import by_detour, expanded
from validation.order.order import Order, order, order_of
from validation.order.plans import fabric_of

from . import as_fabric, walked
from .agreed import agreed, is_conflict
from .plans import TIERS, Change, adaptive, changed, plan

SEEDS = range(40)
MOST_STATES = 2_000


def told(found: Order) -> list[tuple[str, str, str, str]]:
    """Who does what, how, in order; devices by the first letters of their names."""
    return [(_who(one.devices[0]), one.before, one.after, one.way) for one in found.steps]


def _who(name: str) -> str:
    return "hosts" if name.startswith("node") else name.split("-", maxsplit=1)[0].rstrip("12")


def said(found: Order) -> list[str]:
    return [change for step in found.steps for change in step.changes]


def lossless(**values: object) -> Change:
    return lambda site: site["lossless"].update(values)


def asn(**values: int) -> Change:
    return lambda site: site["compute"]["asn"].update(values)


def mtu(hosts: int, switches: int) -> Change:
    return lossless(ip_mtu_bytes={"hosts": hosts, "switches": switches})


@pytest.mark.parametrize("seed", SEEDS)
def test_walking_all_states_of_a_small_site_says_the_same(seed):
    site = walked.drawn(seed, most=128)
    if site is not None:
        assert agreed(site, MOST_STATES).wrong == ""


def test_the_random_sites_are_of_every_kind():
    sites = [site for seed in SEEDS if (site := walked.drawn(seed, most=128))]
    assert len(sites) >= 25
    assert {len(site.tiers) for site in sites} >= {4, 5, 6, 7}
    assert {"as it is", "with versions between", "over another DSCP", "refused"} == {
        agreed(site, 0).how for site in sites
    }
    assert any(map(is_conflict, sites))


def test_another_order_of_the_same_steps_is_found_wrong():
    """The walk that agrees must be able to disagree."""
    wrong = 0
    for seed in SEEDS:
        site = walked.drawn(seed, most=128)
        found = order_of(as_fabric.fabric(site)) if site else None
        if site is None or found is None or len(found.steps) < 3:
            continue
        fabric = as_fabric.fabric(site)
        if found.over:
            fabric = by_detour(fabric)[0]
        elif {step.after for step in found.steps} - {"new", "absent"}:
            fabric = expanded(fabric)
        moves = [(step.devices, step.way == "one at a time") for step in found.steps]
        random.Random(seed).shuffle(moves)
        wrong += bool(walked.first_wrong(as_fabric.site(fabric, site), moves))
    assert wrong >= 5


@pytest.mark.parametrize("tiers", TIERS)
class TestCases:
    def found(self, tiers: str, change: Change) -> Order:
        return order(plan(tiers), changed(tiers, change))

    def test_nothing_to_do(self, tiers):
        found = order(plan(tiers), plan(tiers))
        assert (found.steps, found.own, found.refused) == ((), None, None)

    def test_another_dscp_is_taken_by_all_before_any_sends_it(self, tiers):
        found = self.found(tiers, lossless(dscp=34))
        assert found.own
        assert found.own.kind == "class"
        assert dict(found.own.state) == {"leaf-p1-r0": "old", "node-p1-1": "new"}
        ways = told(found)
        migrates = ways.index(("hosts", "ready", "moved", "together"))
        assert {after for _, _, after, _ in ways[:migrates]} == {"ready"}
        assert {after for _, _, after, _ in ways[migrates + 1 :]} == {"new"}
        assert len(ways) == (7 if tiers == "two" else 9)
        assert "sends DSCP 34 instead of 26" in said(found)

    def test_each_version_between_is_a_plan_whose_own_waves_are_right(self, tiers):
        steps = [
            lossless(dscp=26, also_dscps=[34]),
            lossless(dscp=34, also_dscps=[26]),
            lossless(dscp=34),
        ]
        plans = [plan(tiers), *(changed(tiers, step) for step in steps)]
        assert [order(*pair).own for pair in pairwise(plans)] == [None, None, None]
        fields = order(plans[0], plans[-1]).fields
        assert fields
        assert fields.unsaid == ()
        assert fields.lines == {
            "ready": ("lossless.dscp: 26", "lossless.also_dscps: [34]"),
            "moved": ("lossless.dscp: 34", "lossless.also_dscps: [26]"),
            "new": ("lossless.dscp: 34", "lossless.also_dscps: []"),
        }

    def test_a_dscp_that_was_of_cnps_takes_a_detour(self, tiers):
        found = self.found(tiers, lossless(dscp=48, cnp={"dscp": 26, "priority": 6}))
        assert found.own
        assert found.steps
        assert [dscp for dscp, _ in found.over] == [26, 48]
        assert found.fields
        assert found.fields.unsaid == ()
        lent = dict(found.over)
        via = lossless(dscp=lent[48], cnp={"dscp": lent[26], "priority": 6})
        says = (f"lossless.dscp: {lent[48]}", f"lossless.cnp.dscp: {lent[26]}")
        back = ("lossless.dscp: 48", "lossless.cnp.dscp: 26")
        assert found.fields.lines == {"via": says, "new": back}
        assert self.found(tiers, via).over == ()

    def test_another_priority_goes_over_a_dscp_of_nobody(self, tiers):
        found = self.found(tiers, lossless(priority=4))
        assert found.own
        assert found.own.kind == "lossy"
        assert dict(found.over).keys() == {26}
        assert "DSCP 26 is in priority 3, and shall be in 4" in found.conflict
        lent = dict(found.over)[26]
        sends = [one for one in said(found) if one.startswith("sends")]
        assert found.fields
        assert "two lossless priorities" in found.fields.unsaid[0]
        assert sends == [f"sends DSCP {lent} instead of 26", f"sends DSCP 26 instead of {lent}"]

    def test_more_mtu_is_for_switches_first(self, tiers):
        found = order(changed(tiers, mtu(4200, 4400)), plan(tiers))
        assert found.own
        assert found.own.kind == "size"
        assert told(found)[-1][0] == "hosts"

    def test_less_mtu_is_for_hosts_first_as_waves_are(self, tiers):
        found = self.found(tiers, mtu(4200, 4400))
        assert found.own is None
        assert told(found)[0][0] == "hosts"
        assert told(found)[-1][0] in ("leaf", "storage")

    def test_adaptive_routing_waits_for_nics(self, tiers):
        off, on = (adaptive(plan(tiers), switches=one, nics=one) for one in (False, True))
        assert order(off, on).own is None
        back = order(on, off)
        assert back.own
        assert back.own.kind == "order"
        assert told(back)[-1][0] == "hosts"

    def test_another_as_of_spines(self, tiers):
        found = self.found(tiers, asn(spines=4200070000))
        assert found.own
        assert found.own.kind == "away"
        assert {step.way for step in found.steps} == {"one at a time"}
        first, last = said(found)[0], said(found)[-1]
        assert first == "takes any other AS of its neighbours"
        assert last == "expects its neighbours' AS"
        assert all(step.drained == step.devices for step in found.steps)

    def test_another_as_of_leaves(self, tiers):
        found = self.found(tiers, asn(leaves=4200080000))
        assert found.steps
        assert {step.way for step in found.steps} == {"one at a time"}

    def test_who_gets_the_as_of_another_comes_after_it(self, tiers):
        """For a while two leaves would have one AS, and BGP refuses a path that has it twice."""
        (first, *_) = (one for one in plan(tiers).switches if one.name == "leaf-p1-r0")
        found = self.found(tiers, asn(leaves=first.asn + 1))
        moved = [one.devices for one in found.steps if "another AS" in one.changes]
        leaves = [name for names in moved for name in names]
        assert leaves == ["leaf-p2-r1", "leaf-p2-r0", "leaf-p1-r1", "leaf-p1-r0"]

    @pytest.mark.parametrize("name", ["leaf-p1-r0", "spine"])
    def test_a_box_is_exchanged(self, tiers, name):
        box = next(one.name for one in plan(tiers).switches if one.name.startswith(name))
        found = order(plan(tiers), plan(tiers), [box])
        assert found.own
        assert found.own.kind == "away"
        (step,) = found.steps
        assert (step.devices, step.drained, step.changes) == ((box,), (box,), ("replaced",))


def one_spine() -> Plan:
    def change(site):
        site["topology"]["spines"] = 1
        site["topology"]["maxima"]["spines"] = 1
        site["topology"]["uplinks_per_spine"] = 4

    return changed("two", change)


def test_what_no_order_avoids_is_said():
    """A spine without another beside it is away in every order."""
    found = order(one_spine(), one_spine(), ["spine1"])
    assert found.steps == ()
    assert found.refused
    assert found.refused.kind == "path"
    assert ("spine1", "away") in found.refused.state
    assert found.whole


def test_a_fabric_that_pauses_nothing_is_judged_by_the_rest():
    """What is wrong before and after is excused, and said."""
    fabric = fabric_of(plan("two"), changed("two", mtu(4200, 4400)))
    assert {one.kind for one in order_of(fabric).excused} == set()
    bare = changed("two", lossless(mode="marking-only"))
    assert {one.kind for one in order(bare, bare).excused} == {"class", "cnp"}
