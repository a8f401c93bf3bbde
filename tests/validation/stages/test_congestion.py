"""Stage 60: recorded incasts of a lab, and counters of a fabric with RDMA, healthy and broken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from inventory import open_site
from inventory.plan import PortRef
from inventory.reading.fields import Unreadable
from tests.generated.sites import Size
from tests.validation import roce_site, typed_counters_says
from tests.validation.healthy import Healthy
from tests.validation.healthy.stage_60 import case
from tests.validation.pairing.test_schedule import site
from tests.validation.recorded import EVIDENCE, lab
from tests.validation.roce_site import Nic, Port
from validation.counters.ask import port_counters
from validation.counters.read import ports
from validation.counters.rules import Counted, alone, lossless_holds, marks_work
from validation.evidence.store import EvidenceStore, Frame
from validation.expect import expectations
from validation.ladder import ladder
from validation.run import validate
from validation.stages.s60_congestion.incast import MOST_NODES, incasts, slots
from validation.stages.s60_congestion.phases import ALONE, INCAST, fair_gbps, into_gpus, phases
from validation.stages.s60_congestion.terms import rotation
from validation.verdict import Finding, Verdict

RUNS = EVIDENCE / "congestion"
DEVICES, OTHERS = frozenset(lab().devices), frozenset(ladder()) - {60}
# In the turn of the evidence: who receives an incast, and who a flow that is alone.
RECEIVER, ALONE_TO = "node-p1-2", "node-p1-1"


def recorded(run: str) -> EvidenceStore:
    loaded = EvidenceStore.load(RUNS / run)
    assert not loaded.problems
    store = EvidenceStore()
    store.add(replace(frame, plan_digest=lab().digest) for frame in loaded)
    return store


def judged(store: EvidenceStore) -> list[Finding]:
    return list(validate(lab(), 60, store, None, DEVICES, leave_out=OTHERS).findings)


def of(one: Healthy) -> list[Finding]:
    found = validate(one.plan, 60, one.store, None, one.configured, leave_out=OTHERS)
    return list(found.findings)


def bad(found: list[Finding]) -> list[Finding]:
    return [one for one in found if one.verdict is not Verdict.PASS]


# -- recorded in the lab ------------------------------------------------------------------------


def test_a_healthy_lab_passes_and_nothing_is_asked_of_pfc_there():
    found = judged(recorded("healthy"))
    assert {one.check for one in found} == {"incast", "victim"}
    assert len(found) == 8
    assert not bad(found)
    assert all(one.figure and one.figure.unit == "Gb/s" for one in found)


def test_a_port_at_a_tenth_starves_the_victim_and_is_named_by_its_drops():
    found = bad(judged(recorded("slow_port")))
    assert [one.expectation for one in found] == ["victim:rail0:leaf-p1-r0:0"]
    assert found[0].suspect == "cable leaf-p1-r0:swp2 -- node-p1-2:rail0"
    assert "already alone" in found[0].found
    assert "leaf-p1-r0:swp2 dropped" in found[0].found


def test_a_leaf_that_drops_the_marked_class_is_named_by_its_bytes():
    found = bad(judged(recorded("dropped_class")))
    assert {one.verdict for one in found} == {Verdict.FAIL}
    assert {one.device for one in found} == {"node-p1-1", "node-p2-1"}
    assert "device leaf-p2-r0" in {one.suspect for one in found}
    assert {one.suspect for one in found} <= {"device leaf-p2-r0"}


def touched(how: str, frame: Frame, other: Frame) -> Frame | None:
    if how == "cut":
        return replace(frame, payload=frame.payload[:-40])
    if how == "of another flow":
        return replace(other, command=frame.command)
    return None if how == "removed" else replace(frame, exit_status=124)


@pytest.mark.parametrize("how", ["removed", "cut", "of another flow", "not finished"])
@pytest.mark.parametrize("command", ["probe bw", "probe incast"])
def test_touched_rates_and_turns_never_pass(how, command):
    frames = list(recorded("healthy"))
    mine = [at for at, one in enumerate(frames) if one.command.startswith(command)]
    for at in mine[:3]:
        store = EvidenceStore()
        other = next(one for one in frames if one.command.startswith("probe counters"))
        changed = touched(how, frames[at], other)
        store.add(one for one in (*frames[:at], changed, *frames[at + 1 :]) if one)
        wrong = bad(judged(store))
        assert wrong
        assert {one.verdict for one in wrong} == {Verdict.INCONCLUSIVE}


# -- the schedule -------------------------------------------------------------------------------


@pytest.mark.parametrize("turn", range(5))
def test_no_nic_takes_part_twice_in_a_round_and_victims_go_elsewhere(turn):
    plan = site(Size(pods=3, spines=2, rails=2, nodes_per_pod=5))
    for row in incasts(plan, frozenset(plan.devices), turn):
        nics = [seat for one in row for seat in sorted(one.nics)]
        assert len(nics) == len(set(nics))
        for one in row:
            assert one.victim[1] != one.receiver != one.victim[0]
            assert 2 <= len(one.senders) <= rotation().senders
            leaves = {seat.leaf for seat in one.senders}
            assert one.leaf in leaves
            assert len(leaves) > 1
            assert one.victim[0].leaf in leaves - {one.leaf}


def test_after_as_many_turns_as_a_leaf_has_nics_each_was_a_receiver():
    plan = site(Size(pods=2, spines=1, rails=2, nodes_per_pod=4))
    everyone = {(node.name, nic.index) for node in plan.nodes for nic in node.rails}
    seen = {
        (one.receiver.node, one.rail)
        for turn in range(4)
        for row in incasts(plan, frozenset(plan.devices), turn)
        for one in row
    }
    assert seen == everyone


def test_a_round_holds_no_more_nodes_than_trips_run_at_once():
    plan = site(Size(pods=8, spines=4, rails=1, nodes_per_pod=60))
    rounds = incasts(plan, frozenset(plan.devices), 0)
    assert len(rounds) >= 1
    for row in rounds:
        assert len({seat.node for one in row for seat in one.nics}) <= MOST_NODES


def test_two_nics_are_no_incast_and_three_have_a_victim():
    small = site(Size(pods=1, spines=1, rails=1, nodes_per_pod=2))
    assert slots(small, frozenset(small.devices)) == ()
    three = site(Size(pods=1, spines=1, rails=1, nodes_per_pod=3))
    (row,) = incasts(three, frozenset(three.devices), 0)
    (one,) = row
    assert one.victim[0] in one.senders
    assert fair_gbps(three, one) == pytest.approx(0.1)


def test_ids_stay_and_ports_are_each_flows_own():
    plan = lab()
    scope = frozenset(plan.devices)
    ids = [one.id for one in expectations(plan, scope) if one.stage == 60]
    assert ids == sorted(set(ids))
    for turn in (0, 1):
        for number, row in enumerate(incasts(plan, scope, turn)):
            for phase in phases(plan, number, row):
                places = [(flow.receiver, flow.port) for flow in phase.flows]
                assert len(places) == len(set(places))


def test_gpu_memory_needs_a_gpu_beside_both_nics():
    plan = roce_site.plan()
    row = incasts(plan, roce_site.everything(), 0)[0]
    flow = next(phases(plan, 0, row)).flows[0]
    with pytest.raises(ValueError, match="no GPU beside"):
        into_gpus(plan, flow)
    assert "--use_cuda" not in flow.command


# -- counters of a fabric with RDMA -------------------------------------------------------------


def test_a_lossless_fabric_is_asked_for_all_of_it_and_passes():
    found = of(case())
    assert {one.check for one in found} == {"incast", "victim", "alone", "dcqcn", "nodrop"}
    assert not bad(found)


def nic_is(name: str, **changes: object) -> Callable[[str, str, Nic], Nic]:
    at = RECEIVER if name == INCAST else ALONE_TO

    def change(phase: str, node: str, one: Nic) -> Nic:
        return replace(one, **changes) if (phase, node) == (name, at) else one  # type: ignore[arg-type]

    return change


def port_is(name: str, at: str, **changes: object) -> Callable[[str, str, Port], Port]:
    def change(phase: str, place: str, one: Port) -> Port:
        return replace(one, **changes) if (phase, place) == (name, at) else one  # type: ignore[arg-type]

    return change


LEAF, SPINE = "leaf-p1-r0:swp2", "spine1:Ethernet0"
MARKED = {"np_cnp_sent": 9, "np_ecn_marked_roce_packets": 90, "rp_cnp_handled": 9}


@pytest.mark.parametrize(
    ("change", "check", "suspect", "said"),
    [
        ({"nic": nic_is(INCAST, buf_discards={3: 5})}, "nodrop", RECEIVER, "5 buffer discards"),
        ({"nic": nic_is(INCAST, rx_pause={3: 1, 0: 4})}, "nodrop", RECEIVER, "of priority 0"),
        ({"nic": nic_is(INCAST, global_pause=7)}, "nodrop", RECEIVER, "without a priority"),
        ({"nic": nic_is(INCAST, storms=1)}, "nodrop", RECEIVER, "pause storms"),
        ({"port": port_is(INCAST, LEAF, queue_drops={3: 2})}, "nodrop", LEAF, "queue 3"),
        ({"port": port_is(INCAST, SPINE, group_drops={3: 2})}, "nodrop", SPINE, "group 3"),
        ({"port": port_is(INCAST, SPINE, tx_pause={1: 2, 3: 1})}, "nodrop", SPINE, "priority 1"),
        (
            {"port": port_is(INCAST, LEAF, global_pause=2)},
            *("nodrop", LEAF, "2 pauses without a priority"),
        ),
        (
            {"port": port_is(INCAST, SPINE, global_pause=2)},
            *("nodrop", SPINE, "2 pauses without a priority"),
        ),
        ({"port": port_is(INCAST, LEAF, storms=3)}, "nodrop", LEAF, "watchdog"),
        (
            {"nic": nic_is(INCAST, hardware={**MARKED, "np_cnp_sent": 0})},
            *("dcqcn", RECEIVER, "no CNPs sent"),
        ),
        (
            {"nic": nic_is(ALONE, hardware={"out_of_sequence": 3})},
            *("alone", ALONE_TO, "3 out_of_sequence"),
        ),
        (
            {"nic": nic_is(ALONE, hardware={"np_ecn_marked_roce_packets": 10**6})},
            *("alone", ALONE_TO, "ECN marked"),
        ),
    ],
)
def test_a_bad_counter_fails_its_own_rule_at_its_own_place(change, check, suspect, said):
    wrong = bad(of(case(**change)))
    assert wrong
    assert {one.verdict for one in wrong} == {Verdict.FAIL}
    assert {one.check for one in wrong} == {check}
    assert any(suspect in one.suspect and said in one.found for one in wrong)


@pytest.mark.parametrize("at", [LEAF, SPINE])
def test_a_watchdog_that_has_lost_the_row_of_the_lossless_queue_tells_of_no_storm(at):
    """The row of another queue is no word about this one."""

    def lost(_: str, place: str, one: Port) -> Port:
        return replace(one, watched=(4,)) if place == at else one

    both = of(case(port=lambda _, __, one: replace(one, watched=(3, 4))))
    assert {one.verdict for one in both} == {Verdict.PASS}
    wrong = bad(of(case(port=lost)))
    assert {(one.check, one.verdict) for one in wrong} == {("nodrop", Verdict.INCONCLUSIVE)}
    assert all(f"{at} has no counter of storms" in one.found for one in wrong)


def test_a_storm_of_another_queue_fails_too():
    wrong = bad(of(case(port=port_is(INCAST, LEAF, storms=3, watched=(4,)))))
    assert {(one.check, one.verdict) for one in wrong} == {("nodrop", Verdict.FAIL)}
    assert any("3 storms found by the watchdog" in one.found for one in wrong)


def test_marks_that_no_switch_makes_fail():
    def unmarked(_: str, __: str, one: Port) -> Port:
        return replace(one, marked=0)

    wrong = bad(of(case(port=unmarked)))
    assert {one.check for one in wrong} == {"dcqcn"}
    assert all("no switch port on the way marked" in one.found for one in wrong)


def test_where_no_switch_tells_its_marks_nothing_is_known_of_them():
    said = marks_work(Counted({}, {}), PortRef("n", "rail0"), (PortRef("m", "rail0"),))
    assert not said.bad
    assert len(said.unknown) == 4


@pytest.mark.parametrize(
    ("without", "checks"),
    [
        (("np_cnp_sent",), {"alone", "dcqcn"}),
        (("tx_pause_storm_error_events",), {"nodrop"}),
        (("rx_prio3_buf_discard",), {"alone", "nodrop"}),
    ],
)
def test_a_counter_that_a_nic_has_not_got_is_never_taken_for_zero(without, checks):
    """The first snapshot has it, the second not: nothing is known, and nothing passes."""

    def poorer(_: str, __: str, one: Nic) -> Nic:
        return replace(one, without=without)

    wrong = bad(of(case(nic=poorer)))
    assert checks <= {one.check for one in wrong}
    assert {one.verdict for one in wrong} == {Verdict.INCONCLUSIVE}


def untold(*devices: str) -> Callable[[str, str, Port], Port]:
    """Ports of these switches do not count pauses without a priority."""

    def change(_: str, place: str, one: Port) -> Port:
        return replace(one, global_pause=None) if place.startswith(devices) else one

    return change


def test_pauses_without_a_priority_are_told_by_one_end_of_a_cable_or_not_known():
    """A leaf's are the NIC's and the spine's, too; between two that do not tell, nobody does."""
    assert not bad(of(case(port=untold("leaf"))))
    wrong = bad(of(case(port=untold("leaf", "spine"))))
    assert {(one.check, one.verdict) for one in wrong} == {("nodrop", Verdict.INCONCLUSIVE)}
    assert all("nor the other end of its cable counts" in one.found for one in wrong)


def test_a_nic_that_does_not_tell_global_pauses_proves_nothing():
    def poorer(_: str, __: str, one: Nic) -> Nic:
        return replace(one, without=("rx_pause_ctrl_phy", "tx_pause_ctrl_phy"))

    wrong = bad(of(case(nic=poorer)))
    assert {(one.check, one.verdict) for one in wrong} == {("nodrop", Verdict.INCONCLUSIVE)}


def test_counters_that_went_back_prove_nothing():
    """Cleared between the snapshots, wrapped, or swapped: no figure follows."""

    def cleared(_: str, __: str, one: Nic) -> Nic:
        return replace(one, size=1)

    wrong = bad(of(case(nic=cleared)))
    assert {one.check for one in wrong} == {"alone", "dcqcn", "nodrop"}
    assert {one.verdict for one in wrong} == {Verdict.INCONCLUSIVE}
    assert all("went back" in one.found for one in wrong)


def test_polled_counters_that_were_not_waited_for_are_not_taken_for_no_drops():
    """What was lost in the last seconds is not in them yet."""
    for wait in (
        lambda text, _: text,
        lambda text, every: roce_site.waited(text, every).replace("8123.41 ", "8124.41 "),
    ):
        wrong = bad(of(case(wait=wait)))
        assert {"alone", "dcqcn", "nodrop"} <= {one.check for one in wrong}
        assert {one.verdict for one in wrong} == {Verdict.INCONCLUSIVE}


def test_a_collapse_and_a_starved_sender_and_victim_fail():
    collapsed = bad(
        of(case(rate=lambda name, gbps: gbps / 5 if name.startswith("incast:rail") else gbps))
    )
    assert {one.check for one in collapsed} == {"incast"}
    assert {one.verdict for one in collapsed} == {Verdict.FAIL}
    victim = bad(of(case(rate=lambda name, gbps: gbps / 4 if "incast:victim" in name else gbps)))
    assert {one.check for one in victim} == {"victim"}
    assert all("beside an incast" in one.found for one in victim)
    assert {one.suspect for one in victim} == {"device leaf-p1-r0", "device leaf-p2-r0"}


def test_more_than_the_link_carries_is_never_a_pass():
    found = bad(
        of(case(rate=lambda name, gbps: gbps * 1.2 if name.startswith("incast:rail") else gbps))
    )
    assert {one.check for one in found} == {"incast"}
    assert {one.verdict for one in found} == {Verdict.INCONCLUSIVE}


def test_a_dialect_whose_counters_nobody_can_read_leaves_all_of_it_open():
    assert port_counters("vyos", ()) is None
    with pytest.raises(Unreadable):
        ports("vyos", "")


def test_bytes_alone_show_nothing_of_classes():
    """A port of which NX-OS tells no pauses, queues or marks: no rule takes that for none."""
    assert {one.dialect for one in open_site("pod-256").switches} >= {"nxos"}
    text = typed_counters_says.nxos({"Ethernet1/1": Port(700)})
    for words in ("Queuing for Ethernet", "Ethernet1/1 Interface PFC"):
        text = text.replace(words, words.replace("Ethernet", "Ethernet9/"))
    told = ports("nxos", text)
    assert (told["Ethernet1/1"].tx_bytes, told["Ethernet1/1"].queue_drops) == (700, None)
    counted = Counted({}, {PortRef("spine-1", "Ethernet1/1"): told["Ethernet1/1"]})
    lossless = roce_site.plan().lossless
    for said in (alone(counted, lossless, 10), lossless_holds(counted, lossless, {})):
        assert not said.bad
        assert said.unknown
    assert not marks_work(counted, PortRef("n", "rail0"), (PortRef("m", "rail0"),)).bad
