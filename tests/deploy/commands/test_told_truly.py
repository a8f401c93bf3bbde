"""What stopped before its gate, met a lock, or cannot be read is never told as a pass."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.console import Console

from deploy import session
from deploy.context import Context, no_journal
from deploy.errors import RailbedError
from deploy.record.journal import Record
from deploy.report import tell
from deploy.report.files import write_report, write_story
from deploy.rollout import change
from deploy.rollout.change import apply_site
from deploy.rollout.look import ServerLook
from deploy.session import Selection, open_offline
from deploy.switches.render import Wish, render_site
from inventory import open_site
from validation.evidence.gather import Reply
from validation.verdict import Finding, Verdict

ROOT = Path(__file__).parents[3]
GOOD = Finding(20, "lldp", "spine1", "lldp:spine1:swp1", Verdict.PASS)


def silent(_: str) -> None:
    """No progress."""


@pytest.fixture
def context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Context:
    """A site whose state lies in a folder of the test's own, with nothing to reach."""
    monkeypatch.setattr("inventory.state.STATE_ROOT", tmp_path)
    made = open_offline(Selection("lab", "told"), silent, no_journal)
    monkeypatch.setattr(change, "open_context", lambda *_: made)
    for before in ("require_up", "prepare"):
        monkeypatch.setattr(change, before, lambda *_: None)
    return made


@pytest.fixture
def record(context: Context) -> Iterator[Record]:
    opened = Record(context.state_dir / "record.sqlite")
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("decision", "verdict"), [("stop", "fail"), ("hold", "inconclusive"), (None, "inconclusive")]
)
def test_a_run_that_stopped_after_a_good_gate_is_no_pass(context, record, decision, verdict):
    """A push that failed leaves the findings of the gate before it, and they all pass."""
    run = record.begin_run("lab", context.plan.digest)
    record.begin_wave(run, "spines-canary", "switches", ["spine1"])
    record.add_findings(run, "spines-canary", [GOOD])
    record.end_wave(run, "spines-canary", "go", [])
    record.begin_wave(run, "spines-rest", "switches", ["spine2"])
    if decision:
        record.end_wave(run, "spines-rest", decision, ["spine2: not reached"])
    record.end_run(run, "spines-rest: spine2: not reached")
    assert tell(context.plan, record, record.runs()[0]).verdict == verdict
    page = write_story(context, record, run)
    root = ElementTree.parse(page.with_suffix(".junit.xml")).getroot()
    suite = root.find("testsuite[@name='gates']")
    assert suite is not None
    bad = suite.findall("testcase[@name='gate:spines-rest']/*")
    assert [one.get("type") for one in bad] == [verdict]


def test_a_run_that_reached_its_end_is_a_pass(context, record):
    run = record.begin_run("lab", context.plan.digest)
    record.begin_wave(run, "oob", "oob", ["oob1"])
    record.add_findings(run, "oob", [GOOD])
    record.end_wave(run, "oob", "go", [])
    record.end_run(run, "as planned")
    assert tell(context.plan, record, record.runs()[0]).verdict is Verdict.PASS


def test_a_run_that_found_nothing_is_an_error_in_junit(context, record):
    run = record.begin_run("lab", context.plan.digest)
    record.end_run(run, "failed")
    page = write_story(context, record, run)
    root = ElementTree.parse(page.with_suffix(".junit.xml")).getroot()
    assert len(root.findall(".//error")) == 1


def test_a_run_that_met_a_lock_says_so_and_leaves_lock_and_last_report_alone(context, record):
    held = record.begin_run("lab", context.plan.digest)
    record.lock(held, ["spine1"])
    page = write_story(context, record, held)
    before = page.with_name("index.html").read_text()
    with pytest.raises(RailbedError, match="spine1: held by"):
        apply_site(Selection("lab", "told"), "switches", dry_run=False, say=silent)
    refused = record.runs()[-1]
    assert refused.id != held
    assert (refused.outcome or "").startswith("refused: spine1: held by")
    assert set(record.locks()) == {"spine1"}
    assert page.with_name("index.html").read_text() == before
    assert write_report(Selection("lab", "told"), None)[0].name == f"run-{held}.html"


def test_a_step_that_does_not_exist_is_not_put_on_record(context, record):
    with pytest.raises(RailbedError, match="not a step"):
        apply_site(Selection("lab", "told"), "everything", dry_run=False, say=silent)
    assert record.runs() == ()


@pytest.mark.parametrize("what", ["text", "folder"])
def test_a_record_that_is_none_is_a_sentence(tmp_path, what):
    path = tmp_path / "record.sqlite"
    path.mkdir() if what == "folder" else path.write_text("no database " * 100)
    with pytest.raises(RailbedError, match="cannot be used"):
        Record(path)


def test_a_folder_that_cannot_be_written_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(RailbedError, match="cannot be written"):
        render_site(open_site("lab"), Wish("spine1"), tmp_path / "file" / "out", None, Console())


@pytest.mark.parametrize("name", ["../..", "Lab", "a b", ""])
def test_a_name_that_is_no_labs_leads_nowhere(name):
    with pytest.raises(RailbedError, match="cannot name a lab"):
        _ = Selection("lab", name).state_dir


def test_the_hint_names_the_lab_that_was_asked_for(monkeypatch, tmp_path):
    monkeypatch.setattr("inventory.state.STATE_ROOT", tmp_path)
    with pytest.raises(RailbedError) as told:
        session.open_context(Selection("lab", "other"), silent, no_journal)
    assert told.value.hint.endswith("--name other`")


class Babbler:
    """Every device answers at once, and none says anything that can be read."""

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        assert device
        assert script
        assert timeout_s
        return Reply(b"motd of the day", 0, "")


def test_a_device_that_answers_nonsense_is_silent_and_stops_no_survey(context, monkeypatch):
    from deploy.rollout import survey

    nothing = ServerLook((), {}, {}, {})
    monkeypatch.setattr(survey, "look", lambda *_: nothing)
    found = survey.survey(context, Babbler())
    assert {name for name, _ in found.silent} == set(context.plan.switch)
    assert all("cannot be read" in why for _, why in found.silent)


def test_the_commands_say_so_too(tmp_path):
    """From outside: no traceback, exit 2, and nothing beside the words."""
    said = subprocess.run(
        [sys.executable, "-P", "-m", "deploy", "render", "--out", "/proc/none"],
        cwd=ROOT,
        env={**os.environ, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert said.returncode == 2
    assert "Traceback" not in said.stderr
    assert "cannot be written" in said.stderr
