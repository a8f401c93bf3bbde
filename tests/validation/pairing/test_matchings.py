"""Random matchings: who meets whom, by which names, and what evidence says that it was asked."""

from __future__ import annotations

import pytest

from tests.generated.sites import Size
from tests.validation.healthy import frame
from tests.validation.recorded import lab
from tests.validation.uplinks import uplink_load
from validation.evidence.store import ASKED, EvidenceError, EvidenceStore
from validation.expect import expectations
from validation.pairing.loads import terms_of
from validation.pairing.matchings import MOST, Matchings, asked_by, asked_in, rounds
from validation.pairing.schedule import Pair, loads
from validation.pairing.top_up import random_matching
from validation.stages.s50_pairs.expect import BandwidthExpected

from .test_schedule import site

PLAN = site(Size(pods=4, spines=4, rails=2, nodes_per_pod=5))
EVERY = frozenset(PLAN.devices)
THREE = Matchings(3, 7)
LAB = frozenset(lab().devices)


def met(asked: Matchings, scope: frozenset[str] = EVERY) -> list[set[tuple[int, str, str]]]:
    named = rounds(PLAN, scope, [asked])
    return [{(one.rail, one.sender, one.receiver) for one in flows} for _, flows in named]


def test_the_same_seed_gives_the_same_pairs_and_more_of_them_only_add():
    assert met(THREE) == met(Matchings(3, 7))
    assert met(Matchings(5, 7))[:3] == met(THREE)
    assert met(THREE) != met(Matchings(3, 8))
    assert len({frozenset(one) for one in met(Matchings(5, 7))}) == 5


def test_who_is_missing_changes_nothing_for_the_others():
    some = EVERY - {"node-p1-1", "node-p3-2"}
    for whole, part in zip(met(THREE), met(THREE, some), strict=True):
        assert part == {one for one in whole if {one[1], one[2]} <= some}


def test_matchings_go_across_leaves_no_nic_twice_within_the_uplinks_load():
    most = terms_of("iperf3").uplink_load
    for number in range(1, 9):
        pairs: tuple[Pair, ...] = random_matching(PLAN, EVERY, f"7.{number}")
        assert pairs
        assert all(one.crosses and one.a.rail == one.b.rail for one in pairs)
        assert len({seat for one in pairs for seat in (one.a, one.b)}) == 2 * len(pairs)
        assert max(uplink_load(PLAN, pairs).values()) <= most + 1e-9


def test_uplinks_too_thin_for_any_pair_still_carry_one():
    """Half of one uplink is less than a pair; so it is in planned rounds."""
    thin = site(Size(pods=3, spines=1, rails=1, nodes_per_pod=3, uplinks=1))
    assert len(random_matching(thin, frozenset(thin.devices), 1)) == 1


def test_names_ids_and_ports_are_nobody_elses():
    planned = [flow for row in loads(PLAN, EVERY) for flow in row]
    matched = [flow for _, row in rounds(PLAN, EVERY, [Matchings(MOST, 7)]) for flow in row]
    for pick in ("id", "command", "port"):
        mine = {getattr(one, pick) for one in matched}
        assert mine.isdisjoint({getattr(one, pick) for one in planned})
    assert max(one.port for one in matched) < 32768  # Linux's ephemeral ports begin there
    assert len({(one.receiver, one.port) for one in matched}) == len(matched)
    assert {one for flow in matched for one in asked_by([flow.command])} == {Matchings(MOST, 7)}
    assert not list(asked_by(one.command for one in planned))


def test_what_is_asked_is_expected_beside_the_plan_and_counted():
    plain, more = (expectations(PLAN, EVERY, matchings=some) for some in ((), [THREE]))
    added = {one for one in more if isinstance(one, BandwidthExpected) and one.matching}
    assert {one.matching for one in added} == set(THREE.names)
    assert {one.id for one in more} - {one.id for one in plain} == {one.id for one in added}
    counted = [one.rounds for one in more if one.check == "coverage"]  # type: ignore[attr-defined]
    assert counted
    assert all(set(THREE.names) <= set(one) for one in counted)


def left(store: EvidenceStore, command: str) -> EvidenceStore:
    store.add([frame(lab(), "node-p1-1", command, "x")])
    return store


def test_what_was_asked_is_known_by_the_list_or_by_any_frame(tmp_path):
    store = EvidenceStore(tmp_path)
    store.asked.add(THREE.words)
    left(store, "ip -j link show").save()
    assert asked_in(EvidenceStore.load(tmp_path)) == (THREE,)
    (tmp_path / ASKED).unlink()
    assert asked_in(EvidenceStore.load(tmp_path)) == ()
    for name in (f"probe bw iperf3 {THREE.names[1]}:rail0:a>b", f"round {THREE.names[0]} before"):
        assert asked_in(left(EvidenceStore(), name)) == (THREE,)


@pytest.mark.parametrize("said", ["", "[", "{}", "[3]", '["3 matchings of something else"]'])
def test_a_list_that_cannot_be_read_leaves_nothing_to_judge(tmp_path, said):
    store = EvidenceStore(tmp_path)
    store.asked.add(THREE.words)
    left(store, "x").save()
    (tmp_path / ASKED).write_text(said)
    with pytest.raises(EvidenceError, match="asked"):
        asked_in(EvidenceStore.load(tmp_path))


def test_more_than_anybody_may_ask_is_refused():
    with pytest.raises(EvidenceError, match="are the most"):
        asked_in(left(EvidenceStore(), "probe bw iperf3 matching-1-of-99999999-seed-1:rail0:a>b"))


def test_a_store_of_a_run_that_was_asked_nothing_has_no_list(tmp_path):
    store = EvidenceStore(tmp_path)
    store.asked.add(THREE.words)
    store.save()
    EvidenceStore(tmp_path).save()
    assert not (tmp_path / ASKED).exists()
