"""A plan that moved and was not applied is one cause; whatever else fails keeps its own suspect."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from inventory import open_site
from inventory.load.site import SITES
from inventory.plan import Plan
from tests.validation.recorded import NOT_RECORDED, everything, judged, lab, recorded
from validation.evidence.store import EvidenceStore
from validation.judging.gate import Word, decide
from validation.judging.moved import CAUSE, MAYBE, Before, one_cause
from validation.run import ValidationResult, validate
from validation.verdict import Figure, Finding, Verdict

MTU = "ip_mtu_bytes: {hosts: 9000, switches: 9216}"


@cache
def moved(mtu: str = "ip_mtu_bytes: {hosts: 4000, switches: 9216}") -> Plan:
    """The lab's plan with another MTU, as somebody wrote it and nobody applied it."""
    with TemporaryDirectory() as folder:
        site = Path(folder, "lab")
        shutil.copytree(SITES / "lab", site)
        text = (site / "fabric.yml").read_text()
        assert MTU in text
        (site / "fabric.yml").write_text(text.replace(MTU, mtu))
        return open_site(site)


def judged_by(plan: Plan, name: str = "healthy") -> ValidationResult:
    """A recorded run, judged by another plan than the one that was applied."""
    store = EvidenceStore()
    store.add(replace(one, plan_digest=plan.digest) for one in recorded(name))
    return validate(plan, 40, store, None, everything(), leave_out=NOT_RECORDED)


def before(changed: Iterable[str] = ("",)) -> Before:
    passed = judged(recorded("healthy")).having(Verdict.PASS)
    return Before({one.expectation: one.expected for one in passed}, frozenset(changed))


def fails(found: Iterable[Finding]) -> list[Finding]:
    return [one for one in found if one.verdict is Verdict.FAIL]


@pytest.fixture(scope="module")
def result() -> ValidationResult:
    return judged_by(moved())


def test_eight_nics_that_are_as_the_plan_before_are_one_cause_with_its_count(result):
    bad = fails(result.findings)
    assert {one.suspect.partition(" ")[0] for one in bad} == {"port"}
    assert len({one.suspect for one in bad}) == 8
    told = fails(one_cause(moved(), result.findings, before()))
    assert {one.suspect for one in told} == {CAUSE}
    (hint,) = {one.hint for one in told}
    assert "8 of 8 NICs (mtu: a port has IP MTU 9000)" in hint
    assert "`railbed apply`" in hint


def test_no_verdict_and_no_word_of_what_was_found_changes_and_the_gate_still_stops(result):
    told = one_cause(moved(), result.findings, before())
    kept = [replace(one, suspect="", hint="") for one in told]
    assert kept == [replace(one, suspect="", hint="") for one in result.findings]
    every = [one.expectation for one in told]
    assert decide(replace(result, findings=told), every).word is Word.STOP


def test_switch_ports_are_told_beside_nics():
    plan = moved("ip_mtu_bytes: {hosts: 4000, switches: 9100}")
    told = fails(one_cause(plan, judged_by(plan).findings, before()))
    assert {one.suspect for one in told} == {CAUSE}
    for words in ("8 of 8 NICs", "of 16 ports of leaf switches", "of 8 ports of spine switches"):
        assert words in told[0].hint


def changed(result: ValidationResult, verdict: Verdict, found: str) -> list[Finding]:
    """The same findings, but for one NIC's."""
    assert NIC in {one.expectation for one in result.findings}
    return [
        replace(one, verdict=verdict, found=found) if one.expectation == NIC else one
        for one in result.findings
    ]


NIC = "mtu:node-p1-1:rail0"


def test_a_nic_that_somebody_else_set_keeps_its_own_suspect(result):
    """Neither the plan's value nor that of the plan before: the other seven are too few then."""
    found = changed(result, Verdict.FAIL, "node-p1-1:rail0 has IP MTU 1500")
    told = {one.expectation: one for one in one_cause(moved(), found, before())}
    assert told[NIC].suspect == "port node-p1-1:rail0"
    assert CAUSE not in {one.suspect for one in told.values()}


def test_one_that_already_is_as_planned_leaves_the_others_to_themselves(result):
    found = changed(result, Verdict.PASS, "")
    assert one_cause(moved(), found, before()) == tuple(found)


def test_another_fault_of_a_blamed_port_keeps_its_suspect_and_what_follows_does_not(result):
    port = "port node-p1-1:rail0"
    more = [
        Finding(20, "up", "node-p1-1", "up:x", Verdict.FAIL, port, "it is switched off", "is up"),
        Finding(
            *(42, "wire", "leaf-p1-r0", "wire:leaf-p1-r0:swp1", Verdict.FAIL, port),
            "9 of 200 packets are lost; node-p1-1:rail0 has IP MTU 9000",
        ),
    ]
    told = one_cause(moved(), [*result.findings, *more], before())[-2:]
    assert [one.suspect for one in told] == [port, CAUSE]


@pytest.mark.parametrize("said", ["nothing", "the same"])
def test_what_never_passed_or_did_not_move_is_no_moved_plan(result, said):
    """All NICs of a fabric that somebody set otherwise: each is a suspect, as ever."""
    same = {one.expectation: one.expected for one in result.findings}
    was = Before({} if said == "nothing" else same, frozenset({""}))
    assert one_cause(moved(), result.findings, was) == result.findings


def on_every_node(check: str, found: str, figure: Figure | None = None) -> list[Finding]:
    """The same sentence under both plans, failed on every node."""
    return [
        Finding(
            *(30, check, one.name, f"{check}:{one.name}:roce_nic", Verdict.FAIL),
            *(f"role roce_nic on {one.name}", found.format(one.name, n), "as planned"),
            figure=figure,
        )
        for n, one in enumerate(moved().nodes)
    ]


def told_of(some: list[Finding], *devices: str) -> set[bool]:
    was = Before({one.expectation: one.expected for one in some}, frozenset(devices))
    return {one.suspect == CAUSE for one in one_cause(moved(), some, was)}


CONTENT = "file /etc/hosts of {0}: found content {1:012x}, wanted content 5{1:011x}"


@pytest.mark.parametrize("count", [1, 2])
def test_a_fault_without_an_earlier_value_keeps_its_suspect_and_gets_a_hint(count):
    """Two nodes that are sick after an unrelated change look as two of the plan before."""
    names = [one.name for one in moved().nodes]
    some = on_every_node("state", CONTENT)[:count]
    was = {one.expectation: one.expected for one in some}
    for devices, is_told in ((names, True), ([""], True), (["spine1"], False), (names[:1], None)):
        told = one_cause(moved(), some, Before(was, frozenset(devices)))
        assert [one.suspect for one in told] == [one.suspect for one in some]
        hints = [MAYBE if is_told or (is_told is None and not n) else "" for n in range(count)]
        assert [one.hint for one in told] == hints


def test_all_of_a_kind_alike_are_told_as_one_without_an_earlier_value_too():
    """Digests, names and addresses are each node's own; how it differs is not."""
    names = [one.name for one in moved().nodes]
    some = on_every_node("state", CONTENT)
    assert told_of(some, *names) == {True}
    assert told_of(some, "") == {True}
    assert told_of(some, "spine1") == {False}
    assert told_of(some, *names[1:]) == {False}, "one has it whose part did not move"
    assert told_of(some[:2], *names) == {False}, "two are too few to tell"


def test_what_is_no_setting_is_never_the_plans():
    """A service that died on every node, or a rate: no plan before said so."""
    names = [one.name for one in moved().nodes]
    assert told_of(on_every_node("units", "failed: chrony.service"), *names) == {False}
    figure = Figure(0.1, "Gb/s")
    assert told_of(on_every_node("state", CONTENT, figure=figure), *names) == {False}
    assert told_of(on_every_node("state", "{1} of 9 things differ"), *names) == {False}


def test_most_of_a_large_kind_is_enough_and_its_exception_is_named():
    """Nine of ten: the tenth was set up anew, or is broken in its own way."""
    plan, some = lab(), judged(recorded("healthy")).having(Verdict.PASS)
    ports = [one for one in some if one.check == "mtu" and one.device.startswith("leaf")][:10]
    assert len(ports) == 10
    now = [
        replace(
            one,
            verdict=Verdict.FAIL,
            suspect=f"port {n}",
            found=f"{one.expectation[4:]} has IP MTU {9216 if n else 1500}",
            expected=one.expected.replace("9216", "9100"),
        )
        for n, one in enumerate(ports)
    ]
    told = one_cause(plan, now, before())
    assert [one.suspect for one in told] == ["port 0", *[CAUSE] * 9]
    assert "9 of 10 ports of leaf switches" in told[-1].hint
