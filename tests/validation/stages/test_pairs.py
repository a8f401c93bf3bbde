"""Stage 50: recorded runs of a lab, and faults drawn by a model that the locator is not told."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inventory.plan import Plan, PortRef
from inventory.reading.fields import Unreadable
from tests.generated.sites import Size
from tests.plugins.tiers import examples
from tests.validation.pairing.test_schedule import site
from tests.validation.recorded import EVIDENCE, lab
from validation.evidence.store import EvidenceStore, Frame
from validation.locating.extra import MOST_EXTRA_ROUNDS
from validation.locating.replay import Replay
from validation.pairing.load_result import Measured, measured
from validation.pairing.loads import LoadProbe, Terms, terms_of
from validation.pairing.locate_slow import blame
from validation.pairing.schedule import loads
from validation.run import validate
from validation.verdict import Finding, Verdict

RUNS = EVIDENCE / "pairs"
PERFTEST = (EVIDENCE / "perftest/ib_write_bw_client.txt").read_text()


def evidence(run: str) -> EvidenceStore:
    loaded = EvidenceStore.load(RUNS / run)
    assert not loaded.problems
    store = EvidenceStore()
    store.add(replace(frame, plan_digest=lab().digest) for frame in loaded)
    return store


def judged(store: EvidenceStore) -> list[Finding]:
    found = validate(lab(), 50, store, None, frozenset(lab().devices))
    return [one for one in found.findings if one.check == "bw"]


def test_a_healthy_lab_passes_with_room():
    found = judged(evidence("healthy"))
    assert len(found) == 12
    assert {one.verdict for one in found} == {Verdict.PASS}
    for row in loads(lab(), frozenset(lab().devices)):
        for flow in row:
            assert 0.9 < read(evidence("healthy"), flow).share < 1


@pytest.mark.parametrize(
    ("run", "cable", "failed"),
    [
        ("slow_nic", "leaf-p1-r0:swp2 -- node-p1-2:rail0", 2),
        ("slow_first_nic", "leaf-p1-r0:swp1 -- node-p1-1:rail0", 3),
    ],
)
def test_a_port_at_a_tenth_is_named_with_its_nic_and_cable(run, cable, failed):
    """In the second run even a flow whose own ways are good: its acknowledgements are late."""
    bad = [one for one in judged(evidence(run)) if one.verdict is not Verdict.PASS]
    assert len(bad) == failed
    assert {(one.verdict, one.suspect) for one in bad} == {(Verdict.FAIL, f"cable {cable}")}


def test_a_slow_uplink_is_no_fault_of_a_nic():
    bad = [one for one in judged(evidence("slow_uplink")) if one.verdict is not Verdict.PASS]
    assert {one.suspect for one in bad} == {
        "path node-p1-1 > node-p2-1",
        "path node-p2-1 > node-p1-1",
    }
    assert all("uplinks of leaf-p" in one.hint for one in bad)


def test_without_the_second_pass_less_is_known_and_nothing_passes():
    store = evidence("slow_nic")
    first = {flow.command for row in loads(lab(), frozenset(lab().devices)) for flow in row}
    cut = EvidenceStore()
    cut.add(frame for frame in store if frame.command in first)
    bad = [one for one in judged(cut) if one.verdict is Verdict.FAIL]
    assert {one.expectation for one in bad} == {
        "bw:rail0:node-p1-1>node-p1-2",
        "bw:rail0:node-p1-2>node-p1-1",
    }


def touched(how: str, frame: Frame, other: Frame) -> Frame | None:
    if how == "cut":
        return replace(frame, payload=frame.payload[:-400])
    if how == "of another flow":
        return replace(other, command=frame.command)
    if how == "removed":
        return None
    return replace(frame, exit_status={"failed": 1, "timed out": 124}[how])


@pytest.mark.parametrize("how", ["removed", "cut", "of another flow", "failed", "timed out"])
def test_touched_evidence_never_passes(how, sampled):
    frames = list(evidence("healthy"))
    for index in sampled(range(len(frames)), 3):
        frame = frames[index]
        changed = touched(how, frame, frames[index - 1])
        store = EvidenceStore()
        store.add(one for one in (*frames[:index], changed, *frames[index + 1 :]) if one)
        bad = [one for one in judged(store) if one.verdict is not Verdict.PASS]
        assert [one.verdict for one in bad] == [Verdict.INCONCLUSIVE]
        assert bad[0].expectation.removeprefix("bw:") in frame.command


def test_more_than_the_link_carries_is_never_a_pass():
    def faster(frame: Frame) -> Frame:
        text = frame.payload.decode()
        many = {"bytes": 10, "bits_per_second": 10}
        told = json.loads(text)
        for part in (told["end"]["sum_sent"], told["end"]["sum_received"]):
            part.update({key: part[key] * by for key, by in many.items()})
        for stream in told["end"]["streams"]:
            stream["receiver"]["bytes"] *= 10
        data = json.dumps(told).encode()
        return sealed(frame, data)

    frames = list(evidence("healthy"))
    store = EvidenceStore()
    store.add([faster(frames[0]), *frames[1:]])
    bad = [one for one in judged(store) if one.verdict is not Verdict.PASS]
    assert [one.verdict for one in bad] == [Verdict.INCONCLUSIVE]
    assert "more than the links carry" in bad[0].found


def sealed(frame: Frame, data: bytes) -> Frame:
    """The frame as its device would have sent it with this payload."""
    return replace(frame, payload=data, byte_length=len(data), sha256=sha256(data).hexdigest())


def read(store: EvidenceStore, flow: LoadProbe) -> Measured:
    frame = store.get(flow.sender, flow.command)
    assert frame
    return measured(flow, frame.exit_status, frame.payload.decode(), frame.errors)


# -- RDMA: the same evidence form, judged from perftest's text ---------------------------------


def rdma_flow(rate_gbps: float = 0.25, **terms: object) -> LoadProbe:
    flow = loads(lab(), frozenset(lab().devices))[0][0]
    asked: Terms = replace(terms_of("ib_write_bw"), streams=1, **terms)  # type: ignore[arg-type]
    return replace(flow, sender_device="rxe0", rate_gbps=rate_gbps, terms=asked)


def test_ib_write_bw_is_judged_by_its_share_of_the_rate():
    assert measured(rdma_flow(), 0, PERFTEST, "").good
    assert measured(rdma_flow(rate_gbps=0.3), 0, PERFTEST, "").slow
    assert measured(rdma_flow(rate_gbps=0.2), 0, PERFTEST, "").impossible


@pytest.mark.parametrize(
    ("flow", "text"),
    [
        (replace(rdma_flow(), sender_device="mlx5_0"), PERFTEST),
        (rdma_flow(), PERFTEST.replace("Link type       : Ethernet", "Link type       : IB")),
        (rdma_flow(), PERFTEST.replace("RDMA_Write BW Test", "RDMA_Write Bidirectional BW Test")),
        (rdma_flow(), PERFTEST.replace("Number of qps   : 1", "Number of qps   : 2")),
        (rdma_flow(), PERFTEST.replace(" 65536 ", " 65535 ")),
        (rdma_flow(), ""),
    ],
)
def test_ib_write_bw_over_another_device_way_or_size_is_no_result(flow, text):
    with pytest.raises(Unreadable):
        measured(flow, 0 if text else 1, text, "Couldn't connect to 10.16.0.1:20000")


# -- A model of slow NICs -----------------------------------------------------------------------


@cache
def model() -> Plan:
    return site(Size(pods=4, spines=4, rails=2, nodes_per_pod=4))


def run_model(
    plan: Plan,
    slow: dict[tuple[int, str, str], float],
    once: tuple[int, str, str] | None = None,
) -> Replay:
    """What flows would get where some NICs' ways carry only a share, extra rounds included.

    The flow `once` is slow the first time that it runs.
    """
    ran: list[tuple[int, str, str]] = []

    def one(flow: LoadProbe) -> Measured:
        ran.append(ends(flow))
        if ends(flow) == once and ran.count(once) == 1:
            return Measured(flow, flow.rate_gbps * 0.7)
        ways = ((flow.rail, flow.sender, "sends"), (flow.rail, flow.receiver, "receives"))
        return Measured(flow, flow.rate_gbps * min([0.98, *(slow.get(way, 1) for way in ways)]))

    found = Replay(plan, (), one, lambda *_: None)
    found.add_planned(flow for row in loads(plan, frozenset(plan.devices)) for flow in row)
    assert len(list(found.rounds())) <= MOST_EXTRA_ROUNDS
    return found


def test_a_flow_that_is_slow_once_beside_a_bad_nic_is_no_second_fault():
    """On the lab, where the bad NIC takes from it every partner but one."""
    bad = {(0, "node-p1-2", does): 0.1 for does in ("sends", "receives")}
    for once in (("node-p1-1", "node-p2-1"), ("node-p2-1", "node-p2-2")):
        found = run_model(lab(), bad, once=(0, *once))
        [flow] = [
            one.flow for each in found.planned for one in each.slow if ends(one.flow) == (0, *once)
        ]
        assert found.was_chance(flow)
        others = {
            found.located.suspect_of(one.flow) for each in found.planned for one in each.slow
        } - {None}
        assert {one.name for one in others if one} == {cable(lab(), 0, "node-p1-2")}


def ends(flow: LoadProbe) -> tuple[int, str, str]:
    return flow.rail, flow.sender, flow.receiver


def blamed(plan: Plan, found: Replay) -> set[str]:
    """Whom stage 50 blames for the planned flows."""
    suspects = set()
    for one in (one for row in found.planned for one in row.slow):
        suspect = found.located.suspect_of(one.flow)
        suspects.add(suspect.name if suspect else blame(plan, one.flow, found.measured).suspect)
    return suspects


def cable(plan: Plan, rail: int, node: str) -> str:
    return f"cable {plan.cable_at[PortRef(node, plan.node[node].rails[rail].port)]}"


# All that is less than a good flow.
SLOW = st.floats(0.0, terms_of("iperf3").fail_below, exclude_max=True)
NICS = st.tuples(st.integers(0, 1), st.sampled_from(sorted(model().node)))


def test_a_healthy_fabric_blames_nobody_and_is_not_loaded_again():
    found = run_model(model(), {})
    assert blamed(model(), found) == set()
    assert not found.extra
    assert len(found.measured) == sum(map(len, loads(model(), frozenset(model().devices))))


@settings(max_examples=examples(12, full=60), deadline=None)
@given(NICS, st.sampled_from(["sends", "receives"]), SLOW)
def test_one_slow_nic_is_always_named(nic, does, share):
    found = run_model(model(), {(*nic, does): share})
    assert blamed(model(), found) == {cable(model(), *nic)}


@settings(max_examples=examples(12, full=60), deadline=None)
@given(st.sets(NICS, min_size=2, max_size=3), SLOW)
def test_several_slow_nics_are_named_and_no_healthy_one_is(nics, share):
    slow = {(*nic, does): share for nic in nics for does in ("sends", "receives")}
    named = blamed(model(), run_model(model(), slow))
    guilty = {cable(model(), *nic) for nic in nics}
    assert {one for one in named if one.startswith("cable")} <= guilty
    assert guilty <= named


def test_three_dead_nics_of_four_are_no_fault_of_their_leaf():
    """The fourth works through it both ways."""
    nics = {(0, "node-p1-1"), (0, "node-p1-2"), (0, "node-p1-3")}
    slow = {(*nic, does): 0.0 for nic in nics for does in ("sends", "receives")}
    assert blamed(model(), run_model(model(), slow)) == {cable(model(), *nic) for nic in nics}
