"""Stage 60's trials: which part starves a sender, told apart by changing one of them at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from inventory.plan import Plan, PortRef
from tests.generated.sites import Size
from tests.validation.pairing.test_schedule import site
from tests.validation.recorded import lab
from validation.evidence.store import EvidenceStore
from validation.pairing.load_result import Measured
from validation.pairing.loads import LoadProbe
from validation.pairing.schedule import Seat
from validation.stages.s60_congestion.again import (
    ELSEWHERE,
    RECEIVER,
    SENDER,
    Trial,
    blame,
    starved,
    starving,
    trials,
)
from validation.stages.s60_congestion.incast import Incast, incasts
from validation.stages.s60_congestion.phases import INCAST, Phase, phases
from validation.verdict import Verdict

from .test_congestion import bad, judged, recorded

LARGE = site(Size(pods=3, spines=2, rails=2, nodes_per_pod=6))
Ranks = Callable[[Incast, Seat], bool]


def every(plan: Plan) -> Iterator[tuple[Phase, Incast]]:
    for number, row in enumerate(incasts(plan, frozenset(plan.devices), 0)):
        loaded = next(one for one in phases(plan, number, row) if one.name == INCAST)
        for case in row:
            yield loaded, case


def tried(plan: Plan, phase: Phase, case: Incast, slow: Seat) -> tuple[Trial, ...]:
    return trials(plan, frozenset(plan.devices), phase, case, slow.node)


def told(found: tuple[Trial, ...], ranks_last: Ranks) -> dict[str, tuple[Trial, bool]]:
    return {one.kind: (one, ranks_last(one.case, one.tried)) for one in found}


def culprits(plan: Plan, case: Incast, slow: Seat) -> Iterator[tuple[str, Ranks]]:
    """By hand: what each part that may starve `slow` would do to any incast."""
    here = PortRef(case.receiver.node, case.receiver.port)
    cable = plan.cable_at[here]
    leaf_port = cable.b if cable.a == here else cable.a
    yield f"port {leaf_port}", lambda it, _: it.receiver == case.receiver
    yield f"device {case.leaf}", lambda it, _: it.receiver.leaf == case.leaf
    yield f"NIC {slow.node}:{slow.port}", lambda _, who: who == slow
    yield (
        f"path {slow.node} > {case.receiver.node}",
        lambda it, who: (it.receiver, who) == (case.receiver, slow),
    )


def test_each_part_that_may_starve_a_sender_is_told_from_the_others():
    """Where the fabric has NICs to spare one is left, whichever sender it is."""
    for phase, case in every(LARGE):
        for slow in case.senders:
            found = tried(LARGE, phase, case, slow)
            assert [one.kind for one in found] == [RECEIVER, SENDER, ELSEWHERE]
            for name, ranks_last in culprits(LARGE, case, slow):
                found_out = blame(LARGE, case, slow.node, told(found, ranks_last))
                assert found_out
                assert found_out.suspect == name


def test_one_that_takes_all_is_one_of_the_other_senders():
    for phase, case in every(LARGE):
        slow, greedy = case.senders[0], case.senders[1]
        found = tried(LARGE, phase, case, slow)
        takes = {one.kind: (one, greedy in one.case.senders) for one in found}
        left = blame(LARGE, case, slow.node, takes)
        assert left
        assert f"NIC {greedy.node}:{greedy.port}" in f"{left.suspect} {left.found}"
        assert f"NIC {slow.node}:{slow.port}" not in f"{left.suspect} {left.found}"


def test_on_two_nodes_a_leaf_a_far_sender_is_told_and_a_near_one_leaves_a_set():
    """No third NIC of the leaf: what ranks last is its port, the leaf, or these two together."""
    phase, case = next(every(lab()))
    far = next(one for one in case.senders if one.leaf != case.leaf)
    for name, ranks_last in culprits(lab(), case, far):
        left = blame(lab(), case, far.node, told(tried(lab(), phase, case, far), ranks_last))
        assert left
        assert left.suspect == name
    near = next(one for one in case.senders if one.leaf == case.leaf)
    found = tried(lab(), phase, case, near)
    assert [one.kind for one in found] == [ELSEWHERE]
    left = blame(lab(), case, near.node, told(found, lambda it, _: it.receiver == case.receiver))
    assert left
    assert left.suspect == "port leaf-p1-r0:swp1 or 2 others"
    assert "1 of 3 alike" in left.found
    assert "device leaf-p1-r0" in left.found


def test_nothing_is_said_without_trials_or_against_all_of_them():
    phase, case = next(every(LARGE))
    slow = case.senders[0]
    assert blame(LARGE, case, slow.node, {}) is None
    strange = {RECEIVER: True, SENDER: False, ELSEWHERE: False}
    found = {one.kind: (one, strange[one.kind]) for one in tried(LARGE, phase, case, slow)}
    assert blame(LARGE, case, slow.node, found) is None


def rates(flows: tuple[LoadProbe, ...], *mbps: float) -> list[Measured]:
    return [Measured(flow, rate / 1e3) for flow, rate in zip(flows, mbps, strict=True)]


@pytest.mark.parametrize(
    ("mbps", "nodes"), [((100, 100), []), ((160, 40), []), ((198, 2), [1]), ((2, 198), [0])]
)
def test_who_starves_got_less_than_a_share_of_the_average(mbps, nodes):
    phase, case = next(every(lab()))
    flows = tuple(one for one in phase.flows if f":{case.id}:" in one.id)[:2]
    sent = rates(flows, *mbps)
    assert [one.flow for one in starved(lab(), case, sent)] == [flows[at] for at in nodes]
    slow = starving(lab(), case, sent)
    assert (slow.flow if slow else None) == (flows[nodes[0]] if nodes else None)


def test_flows_of_trials_are_named_and_placed_apart():
    for phase, case in every(LARGE):
        found = tried(LARGE, phase, case, case.senders[0])
        commands = [flow.command for one in found for flow in one.phase.flows]
        commands += [one.phase.moment("before") for one in found]
        assert len(commands) == len(set(commands))
        for one in found:
            places = [(flow.receiver, flow.port) for flow in one.phase.flows]
            assert len(places) == len(set(places)) == len(one.case.senders)
            assert one.case.receiver not in one.case.senders
            assert one.tried in one.case.senders


# -- recorded in the lab, with a queue that sends last what comes from other leaves ---------------


def test_a_queue_that_ranks_far_senders_last_is_named_by_its_port():
    found = bad(judged(recorded("ranked_port")))
    assert [(one.expectation, one.verdict) for one in found] == [
        ("incast:rail0:leaf-p1-r0:0", Verdict.FAIL)
    ]
    assert found[0].suspect == "port leaf-p1-r0:swp1"
    assert "node-p2-2 starves too" in found[0].found


@pytest.mark.parametrize("kind", [RECEIVER, SENDER, ELSEWHERE])
def test_a_trial_that_is_not_there_leaves_more_and_never_passes(kind):
    store = EvidenceStore()
    store.add(one for one in recorded("ranked_port") if f" {kind}:" not in one.command)
    found = bad(judged(store))
    assert [one.verdict for one in found] == [Verdict.FAIL]
    assert "port leaf-p1-r0:swp1" in f"{found[0].suspect} {found[0].found}"
    assert found[0].suspect.endswith("others")


def test_without_any_trial_the_way_is_the_suspect():
    kinds = (RECEIVER, SENDER, ELSEWHERE)
    store = EvidenceStore()
    store.add(
        one
        for one in recorded("ranked_port")
        if not any(f" {kind}:" in one.command for kind in kinds)
    )
    assert [one.suspect for one in bad(judged(store))] == ["path node-p2-1 > node-p1-1"]
