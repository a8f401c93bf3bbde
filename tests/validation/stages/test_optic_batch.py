"""Slow links whose optics are of one batch: from saved evidence to the batch's name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from inventory.plan import Cable, PortRef
from tests.validation import roce_site
from tests.validation.healthy import frame
from tests.validation.healthy.stage_15 import case
from tests.validation.modules_shown import Shown
from validation.evidence.store import EvidenceStore, Frame
from validation.ladder import ladder
from validation.locating.replay import Replay
from validation.locating.suspect import Kind
from validation.pairing.load_result import Measured
from validation.pairing.loads import LoadProbe
from validation.pairing.schedule import loads
from validation.run import validate
from validation.stages.s15_optics import ask
from validation.stages.s15_optics.batch import Piece
from validation.verdict import Finding, Verdict

PLAN = roce_site.plan(pods=3, nodes_per_pod=4)
EVERYTHING = frozenset(PLAN.devices)
# Two NICs of each of two leaves, one of the third: slow both ways, whoever they meet.
SLOW = tuple(
    PortRef(name, "rail0")
    for name in ("node-p1-1", "node-p1-2", "node-p2-1", "node-p2-3", "node-p3-4")
)
LOT = "240601Q7"
NAME = f"optic batch EXAMPLE OSFP-400G-DR4 {LOT}"


def of_lot(*more: PortRef) -> Callable[[PortRef, Shown], Shown]:
    """The modules of the slow NICs, and `more`, are of the lot; no other is."""
    return lambda here, one: replace(one, made=LOT) if here in (*SLOW, *more) else one


def loaded(store: EvidenceStore, slow: tuple[PortRef, ...] = SLOW) -> Replay:
    """What a run leaves where NICs carry half: the planned rounds, and those that it asks for."""

    def gbps(flow: LoadProbe) -> float:
        ends = PortRef(flow.sender, "rail0"), PortRef(flow.receiver, "rail0")
        return flow.rate_gbps * (0.5 if set(ends) & set(slow) else 0.97)

    def one(flow: LoadProbe) -> Measured:
        text = roce_site.perftest(flow, gbps(flow))
        store.add([frame(PLAN, flow.sender, flow.command, text)])
        return Measured(flow, gbps(flow))

    run = Replay(PLAN, (), one, lambda *_: None)
    run.add_planned(flow for row in loads(PLAN, EVERYTHING) for flow in row)
    list(run.rounds())
    return run


def judged(store: EvidenceStore) -> list[Finding]:
    """What both stages say of modules and flows where they do not pass."""
    skip = frozenset(ladder()) - {15, 50}
    found = validate(PLAN, 50, store, None, EVERYTHING, leave_out=skip).findings
    asked = [one for one in found if one.check in ("optic", "bw")]
    assert {one.check for one in asked} == {"optic", "bw"}
    return [one for one in asked if one.verdict is not Verdict.PASS]


def cables(ports: tuple[PortRef, ...]) -> set[str]:
    return {f"cable {PLAN.cable_at[one]}" for one in ports}


def serials(store: EvidenceStore) -> dict[PortRef, str]:
    """What the slow NICs' modules tell of themselves."""
    found = {}
    for port in SLOW:
        kept = store.get(port.device, ask.mlxlink_line(PLAN, port))
        assert kept
        told = kept.payload.decode()
        found[port] = told.split('"Vendor Serial Number": "')[1].split('"')[0]
    return found


def test_slow_links_of_one_lot_over_several_switches_are_that_batch_with_its_serials():
    store = case(of_lot(PortRef("node-p3-1", "rail0")), PLAN).store
    loaded(store)
    bad = judged(store)
    assert {(one.check, one.verdict, one.suspect) for one in bad} == {("bw", Verdict.FAIL, NAME)}
    for port, serial in serials(store).items():
        assert all(f"{serial} in {port}" in one.found for one in bad)
    assert all("5 of 6 links with it are slow" in one.found for one in bad)
    assert all("[1 suspect: optics of one batch; nearly certain" in one.found for one in bad)
    assert {one.expectation for one in bad} == {
        f"bw:{flow.id}"
        for row in loads(PLAN, EVERYTHING)
        for flow in row
        if {flow.sender, flow.receiver} & {port.device for port in SLOW}
    }


def test_a_healthy_fabric_of_one_lot_blames_nobody():
    store = case(of_lot(), PLAN).store
    loaded(store, ())
    assert judged(store) == []


def test_what_optics_are_of_decides_nothing_about_the_rounds():
    """Who runs the rounds has no evidence of optics, and must ask for what the judge asks for."""
    plan = roce_site.plan(pods=4, nodes_per_pod=3)
    slow = ("node-p1-1", "node-p1-2", "node-p3-2")
    known = {
        PortRef(name, "rail0"): Piece(NAME if name in slow else "another", f"EX-{name}")
        for name in plan.node
    }

    def one(flow: LoadProbe) -> Measured:
        share = 0.5 if {flow.sender, flow.receiver} & set(slow) else 0.97
        return Measured(flow, flow.rate_gbps * share)

    asked, named = [], []
    for pieces in (dict, lambda: known):
        run = Replay(plan, (), one, lambda *_: None, pieces)
        run.add_planned(flow for row in loads(plan, frozenset(plan.devices)) for flow in row)
        asked.append([flows for _, flows in run.rounds()])
        named.append({suspect.kind for suspect in run.located.suspects})
    assert asked[0]
    assert asked[0] == asked[1]
    assert [Kind.BATCH in kinds for kinds in named] == [False, True]


def without_dates(here: PortRef, one: Shown) -> Shown:
    return replace(one, made="")


def copper(here: PortRef, one: Shown) -> Shown:
    cable = PLAN.cable_at[here]
    made = LOT if {cable.a, cable.b} & set(SLOW) else one.made
    serial = f"S{abs(hash(cable)) % 10**9}-{1 if here == cable.a else 2}"
    return replace(one, kind="Passive copper cable", serial=serial, made=made)


def everywhere(here: PortRef, one: Shown) -> Shown:
    return replace(one, made=LOT)


def other_parts(here: PortRef, one: Shown) -> Shown:
    """The same day, of parts that have nothing in common."""
    return replace(one, made=LOT, part=f"P-{here.device}") if here in SLOW else one


@pytest.mark.parametrize(
    "change", [without_dates, copper, everywhere, other_parts], ids=lambda one: one.__name__
)
def test_what_is_no_batch_or_nothing_to_compare_with_leaves_each_link_its_own_suspect(change):
    store = case(change, PLAN).store
    loaded(store)
    assert {one.suspect for one in judged(store) if one.check == "bw"} == cables(SLOW)


def touched(how: str, one: Frame, other: Frame) -> Frame | None:
    if how == "removed":
        return None
    if how == "cut":
        return replace(one, payload=one.payload[:-200])
    return replace(other, device=one.device, command=one.command)


@pytest.mark.parametrize("how", ["removed", "cut", "another node's"])
def test_evidence_of_modules_that_cannot_be_trusted_makes_no_batch(how):
    """Of five slow links the modules of three are not known: what is left is no batch."""
    healthy = case(of_lot(), PLAN).store
    lines = [(port, healthy.get(port.device, ask.mlxlink_line(PLAN, port))) for port in SLOW]
    frames = [kept for _, kept in lines if kept]
    store, bad = EvidenceStore(), {(one.device, one.command) for one in frames[:3]}
    changed = [touched(how, one, frames[4]) for one in frames[:3]]
    store.add(one for one in healthy if (one.device, one.command) not in bad)
    store.add(one for one in changed if one)
    loaded(store)
    found = judged(store)
    named = {one.suspect for one in found if one.check == "bw"}
    assert cables(SLOW[3:]) <= named
    assert NAME not in named
    unknown = {one.device for one in found if one.check == "optic"}
    assert unknown == {one.device for one in frames[:3]}
    assert {one.verdict for one in found if one.check == "optic"} == {Verdict.INCONCLUSIVE}


def far(port: PortRef) -> PortRef:
    cable: Cable = PLAN.cable_at[port]
    return cable.b if cable.a == port else cable.a


def test_two_batches_that_are_at_the_ends_of_the_same_links_are_one_suspect():
    def both(here: PortRef, one: Shown) -> Shown:
        if here in SLOW:
            return replace(one, made=LOT)
        return replace(one, made="240602", part="X") if far(here) in SLOW else one

    store = case(both, PLAN).store
    loaded(store)
    (name,) = {one.suspect for one in judged(store)}
    assert name == f"{NAME} or 1 others"
    assert all("1 of 2 alike: optics of one batch; a guess" in one.found for one in judged(store))


def test_slow_links_of_one_leaf_are_no_batch_because_the_leaf_is_as_near():
    mine = tuple(PortRef(f"node-p1-{at}", "rail0") for at in (1, 2, 3))

    def one_leaf(here: PortRef, one: Shown) -> Shown:
        return replace(one, made=LOT) if here in mine else one

    store = case(one_leaf, PLAN).store
    loaded(store, mine)
    assert NAME not in {one.suspect for one in judged(store)}
