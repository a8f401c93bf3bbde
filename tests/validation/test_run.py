"""A validation as a whole: trips, what it learns, silent devices, and stage files of others."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from validation.evidence import ask
from validation.evidence.store import EvidenceStore
from validation.run import validate
from validation.stage import StageError
from validation.verdict import Finding, Verdict

from .recorded import NOT_RECORDED, Replay, everything, gated, judged, lab, recorded


def live(transport: Replay, folder: Path | None = None, learned: Path | None = None, **options):
    store = EvidenceStore(folder)
    return validate(lab(), 20, store, transport, everything(), learned, **options)


def test_the_second_run_asks_each_device_once(tmp_path):
    cold = live(Replay("healthy"), learned=tmp_path / "learned.json")
    replay = Replay("healthy")
    warm = live(replay, learned=tmp_path / "learned.json")
    assert max(cold.trips.values()) == 2
    assert set(warm.trips.values()) == {1}
    assert warm.findings == cold.findings
    assert len(replay.asked) == len({device for device, _ in replay.asked}) == 10


def test_a_file_of_lessons_that_is_broken_costs_only_trips(tmp_path):
    (tmp_path / "learned.json").write_text('{"20": [1]}')
    found = live(Replay("healthy"), learned=tmp_path / "learned.json")
    assert {one.verdict for one in found.findings} == {Verdict.PASS}


def test_what_was_gathered_says_the_same_without_a_connection(tmp_path):
    found = live(Replay("stale_kernel"), tmp_path / "evidence")
    again = validate(lab(), 20, EvidenceStore.load(tmp_path / "evidence"), None, everything())
    assert again.findings == found.findings
    assert again.trips == {}


def test_our_own_stage_files_are_read_once_in_a_process(monkeypatch):
    """A rollout judges them at each gate, and a push while it waits."""
    found = judged(recorded("healthy"))
    monkeypatch.setattr(pytest, "main", None)
    assert judged(recorded("healthy")).findings == found.findings


def test_what_nobody_expects_while_stages_are_judged_is_no_traceback(monkeypatch):
    """Who waits for the answer (a push, a gate) goes back by a sentence."""

    def breaks(*_: object) -> None:
        raise KeyError("of another hand")

    monkeypatch.setattr(Replay, "run", breaks)
    with pytest.raises(StageError, match="could not be run: KeyError: 'of another hand'"):
        live(Replay("healthy"))


def test_what_a_fault_needs_to_be_located_is_gathered_too():
    replay = Replay("lost_on_spine1")
    store = recorded(
        "lost_on_spine1", lambda one: one if one.command.startswith("probe ") else None
    )
    found = validate(lab(), 40, store, replay, everything(), leave_out=NOT_RECORDED)
    suspects = gated(found).suspects
    assert len(suspects) >= 3
    assert all("spine1" in one for one in suspects)
    assert any("route get" in line for _, lines in replay.asked for line in lines)


def test_a_silent_device_is_inconclusive_with_its_reason_and_asked_once():
    replay = Replay("healthy", silent=("spine2",))
    found = live(replay)
    mine = [one for one in found.findings if one.device == "spine2"]
    assert {one.verdict for one in mine} == {Verdict.INCONCLUSIVE}
    assert {one.suspect for one in mine} == {"device spine2"}
    assert all("No route to host" in one.found for one in mine)
    others = [one for one in found.findings if one.device != "spine2"]
    assert {one.verdict for one in others} == {Verdict.PASS}
    assert found.trips["spine2"] == 1


def test_why_a_device_was_silent_is_told_offline_too(tmp_path):
    found = live(Replay("healthy", silent=("spine2",)), tmp_path)
    again = validate(lab(), 20, EvidenceStore.load(tmp_path), None, everything())
    assert again.findings == found.findings


def test_a_silent_receiver_is_the_suspect_of_its_probes():
    store = recorded("healthy", lambda one: None if "node-p1-2" in one.command else one)
    store.silent["node-p1-2"] = "ssh: no route"
    found = judged(store)
    mine = [one for one in found.findings if one.expectation.endswith(">node-p1-2")]
    assert len(mine) == 4
    assert {(one.verdict, one.suspect) for one in mine} == {
        (Verdict.INCONCLUSIVE, "device node-p1-2")
    }


def test_probes_are_never_run_by_asking():
    replay = Replay("healthy")
    found = validate(lab(), 40, EvidenceStore(), replay, everything(), leave_out=NOT_RECORDED)
    asked = [one for one in found.findings if one.check in ("df", "tos")]
    assert {one.verdict for one in asked} == {Verdict.INCONCLUSIVE}
    assert not any(line.startswith("probe ") for _, lines in replay.asked for line in lines)


def test_only_what_is_configured_is_asked():
    some = frozenset({"spine1", "leaf-p1-r0"})
    found = validate(lab(), 40, recorded("healthy"), None, some, leave_out=NOT_RECORDED)
    assert {one.device for one in found.findings} == {"spine1", "leaf-p1-r0"}
    assert {one.expectation for one in found.findings if one.check == "bgp"} == {
        "bgp:leaf-p1-r0:swp5",
        "bgp:spine1:swp1",
    }
    assert {one.verdict for one in found.findings} == {Verdict.PASS}


EXPECT = """
from __future__ import annotations
from dataclasses import dataclass
from typing import ClassVar
from validation.expectation import Expectation

@dataclass(frozen=True, slots=True)
class OwnExpected(Expectation):
    stage: ClassVar[int] = 17
    check: ClassVar[str] = "own"

def expectations(plan, configured):
    for switch in plan.switches:
        if switch.name in configured:
            yield OwnExpected(f"own:{switch.name}", switch.name, "is as we like it")
"""
HEADER = """
from __future__ import annotations
from validation.stage import Stage
STAGE = Stage(17, "Own", (), "nothing")
"""
CHECKS = """
from __future__ import annotations
from validation.stage import Check
from .expect import OwnExpected

"""
DOC = '    """Own.\n\n    Success: good.\n    Failure: bad.\n    """\n'


def verify(body: str, arguments: str = "host", doc: str = DOC) -> str:
    head = f"class VerifyOwn(Check):\n{doc}    expects = OwnExpected\n"
    return f"{CHECKS}{head}    def test(self, {arguments}):\n        {body}\n"


def own_stage(folder: Path, checks: str, header: str = HEADER, name: str = "s17_own") -> Path:
    made = folder / "stages" / name
    made.mkdir(parents=True)
    texts = {"__init__": "", "stage": header, "expect": EXPECT, "checks": checks}
    for module, text in texts.items():
        (made / f"{module}.py").write_text(text)
    return made.parent


def with_stage(folder: Path, checks: str, header: str = HEADER):
    own = own_stage(folder, checks, header)
    return validate(
        lab(), 20, recorded("healthy"), None, everything(), leave_out=NOT_RECORDED, own=own
    )


def owned(found) -> list[Finding]:
    return [one for one in found.findings if one.check == "own"]


def test_a_stage_of_a_site_is_judged_beside_ours(tmp_path):
    judge = f'assert host.run("{ask.LINKS}").stdout != ""'
    found = with_stage(tmp_path, verify(judge))
    assert {(one.stage, one.verdict) for one in owned(found)} == {(17, Verdict.PASS)}
    assert {one.device for one in owned(found)} == set(lab().switch)
    assert {one.stage for one in found.findings} == {17, 20}


def test_a_site_adds_a_check_to_a_stage_of_ours_without_a_header(tmp_path):
    own = own_stage(tmp_path, verify("assert False, 'never liked'"), name="s20_own")
    (own / "s20_own/stage.py").unlink()
    text = (own / "s20_own/expect.py").read_text()
    (own / "s20_own/expect.py").write_text(text.replace("= 17", "= 20"))
    found = validate(
        lab(), 20, recorded("healthy"), None, everything(), leave_out=NOT_RECORDED, own=own
    )
    assert {(one.stage, one.found) for one in owned(found)} == {(20, "never liked")}
    assert "up" in {one.check for one in found.findings}


def test_two_sites_may_use_one_name(tmp_path):
    first = with_stage(tmp_path / "a", verify("pass"))
    second = with_stage(tmp_path / "b", verify("assert False, 'another'"))
    assert {one.verdict for one in owned(first)} == {Verdict.PASS}
    assert {one.found for one in owned(second)} == {"another"}


def test_a_plain_assert_fails_all_that_the_check_was_asked(tmp_path):
    found = with_stage(tmp_path, verify(f'assert host.run("{ask.LINKS}").stdout == "[]"'))
    assert {one.verdict for one in owned(found)} == {Verdict.FAIL}
    assert all(one.found for one in owned(found))


def test_a_check_that_breaks_has_judged_nothing(tmp_path):
    found = owned(with_stage(tmp_path, verify("host.nothing.at.all")))
    assert {one.verdict for one in found} == {Verdict.INCONCLUSIVE}
    assert "AttributeError" in found[0].found


def test_an_expectation_without_a_judge_is_inconclusive(tmp_path):
    found = with_stage(tmp_path, CHECKS)
    assert {(one.verdict, one.found) for one in owned(found)} == {
        (Verdict.INCONCLUSIVE, "no check judges 'own'")
    }


PLAIN = verify("pass")


@pytest.mark.parametrize(
    ("checks", "header", "says"),
    [
        ("def test(host):\n    pass\n", HEADER, "give it a class Verify"),
        (verify("pass", "tmp_path"), HEADER, "takes 'tmp_path'"),
        (verify("pass", doc='    """Own."""\n'), HEADER, "its docstring needs Success"),
        (PLAIN.replace("    expects = OwnExpected\n", ""), HEADER, "lacks `expects`"),
        (PLAIN, "STAGE = None\n", "give it STAGE"),
        (PLAIN, HEADER.replace("17", "18"), "says number 18"),
        (PLAIN, HEADER.replace('"nothing"', '"nothing", loads=True'), "loads nothing"),
        (PLAIN, "def broken(:\n", "SyntaxError"),
        ("import nosuchmodule\n", HEADER, "nosuchmodule"),
        ("def broken(:\n", HEADER, "SyntaxError"),
    ],
)
def test_a_stage_that_cannot_be_used_is_told(tmp_path, checks, header, says):
    with pytest.raises(StageError, match=says):
        with_stage(tmp_path, checks, header)


def test_testinfra_modules_answer_from_evidence(tmp_path):
    """host.file and the like ask their own lines; without them they are missing evidence."""
    found = owned(with_stage(tmp_path, verify('assert host.file("/etc/frr").exists')))
    assert {one.verdict for one in found} == {Verdict.INCONCLUSIVE}
    assert "there is no evidence of it" in found[0].found


def test_the_callers_pytest_is_left_as_it_was(monkeypatch, capsys):
    monkeypatch.setenv("PYTEST_ADDOPTS", "--no-such-option")
    before = (dict(os.environ), list(sys.meta_path), list(sys.path))
    judged(recorded("healthy"), 20)
    assert (dict(os.environ), list(sys.meta_path), list(sys.path)) == before
    assert capsys.readouterr() == ("", "")
