"""A hundred secrets in lines of nobody, one in a credential: none is in what is told or kept."""

from __future__ import annotations

import io
import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console
from typer.testing import CliRunner

from deploy import show
from deploy.commands.main import app
from deploy.context import Context, no_journal
from deploy.record.journal import Record
from deploy.record.rows import ChangeRow
from deploy.report import html_page, markdown, story_json, tell
from deploy.rollout import saved_plan, survey
from deploy.rollout.look import ServerLook
from deploy.rollout.runbook import preview
from deploy.servers import ansible_run
from deploy.servers.drift import drift
from deploy.switches.compare import compare, compared_json, compared_text
from deploy.switches.push_secrets import Secrets
from inventory import open_site
from inventory.plan import Plan
from switch_configs import dialect, dialects, render
from switch_configs.diff import diff
from tests.secrets import LINES, PLANTED, filled, planted
from tests.switch_configs.sites import small
from tests.validation.planned import Servers, says
from validation.evidence.gather import Reply
from validation.judging.junit import junit
from validation.manifest import node_state
from validation.manifest.device import manifests
from validation.manifest.node_state import KERNEL, SSHD
from validation.verdict import Finding, Verdict

LEAF = "leaf-p1-r0"


def in_(text: str) -> list[str]:
    """What was planted, of which a text tells."""
    return [kind for kind, secret in PLANTED.items() if secret in text]


def console() -> Console:
    return Console(file=io.StringIO(), width=400)


def said(out: Console) -> str:
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue()


def test_there_are_a_hundred_of_many_kinds():
    assert len(set(PLANTED.values())) == 100
    assert len(LINES) >= 25
    assert sorted(in_(" ".join(filled()))) == sorted(PLANTED)


class Answers:
    """Every switch answers at once; what it holds is in the stand-in of its dialect."""

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        return Reply(b"", 0, "")


def context_of(plan: Plan, folder: Path) -> Context:
    nowhere = folder / "none"
    return Context(plan, plan.site, folder, nowhere, nowhere, lambda _: None, no_journal)


@pytest.fixture(params=dialects())
def surveyed(request, tmp_path, monkeypatch) -> tuple[Context, Plan]:
    """A site in one system, each of whose switches holds foreign lines."""
    plan = small(request.param)
    tongue = SimpleNamespace(
        fetch_command=lambda: "",
        running=lambda name, _: planted(render(plan, name)),
        held=lambda name, _: planted(render(plan, name)),
        own=dialect(request.param).own,
        accounts=dialect(request.param).accounts,
        push_steps=dialect(request.param).push_steps,
    )
    monkeypatch.setattr(survey, "dialect", lambda _: tongue)
    monkeypatch.setattr(survey, "is_pushed", lambda _: True)
    monkeypatch.setattr(survey, "look", lambda *_: ServerLook((), {}, {}, {}))
    few = SimpleNamespace(
        **{name: getattr(plan, name) for name in dir(plan) if not name.startswith("__")}
    )
    few.devices = (LEAF,)
    return context_of(few, tmp_path), plan  # type: ignore[arg-type] # the same, of one device


def test_a_survey_a_saved_plan_and_a_dry_run_tell_of_lines_and_not_what_they_say(
    surveyed, tmp_path, monkeypatch
):
    context, plan = surveyed
    found = survey.survey(context, Answers())
    assert [one.device for one in found.differences] == [LEAF]
    assert "#" in found.differences[0].text
    made = saved_plan.saved_plan(plan.site, "", "", found)
    path = tmp_path / "saved.json"
    saved_plan.write(made, path)
    # The same line has the same digest in the next process: else no saved plan would hold.
    again = survey.survey(context, Answers())
    saved_plan.refuse_drifted(saved_plan.read(path), again)
    out = console()
    show.survey_text(found, out)
    show.saved_text(made, path, out)
    monkeypatch.setattr(
        "deploy.rollout.runbook.waves_of",
        lambda *_: (SimpleNamespace(step="switches", devices=(LEAF,)),),
    )
    monkeypatch.setattr("deploy.rollout.runbook.pending", lambda _: "")
    dry = preview(context, Answers(), "")
    show.apply_text(dry, out)
    texts = [said(out), json.dumps(show.survey_json(found)), json.dumps(show.apply_json(dry))]
    texts += [path.read_text(), json.dumps(show.saved_json(made)), repr((found, dry, made))]
    texts.append(CliRunner().invoke(app, ["plan", "--show", str(path)]).output)
    assert "would change" in texts[-1]
    assert [in_(text) for text in texts] == [[]] * len(texts)


@pytest.mark.parametrize("name", dialects())
def test_a_diff_of_a_folder_tells_no_secret(name, tmp_path):
    plan = small(name)
    for file in planted(render(plan, LEAF)).files:
        path = tmp_path / LEAF / file.path.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, encoding="utf-8")
    found = compare(plan, tmp_path, None)
    out = console()
    compared_text(found, out)
    assert in_(said(out) + json.dumps(compared_json(found))) == []


def test_the_record_and_every_report_hold_none(tmp_path):
    plan = open_site("lab")
    device = plan.switches[0].name
    (change, *_) = diff(planted(render(plan, device)), render(plan, device))
    record = Record(tmp_path / "record.sqlite")
    run = record.begin_run(plan.site, plan.digest)
    record.begin_wave(run, "spines", "switches", [device])
    secrets = Secrets({"bgp": "Sw0rdfish"})
    detail = secrets.hidden(f"{change.text}\nneighbor up password Sw0rdfish")
    record.change(run, ChangeRow("spines", device, "diff", "", change.impact, "a", "b", detail))
    bad = Finding(20, "bgp", device, "bgp:x", Verdict.FAIL, "", detail, "", "")
    record.add_findings(run, "spines", [bad])
    record.end_wave(run, "spines", "stop", [detail])
    record.end_run(run, "stop at the gate")
    story = tell(plan, record, record.runs()[0])
    told = [html_page(story, plan), markdown(story), json.dumps(story_json(story), default=str)]
    told += [
        repr(story),
        str(junit(story.findings) if hasattr(story, "findings") else junit([bad])),
    ]
    record.close()
    told += [one.read_bytes().decode("latin-1") for one in tmp_path.iterdir()]
    assert any("#" in text for text in told)
    assert [in_(text) for text in told] == [[]] * len(told)
    assert not any("Sw0rdfish" in text for text in told)


def test_engines_are_not_asked_to_print_what_was_in_files():
    assert "--diff" not in ansible_run._arguments(["a"], ("base",), dry_run=True)


def test_drift_of_a_server_tells_what_differs_and_no_line_of_nobody(tmp_path):
    plan = open_site("lab")
    node = "node-p1-1"

    def answers(device: str) -> dict[str, str]:
        mine = manifests(plan).of(device)
        held = {line: text for line, text in says(mine).items() if line in node_state.lines(mine)}
        for line in {KERNEL, SSHD} & set(held):
            held[line] += "".join(f"{one}\n" for one in filled())
        return held

    report = drift(context_of(plan, tmp_path), Servers(plan, answers), [node])
    out = console()
    show.drift_text(report, out)
    assert in_(said(out) + json.dumps(show.drift_json(report)) + repr(report)) == []


def test_lines_are_shown_on_a_terminal_alone(tmp_path, monkeypatch):
    plan = open_site("lab")
    device = plan.switches[0].name
    for file in render(plan, device).files:
        path = tmp_path / device / file.path.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        more = "oddity Xq9\n" if file.path.endswith("frr.conf") else ""
        path.write_text(file.text + more, encoding="utf-8")
    asked = ["diff", str(tmp_path), "--lines"]
    done = CliRunner().invoke(app, asked)
    assert "no terminal" in str(done.exception)
    assert "Xq9" not in CliRunner().invoke(app, asked[:2]).output
    monkeypatch.setattr("deploy.commands.switches.sys", SimpleNamespace(stdout=Terminal()))
    out = console()
    monkeypatch.setattr("deploy.commands.switches.out", out)
    CliRunner().invoke(app, asked)
    assert "oddity Xq9" in said(out)


class Terminal:
    """What a person looks at."""

    def isatty(self) -> bool:
        return True
