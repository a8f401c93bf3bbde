"""Stage 50's latency: what is asked of whom, what a result must be, and who is blamed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inventory.plan import Plan
from inventory.reading.fields import Unreadable
from tests.generated.sites import Size
from tests.plugins.tiers import examples
from tests.validation.pairing.test_schedule import site
from tests.validation.recorded import EVIDENCE, lab
from tests.validation.recorded_rdma import rdma_run, two
from tests.vm.two_plan import CONFIGURED, NODES
from validation.evidence.store import EvidenceStore
from validation.pairing import latency
from validation.pairing.late import blame, opinion
from validation.pairing.latency import LatencyProbe, latencies, latency_terms
from validation.pairing.latency_result import Waited, waited
from validation.pairing.loads import terms_of
from validation.pairing.schedule import loads
from validation.run import validate
from validation.verdict import Finding, Verdict

from .test_pairs import sealed

PRINTED = (EVIDENCE / "perftest/ib_write_lat_client.txt").read_text()
LAT = f"lat:rail0:{NODES[0]}>{NODES[1]}"
BW = tuple(f"bw:rail0:{a}>{b}" for a, b in (NODES, NODES[::-1]))


@cache
def model() -> Plan:
    """The lab's generated kin, larger, with an RDMA device of 400G on every rail."""
    plan = site(Size(pods=3, spines=2, rails=2, nodes_per_pod=5))
    nodes = tuple(
        replace(
            node,
            rails=tuple(replace(nic, rdma_device=f"mlx5_{nic.index}") for nic in node.rails),
        )
        for node in plan.nodes
    )
    cables = tuple(replace(one, rate_gbps=400.0) for one in plan.cables)
    return replace(plan, nodes=nodes, cables=cables)


def probes(plan: Plan) -> list[LatencyProbe]:
    return [one for row in latencies(plan, frozenset(plan.devices)) for one in row]


# -- what is asked --------------------------------------------------------------------------------


def test_a_site_without_rdma_is_asked_nothing():
    assert latencies(lab(), frozenset(lab().devices)) == ()


def test_every_nic_is_timed_with_two_of_its_leaf_and_every_two_leaves_once():
    found = probes(model())
    inside = [one for one in found if one.leaves[0] == one.leaves[1]]
    met = Counter((one.rail, node) for one in inside for node in (one.sender, one.receiver))
    assert len(met) == len(model().nodes) * 2
    assert min(met.values()) >= latency.PARTNERS
    across = Counter(frozenset(one.leaves) for one in found if one.leaves[0] != one.leaves[1])
    assert set(across.values()) == {1}
    assert len(across) == 2 * 3  # rails, and pairs of three pods
    assert {one.switches for one in inside} == {1}
    assert {one.switches for one in found if one not in inside} == {3}
    assert len({one.command for one in found}) == len(found)


def test_nobody_is_timed_twice_in_a_round():
    for row in latencies(model(), frozenset(model().devices)):
        ends = [(one.rail, node) for one in row for node in (one.sender, one.receiver)]
        assert len(ends) == len(set(ends))


def test_what_is_not_configured_is_not_asked():
    gone = model().nodes[0].name
    found = [one for row in latencies(model(), frozenset(model().devices) - {gone}) for one in row]
    assert found
    assert all(gone not in (one.sender, one.receiver) for one in found)
    spines = {one.name for one in model().switches if one.tier == "spine"}
    rows = latencies(model(), frozenset(model().devices) - spines)
    assert {one.switches for row in rows for one in row} == {1}


def test_bounds_follow_switches_and_fibre():
    near, far = (next(one for one in probes(model()) if one.switches == n) for n in (1, 3))
    assert near.most_us == pytest.approx(3.5 + near.fibre_us)
    assert far.most_us == pytest.approx(5.5 + far.fibre_us)
    assert near.cable_m == 2 * 3
    assert far.cable_m == 2 * 3 + 2 * 30
    assert far.most_p99_us == pytest.approx(1.5 * far.most_us)


def test_links_below_a_gigabit_are_soft_roce():
    (probe,) = probes_of_two()
    assert probe.terms == latency_terms("soft_roce")
    (row,) = loads(two(), CONFIGURED)
    assert {one.terms for one in row} == {terms_of("soft_roce")}


def probes_of_two() -> list[LatencyProbe]:
    return [one for row in latencies(two(), CONFIGURED) for one in row]


def test_thresholds_are_read_strictly(tmp_path, monkeypatch):
    text = latency.THRESHOLDS.read_text()
    other = tmp_path / "latency.yml"
    for wrong in (text.replace("  gap: 0.25\n", ""), text.replace("  gap: 0.25", "  gup: 0.25")):
        other.write_text(wrong)
        monkeypatch.setattr(latency, "THRESHOLDS", other)
        latency_terms.cache_clear()
        with pytest.raises(ValueError, match="gap"):
            latency_terms("ib_write_lat")
    latency_terms.cache_clear()


# -- what a result must be ------------------------------------------------------------------------


def asked(**terms: object) -> LatencyProbe:
    (probe,) = probes_of_two()
    mine = replace(probe.terms, iterations=500, **terms)  # type: ignore[arg-type]
    return replace(probe, sender_device="rxe0", terms=mine)


def test_a_result_is_its_median_and_its_99th_percentile():
    found = waited(asked(), 0, PRINTED, "")
    assert (found.median_us, found.p99_us) == (22060.08, 24226.19)
    assert not found.late
    assert waited(asked(nics_us=20000.0), 0, PRINTED, "").late
    assert waited(asked(p99_share=0.1), 0, PRINTED, "").late
    assert waited(replace(asked(), cable_m=5e6), 0, PRINTED, "").impossible


@pytest.mark.parametrize(
    ("probe", "status", "text"),
    [
        (replace(asked(), sender_device="mlx5_0"), 0, PRINTED),
        (asked(size_bytes=4), 0, PRINTED),
        (replace(asked(), terms=replace(asked().terms, iterations=499)), 0, PRINTED),
        (asked(), 1, PRINTED),
        (asked(), 1, ""),
        (asked(), 0, PRINTED.replace("Link type       : Ethernet", "Link type       : IB")),
        (asked(), 0, PRINTED.replace("Number of qps   : 1", "Number of qps   : 2")),
        (asked(), 0, PRINTED.replace("RDMA_Write Lat", "RDMA_Read Lat")),
        (asked(), 0, PRINTED.replace("Test\n", "Test\n Test with events. Using rxe0_comp0\n", 1)),
    ],
)
def test_a_run_that_was_not_asked_is_no_result(probe, status, text):
    with pytest.raises(Unreadable):
        waited(probe, status, text, "" if text else "Couldn't connect to 10.16.0.3:20000")


# -- recorded runs --------------------------------------------------------------------------------


def judged(store: EvidenceStore) -> dict[str, Finding]:
    found = validate(two(), 50, store, None, CONFIGURED).findings
    return {one.expectation: one for one in found if one.stage == 50}


def test_a_real_pair_passes():
    """ib_write_bw and ib_write_lat over soft-RoCE, recorded between two virtual machines."""
    found = judged(rdma_run("healthy"))
    assert set(found) == {*BW, LAT}
    assert {one.verdict for one in found.values()} == {Verdict.PASS}
    figure = found[LAT].figure
    assert figure is not None
    assert (figure.value, figure.unit) == (3504.12, "us")


def test_a_real_pair_on_a_slow_rail_fails():
    found = judged(rdma_run("slow"))
    assert found[BW[0]].verdict is Verdict.FAIL
    assert found[BW[0]].suspect == f"pair {NODES[0]} and {NODES[1]} on rail 0"


def test_a_real_node_without_its_rdma_device_is_named():
    found = judged(rdma_run("no_device"))
    assert {one.verdict for one in found.values()} == {Verdict.INCONCLUSIVE}
    assert {one.suspect for one in found.values()} == {f"NIC {NODES[1]}:rail0"}


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        (b"3504.12", b"3504.12", Verdict.PASS),
        (b"18849.54", b"98849999.54", Verdict.FAIL),
        (b"617.66", b"99999.66", Verdict.INCONCLUSIVE),
        (b"       100 ", b"       101 ", Verdict.INCONCLUSIVE),
    ],
)
def test_a_changed_time_is_judged_anew(old, new, verdict):
    store = EvidenceStore()
    for frame in rdma_run("healthy"):
        assert old in frame.payload or "lat" not in frame.command
        changed = frame.payload.replace(old, new) if "lat" in frame.command else frame.payload
        store.add([sealed(frame, changed)])
    assert judged(store)[LAT].verdict is verdict


# -- who is blamed: a model that the locator is not told -------------------------------------------


def timed(plan: Plan, slow: dict[tuple[int, str], float]) -> list[Waited]:
    """Each NIC of `slow` adds so many microseconds to all that it takes part in."""
    found = []
    for at, probe in enumerate(probes(plan)):
        noise = 0.02 * (at % 7)
        extra = sum(slow.get((probe.rail, node), 0) for node in (probe.sender, probe.receiver))
        median = 1.2 + 0.5 * probe.switches + noise + extra
        found.append(Waited(probe, median, median * 1.05))
    return found


def blamed(plan: Plan, found: list[Waited]) -> set[str]:
    return {blame(plan, one.probe, found).suspect for one in found if opinion(one, found).why}


NICS = st.tuples(st.integers(0, 1), st.sampled_from(sorted(one.name for one in model().nodes)))


def test_healthy_pairs_blame_nobody():
    assert blamed(model(), timed(model(), {})) == set()


@settings(max_examples=examples(10, full=40), deadline=None)
@given(NICS, st.floats(3.0, 50.0))
def test_one_late_nic_is_named(nic, extra_us):
    rail, node = nic
    nics = {one.index: one.port for one in model().node[node].rails}
    named = blamed(model(), timed(model(), {nic: extra_us}))
    cable = next(
        one
        for one in model().cables
        if any((end.device, end.port) == (node, nics[rail]) for end in (one.a, one.b))
    )
    assert f"cable {cable}" in named
    assert all(one == f"cable {cable}" or one.startswith("path ") for one in named)


def test_an_outlier_within_the_bound_is_late():
    """A NIC at 3.3 us where all others are at 1.8: 3.5 would allow it, its fleet does not."""
    node = model().nodes[0].name
    found = timed(model(), {(0, node): 1.5})
    late = [one for one in found if opinion(one, found).why]
    assert late
    assert all(node in (one.probe.sender, one.probe.receiver) for one in late)
    assert all(not one.late for one in late)
