"""Host states that a person brings back as files: believed whole, of one node, or not at all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from inventory.plan import Plan
from tests.validation import host_machine
from tests.validation.host_machine import MAC, answers, state
from validation.host_state import archives
from validation.host_state import ask as host_ask
from validation.host_state.archives import CHECKS, Archives, Source, read, sources
from validation.run import ValidationResult, validate
from validation.verdict import Verdict

PLAN = host_machine.site()
NODE = host_machine.gpu_node().name
# What the healthy node of `host_machine` does not answer.
UNTOLD = frozenset({"clock", "memlock"})


def anonymous() -> Plan:
    """The same plan, in which nobody wrote down the node's MAC."""
    nodes = [
        replace(one, management=replace(one.management, mac=None)) if one.name == NODE else one
        for one in PLAN.nodes
    ]
    return replace(PLAN, nodes=tuple(nodes))


def judged(found: Archives, plan: Plan = PLAN) -> ValidationResult:
    checks = CHECKS - UNTOLD
    return validate(plan, 40, found.store, None, found.nodes, checks=checks, trust=found.trust)


def verdicts(found: Archives, plan: Plan = PLAN) -> set[Verdict]:
    return {one.verdict for one in judged(found, plan).findings}


def put(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    "time", ["2026-11-21T20:00:00", "2026-11-21T20:00:00+05:00", "2026-11-21", "now", ""]
)
def test_a_file_that_does_not_say_when_in_utc_is_not_judged(time, tmp_path):
    status, who = answers()["identity"]
    undated = who.replace(host_machine.TIME, time)
    path = put(tmp_path, f"{NODE}.state", state({"identity": (status, undated)}))
    found = read(PLAN, [Source(path)])
    assert verdicts(found) == {Verdict.INCONCLUSIVE}
    assert "and when, in UTC" in found.notes[-1]


def test_a_healthy_file_passes_and_the_report_says_what_it_is(tmp_path):
    """Judged against the plan that is asked about; that the file knows none, the notes say."""
    path = put(tmp_path, "a.state", state())
    found = read(PLAN, sources(path))
    assert found.nodes == {NODE}
    assert verdicts(found) == {Verdict.PASS}
    kinds = {one.check for one in judged(found).findings}
    assert kinds == CHECKS - UNTOLD
    said = "\n".join(found.notes)
    assert f"judged against plan {PLAN.digest[:12]}" in said
    assert "not in a host state, and not judged" in said
    assert "2026-11-21T20:00:00+00:00 by its own clock" in said


DAMAGE = {
    "cut": lambda data: data[: len(data) // 2],
    "altered": lambda data: data.replace(b"tsa: strict", b"tsa: vendor", 1),
    "empty": lambda data: data[:0],
    "two in one": lambda data: data + data,
    "another tool's": lambda data: b"NVSMI LOG\n" + data,
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_file_is_inconclusive_in_all_and_says_why(name, tmp_path):
    path = put(tmp_path, f"{NODE}.state", DAMAGE[name](state()))
    found = read(PLAN, [Source(path)])
    assert verdicts(found) == {Verdict.INCONCLUSIVE}
    assert all(f"{NODE}.state: " in one.found for one in judged(found).findings)
    assert f"{path}: nothing of it is judged" in found.notes[-1]


def test_a_good_file_beside_a_damaged_one_of_the_same_node_counts_for_nothing(tmp_path):
    good = put(tmp_path, "a.state", state())
    bad = put(tmp_path, f"{NODE}.state", state()[:-1])
    for order in ([Source(good), Source(bad)], [Source(bad), Source(good)]):
        assert verdicts(read(PLAN, order)) == {Verdict.INCONCLUSIVE}


def test_two_files_of_one_node_are_one_too_many(tmp_path):
    some = [Source(put(tmp_path, name, state())) for name in ("a.state", "b.state")]
    found = read(PLAN, some)
    assert verdicts(found) == {Verdict.INCONCLUSIVE}
    assert "second one" in found.notes[-1]


def renamed(old: str, new: str) -> bytes:
    text = answers()["identity"][1]
    assert old in text
    return state({"identity": (0, text.replace(old, new))})


def test_another_machine_is_not_taken_for_a_node(tmp_path):
    """Its MAC tells, whatever it calls itself and whoever says otherwise."""
    path = put(tmp_path, "a.state", renamed(MAC, "02:00:00:00:00:bb"))
    for node in ("", NODE):
        found = read(PLAN, [Source(path, node)])
        assert verdicts(found) == {Verdict.INCONCLUSIVE}
        assert "02:00:00:00:00:bb" in found.notes[-1]


def test_an_unknown_machine_has_to_be_named(tmp_path):
    path = put(tmp_path, "a.state", renamed(f"hostname {NODE}", "hostname gpu-box-7"))
    nobody = read(PLAN, [Source(path)])
    assert nobody.nodes == frozenset()
    assert f"say NODE={path}" in nobody.notes[-1]
    named = read(PLAN, [Source(path, NODE)])
    assert verdicts(named) == {Verdict.PASS}
    assert f"it calls itself gpu-box-7; that it is {NODE} was said by hand" in named.notes[-1]


def test_without_a_planned_mac_only_a_person_s_word_makes_it_a_node(tmp_path):
    plan = anonymous()
    path = put(tmp_path, "a.state", state())
    found = judged(read(plan, [Source(path)]), plan).findings
    assert {one.verdict for one in found} == {Verdict.INCONCLUSIVE}
    assert all("no MAC to know" in one.found for one in found)
    assert verdicts(read(plan, [Source(path, NODE)]), plan) == {Verdict.PASS}


def test_a_state_whose_machine_nothing_proves_says_so(tmp_path):
    """A host name proves nothing, nor does a person's word: with a MAC neither is needed."""
    plan, path = anonymous(), put(tmp_path, "a.state", state())
    for node, word in (("", "its host name"), (NODE, "a person's word")):
        said = read(plan, [Source(path, node)]).notes[-1]
        assert f"no MAC of {NODE}, and {word} is all" in said
        assert "not proven" not in "".join(read(PLAN, [Source(path, node)]).notes)


def test_what_was_not_run_as_root_says_so(tmp_path):
    found = read(PLAN, [Source(put(tmp_path, "a.state", renamed("user 0", "user 1000")))])
    assert "not run as root" in found.notes[-1]


def test_a_folder_of_host_states_and_one_of_a_run(tmp_path):
    put(tmp_path, "b.state", b"")
    put(tmp_path, "a", state())
    put(tmp_path, "notes.txt", b"hello")
    assert [one.path.name for one in sources(tmp_path)] == ["a", "b.state"]
    put(tmp_path, "x.frames", b"")
    assert sources(tmp_path) == ()


def test_the_lines_of_other_checks_are_the_script_s():
    """A line that is asked otherwise in a trip would never be found in a file."""
    script = host_ask.SCRIPT.read_text()
    assert all(line in script for line in archives.LINES)
