"""Coverage: an uplink is proved by its counters or not at all, and what is missing is topped up."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inventory import open_site, site_folder
from inventory.plan import Plan, PortRef
from inventory.reading.fields import Unreadable
from switch_configs.answers.carried import Carried
from tests.generated.sites import Size
from tests.plugins.tiers import examples
from tests.validation.carried_says import SAYS
from tests.validation.healthy import stage_50
from tests.validation.pairing.test_schedule import SIZES, site
from tests.validation.recorded import lab
from tests.validation.uplinks import asked, counted, moved, uplink_load
from validation.counters import ask, read
from validation.evidence.store import EvidenceStore, Frame
from validation.ladder import ladder
from validation.pairing.coverage import coverages, lanes, loaded, not_seen
from validation.pairing.fill import Fill
from validation.pairing.loads import terms_of
from validation.pairing.schedule import loads
from validation.pairing.top_up import random_matching, top_up
from validation.run import validate
from validation.verdict import Finding, Verdict

LEAF = "leaf-p1-r0"
EVERYTHING = frozenset(lab().devices)


def one_of(device: str = LEAF):
    return next(one for one in asked(lab()) if one.device == device)


def judged(frames: Iterable[Frame]) -> dict[str, Finding]:
    store = EvidenceStore()
    store.add(frames)
    found = validate(lab(), 50, store, None, EVERYTHING).findings
    return {one.device: one for one in found if one.check == "coverage"}


def test_every_leaf_of_the_lab_is_asked_for_both_its_uplinks():
    assert {one.device: [up.port for up in one.uplinks] for one in asked(lab())} == {
        f"leaf-p{pod}-r{rail}": ["swp5", "swp6"] for pod in (1, 2) for rail in (0, 1)
    }


def test_uplinks_that_were_loaded_in_different_rounds_pass():
    case = stage_50.healthy()
    every = validate(case.plan, 50, case.store, None, EVERYTHING).findings
    found = [one for one in every if one.check == "coverage"]
    assert {one.verdict for one in found} == {Verdict.PASS}
    assert {one.figure.value for one in found if one.figure} == {100.0}


def test_an_uplink_that_nobody_saw_loaded_is_inconclusive_and_named():
    found = judged(counted(lab(), one_of(), "2", ["swp5"]))
    assert found[LEAF].verdict is Verdict.INCONCLUSIVE
    assert "1 of 2 not seen loaded: swp6 (down and up)" in found[LEAF].found
    assert found[LEAF].suspect == f"uplinks of {LEAF}"


SLOW_UP, SLOW_DOWN = PortRef("leaf-p1-r1", "swp6"), PortRef("leaf-p2-r1", "swp6")
MARK, RATE = 0.065, 0.57  # Gbit in 3 s


@pytest.mark.parametrize(
    ("apart", "suspect"),
    [
        ({}, "cable leaf-p1-r1:swp6 -- spine2:swp2 or 1 others"),
        ({SLOW_DOWN: (RATE, RATE)}, "cable leaf-p1-r1:swp6 -- spine2:swp2"),
        ({SLOW_UP: (RATE, RATE)}, "cable leaf-p2-r1:swp6 -- spine2:swp4"),
    ],
)
def test_an_uplink_that_is_full_at_a_tenth_fails_although_no_flow_was_slow(apart, suspect):
    """Planned flows took the other one. Of two in a row that which was so without the other."""
    store, narrow = EvidenceStore(), {SLOW_UP: (RATE, MARK), SLOW_DOWN: (MARK, RATE)}
    case = stage_50.healthy()
    store.add(one for one in case.store if "uplinks round" not in one.command)
    for one in asked(case.plan):
        for name in (*one.rounds, *one.top_ups):
            ways = {**narrow, **(apart if name == "top-up 2" else {})}
            store.add(moved(case.plan, one, name, ways))
    others = frozenset(ladder()) - {50}
    found = validate(case.plan, 50, store, None, EVERYTHING, leave_out=others).findings
    bad = [one for one in found if one.verdict is not Verdict.PASS]
    assert bad
    assert {(one.check, one.verdict) for one in bad} == {("coverage", Verdict.FAIL)}
    assert {one.suspect for one in bad} == {suspect}
    assert len(bad) == (1 if apart else 2)


def test_a_round_counted_at_one_end_only_proves_nothing():
    both = counted(lab(), one_of(), "2", ["swp5", "swp6"])
    assert judged(both)[LEAF].verdict is Verdict.PASS
    assert judged(both[:1])[LEAF].verdict is Verdict.INCONCLUSIVE
    half = counted(lab(), one_of(), "top-up 1", ["swp5"])[:1]
    assert judged([*both, *half])[LEAF].verdict is Verdict.INCONCLUSIVE


def test_a_switch_that_could_not_count_is_inconclusive():
    both = [replace(one, exit_status=1) for one in counted(lab(), one_of(), "2", ["swp5", "swp6"])]
    assert judged(both)[LEAF].verdict is Verdict.INCONCLUSIVE


def with_dialect(dialect: str) -> Plan:
    """The lab's plan as if its first leaf ran another system."""
    leaf = replace(lab().switch[LEAF], dialect=dialect)
    others = tuple(leaf if one.name == LEAF else one for one in lab().switches)
    return replace(lab(), switches=others)


def finding(plan: Plan, frames: Iterable[Frame]) -> Finding:
    """What stage 50 says of that leaf's uplinks."""
    store = EvidenceStore()
    store.add(frames)
    others = frozenset(ladder()) - {50}
    only = frozenset({"coverage"})
    told = validate(plan, 50, store, None, EVERYTHING, leave_out=others, checks=only)
    return next(one for one in told.findings if one.expectation == f"coverage:{LEAF}")


@pytest.mark.parametrize("dialect", sorted(SAYS))
def test_uplinks_are_counted_whatever_the_switch_runs(dialect):
    plan = with_dialect(dialect)
    found = finding(plan, counted(plan, one_of(), "2", ["swp5", "swp6"]))
    assert found.verdict is Verdict.PASS
    part = finding(plan, counted(plan, one_of(), "2", ["swp5"]))
    assert part.verdict is Verdict.INCONCLUSIVE
    assert "1 of 2 not seen loaded: swp6 (down and up)" in part.found


@pytest.mark.parametrize("dialect", sorted(SAYS))
def test_counters_of_another_system_or_half_of_them_prove_nothing(dialect):
    other = with_dialect("eos" if dialect == "linux_frr" else "linux_frr")
    mine = with_dialect(dialect)
    frames = [
        replace(one, plan_digest=mine.digest)
        for one in counted(other, one_of(), "2", ["swp5", "swp6"])
    ]
    assert finding(mine, frames).verdict is Verdict.INCONCLUSIVE
    both = counted(mine, one_of(), "2", ["swp5", "swp6"])
    for half in (both[:1], both[1:], both[::-1]):
        names = [one.command for one in both]
        swapped = [replace(one, command=name) for one, name in zip(half, names, strict=False)]
        assert finding(mine, swapped).verdict is Verdict.INCONCLUSIVE


def test_a_switch_whose_counters_nobody_can_read_is_inconclusive():
    plan = with_dialect("cumulus")
    frames = counted(plan, one_of(), "2", ["swp5", "swp6"])
    unread = with_dialect("vyos")
    found = finding(unread, [replace(one, plan_digest=unread.digest) for one in frames])
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "cannot be read" in found.found
    assert ask.carried("vyos", ["swp5"]) is None


GBIT = 10**9 // 8


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (Carried(10, {"swp5": (0, 0), "swp6": (9, 9)}), Carried(14, {"swp5": (1, 1)})),
        (
            Carried(10, {"swp5": (0, GBIT), "swp6": (0, 0)}),
            Carried(14, {"swp5": (GBIT, 0), "swp6": (GBIT, GBIT)}),
        ),
        *(
            (
                Carried(10, {"swp5": (0, 0), "swp6": (0, 0)}),
                Carried(10 + apart, {"swp5": (GBIT, GBIT), "swp6": (GBIT, GBIT)}),
            )
            for apart in (-4, 0, 2.9, 190)
        ),
    ],
)
def test_counters_that_cannot_be_of_one_round_prove_nothing(before, after):
    """A port is missing, went back, or readings are not as far apart as a round."""
    with pytest.raises(Unreadable):
        loaded(one_of(), before, after)


@given(st.integers(0, GBIT), st.integers(0, GBIT))
def test_each_way_counts_alone(received, sent):
    before = Carried(10, {"swp5": (0, 0), "swp6": (0, 0)})
    after = Carried(14, {"swp5": (received, sent), "swp6": (0, 0)})
    least = 0.2 * 0.25 * 3 * GBIT
    ways = {way for ref, way in loaded(one_of(), before, after) if ref == PortRef(LEAF, "swp5")}
    assert ways == {way for way, size in (("down", received), ("up", sent)) if size >= least - 1e-6}


def test_the_line_reads_a_real_kernel():
    line = ask.carried("linux_frr", ["lo"])
    assert line is not None
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True)
    found = read.carried("linux_frr", done.stdout)
    assert set(found.ports) == {"lo"}
    assert found.uptime_s > 0
    none = ask.carried("linux_frr", ["lo", "no0"])
    assert none is not None
    done = subprocess.run(["sh", "-c", none], capture_output=True, text=True)
    with pytest.raises(Unreadable):
        read.carried("linux_frr", done.stdout)


@settings(max_examples=examples(10, full=25), deadline=None)
@given(SIZES, st.data())
def test_a_top_up_uses_what_is_missing_and_fits(size, data):
    plan = site(size)
    everything = frozenset(plan.devices)
    every = lanes(coverages(plan, everything, loads(plan, everything)))
    assert bool(every) == (size.pods > 1)
    if not every:
        return
    some = data.draw(st.sets(st.sampled_from(sorted(every)), min_size=1))
    flows = top_up(plan, everything, some, 400)
    assert flows == top_up(plan, everything, some, 400)
    needy = {ref.device for ref, _ in some}
    assert needy & {leaf for one in flows for leaf in one.leaves}
    assert all(needy & set(one.leaves) for one in flows)
    busy = Counter((one.sender, one.sender_port) for one in flows)
    assert set(busy.values()) <= {1}
    terms = terms_of("iperf3")
    assert {one.terms.streams for one in flows} <= {terms.top_up_streams}
    used = Fill(plan)
    for one in flows:
        used.add(*one.leaves, one.rate_gbps / 2)
    assert max(used.shares.values()) <= terms.top_up_load + 1e-9


def test_nothing_is_topped_up_where_nothing_is_missing():
    assert top_up(lab(), EVERYTHING, frozenset(), 400) == ()


def test_a_random_matching_is_drawn_anew_by_its_seed():
    plan = site(Size(pods=5, spines=4, rails=2, nodes_per_pod=6))
    everything = frozenset(plan.devices)
    first, second = (random_matching(plan, everything, seed) for seed in (1, 2))
    assert first != second
    assert first == random_matching(plan, everything, 1)
    assert all(one.crosses for one in first)
    assert max(uplink_load(plan, first).values()) <= terms_of("iperf3").uplink_load + 1e-9


def test_three_tiers_are_filled_no_further_than_any_tier_carries():
    plan = replace(open_site(site_folder("superpod-10k")), undeployable=())
    for most in (0.25, 1.0):
        fill = Fill(plan)
        nodes = 0
        while fill.fits("leaf-p01-r0", "leaf-p02-r0", 400, most):
            fill.add("leaf-p01-r0", "leaf-p02-r0", 400)
            nodes += 1
        assert nodes == 64 * most
        leaves = {f"leaf-{pod}-r0" for pod in ("p01", "p02")}
        spines = {f"spine-{pod}-{number}" for pod in ("p01", "p02") for number in range(1, 9)}
        assert fill.climbed("leaf-p01-r0", "leaf-p02-r0") == leaves | spines
        within = fill.climbed("leaf-p01-r0", "leaf-p01-r1")
        assert within == {"leaf-p01-r0", "leaf-p01-r1"}


def test_what_was_not_seen_is_said_by_port_and_way():
    one = one_of()
    seen = lanes([one]) - {(PortRef(LEAF, "swp6"), "up")}
    assert not_seen(one, seen) == ("swp6 (up)",)
