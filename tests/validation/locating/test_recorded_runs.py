"""Whole runs recorded from real FRR and lldpd: healthy ones pass, broken ones are located."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.validation.recorded import RUNS, gated, judged, lab, recorded
from validation.judging.gate import Word
from validation.verdict import Verdict

BEHIND_SPINE1 = {
    "cable leaf-p1-r0:swp5 -- spine1:swp1",
    "cable leaf-p1-r1:swp5 -- spine1:swp2",
    "cable leaf-p2-r0:swp5 -- spine1:swp3",
    "cable leaf-p2-r1:swp5 -- spine1:swp4",
}
SUSPECTS = {
    "link_down": {"port leaf-p1-r0:swp5"},
    "mtu_1500": {"port leaf-p1-r0:swp2"},
    "mtu_uplink": {"port leaf-p1-r0:swp5"},
    "asn_changed": {"device spine1"},
    "bgpd_dead": {"device spine1"},
    "lldpd_dead": {"device node-p2-2"},
    "swapped_uplinks": {
        "swapped cables leaf-p1-r0:swp5 -- spine1:swp1 and leaf-p1-r1:swp5 -- spine1:swp2"
    },
    "swapped_nodes": {
        "swapped cables leaf-p1-r0:swp1 -- node-p1-1:rail0 and leaf-p1-r0:swp2 -- node-p1-2:rail0"
    },
    "stale_kernel": {"kernel routes of leaf-p1-r0"},
    "lost_on_spine1": BEHIND_SPINE1,
    "remarked": BEHIND_SPINE1,
}
HEALTHY = ("healthy", "healthy_nexthop_objects")
THROUGH = {"bgpd_dead": 20, "lldpd_dead": 20}


def test_every_recorded_run_is_judged_here():
    assert {path.name for path in RUNS.iterdir() if path.is_dir()} == {*SUSPECTS, *HEALTHY}


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_run_passes_in_everything(name):
    result = judged(recorded(name))
    assert [one for one in result.findings if one.verdict is not Verdict.PASS] == []
    assert gated(result).word is Word.GO


def test_a_healthy_run_is_asked_all_of_it():
    checks = Counter(one.check for one in judged(recorded("healthy")).findings)
    switches, cables, leaves = 6, 16, 4
    assert checks == {
        "up": 2 * cables,
        "lldp": 2 * cables,
        "bgp": 2 * 8,
        # A leaf knows 3 other aggregates, 3 other leaves and 2 spines; a spine 4 and 4.
        "route": leaves * 8 + 2 * 8,
        "routes": switches,
        "mtu": 2 * cables,
        # Per rail: 2 leaves with a ring of 2 nodes, and 2 ordered pairs of leaves.
        "df": 2 * (2 * 2 + 2),
        "tos": 2 * (2 * 2 + 2),
    }


@pytest.mark.parametrize("name", sorted(SUSPECTS))
def test_a_broken_run_stops_and_names_the_part(name):
    decision = gated(judged(recorded(name), THROUGH.get(name, 40)))
    assert decision.word is Word.STOP
    assert set(decision.suspects) == SUSPECTS[name]


def test_stale_kernel_routes_show_both_widths_and_the_remedy():
    found = [
        one
        for one in judged(recorded("stale_kernel"), 20).findings
        if one.expectation == "route:leaf-p1-r0:10.16.32.0/19"
    ]
    assert [one.verdict for one in found] == [Verdict.FAIL]
    assert found[0].found == "10.16.32.0/19: FRR has swp5, swp6, the kernel swp6"
    assert "no zebra nexthop kernel enable" in found[0].hint


def test_a_changed_asn_is_told_with_both_numbers():
    (reason,) = gated(judged(recorded("asn_changed"), 20)).reasons
    assert "spine1 speaks as AS 4200009999, not 4200000000" in reason.found


def test_both_ends_of_a_dead_link_blame_one_part():
    (reason,) = gated(judged(recorded("link_down"), 20)).reasons
    assert {"up:leaf-p1-r0:swp5", "up:spine1:swp1", "bgp:spine1:swp1"} <= set(reason.expectations)


def test_the_recording_knows_no_device_that_the_plan_lacks():
    assert {frame.device for frame in recorded("healthy")} <= set(lab().devices)


def test_a_small_mtu_is_told_with_the_command_that_mends_it():
    """Not `apply`: it compares files, and finds nothing to do."""
    (reason,) = gated(judged(recorded("mtu_uplink"))).reasons
    found = [one for one in judged(recorded("mtu_uplink")).findings if one.hint]
    assert {one.check for one in found} >= {"mtu", "df"}
    for hint in (reason.hint, *(one.hint for one in found)):
        assert "`ip link set swp5 mtu 9216` on leaf-p1-r0" in hint
