"""The survey tells an account that nobody planned: a dry run and a rollout begin there."""

from __future__ import annotations

import re
import time
from dataclasses import replace

import pytest

from deploy.rollout import runbook, survey
from deploy.rollout.look import ServerLook
from deploy.rollout.unmended import left_on_switch
from deploy.switches.typed_run import answers
from inventory.plan import Plan
from switch_configs import cli, dialect, render
from switch_configs.answers.typed import Typed, encoded
from switch_configs.intent import Rendered
from tests.deploy.fake_eos import stored as eos_form
from tests.deploy.fake_nxos import stored as nxos_form
from tests.deploy.nowhere import context_to_nowhere
from tests.switch_configs.shells import SESSIONS, Shown, Typing
from tests.switch_configs.sites import DIALECTS, small
from tests.switch_configs.sonic import test_push as sonic
from tests.switch_configs.test_fetch import answer
from tests.switch_configs.test_own import CANARY, LEAF, WAYS_IN, with_more
from tests.validation.running_says import says
from validation.evidence.gather import Reply

SHOWS = "show running-config"


class Fabric:
    """Every switch runs what is rendered, but for one that runs something else."""

    def __init__(self, plan: Plan, held: Rendered) -> None:
        self.plan, self.held = plan, held

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        runs = self.held if device == self.held.device else render(self.plan, device)
        assert script == dialect(runs.dialect).fetch_command()
        assert timeout_s
        texts = {one.path.rpartition("/")[2]: one.text for one in runs.files}
        if runs.dialect == "linux_frr":
            said = answer(runs, texts.get("frr.conf"))  # none on the OOB plane
        elif runs.dialect == "sonic":
            # A row that somebody typed in stands in no file.
            files = render(self.plan, device)
            said = sonic.answer(files, texts["config_db.json"], texts["frr.conf"])
        elif spoken := cli(runs.dialect):
            session = Typing(Shown({("it", one): text for one, text in typed(runs).items()}))
            told = answers(session, spoken.looks, script, time.monotonic() + timeout_s)
            return Reply(b"".join(map(encoded, told)), 0, "")
        else:
            said = says(runs)
        return Reply(said.encode(), 0, "")


def typed(runs: Rendered) -> dict[str, str]:
    """What a command line answers: secrets in its own form, blocks in its own order."""
    (text,) = (one.text for one in runs.files)
    if runs.dialect == "eos":
        blocks = re.split(r"(?m)^!\n(?=hostname |tacacs-server |vlan |interface )", eos_form(text))
        body = "!\n".join([blocks[0], *blocks[-2:0:-1], blocks[-1]])
        head = "! Command: show running-config\n"
        return {SESSIONS: '{"sessions": {}}\n', f"{SHOWS} diffs": "", SHOWS: f"{head}{body}"}
    body = "".join(re.split(r"(?m)^(?=\S)", nxos_form(text))[::-1])
    marks = [f"railbed-fetch {one}" for one in ("1", "startup", "end")]
    said = {f"echo {one}": f"{one}\n" for one in marks}
    return said | {SHOWS: body, "show startup-config": body}


@pytest.fixture
def seen(monkeypatch, tmp_path):
    """The survey, and what `apply --dry-run` says, of a leaf that runs this."""
    monkeypatch.setattr(survey, "is_pushed", lambda _: True)
    monkeypatch.setattr(survey, "look", lambda *_: ServerLook((), {}, {}, {}))
    monkeypatch.setattr(runbook, "pending", lambda _: "")

    def see(held: Rendered, kind: type[Fabric] = Fabric):
        plan = small(held.dialect)
        context = replace(context_to_nowhere(tmp_path), plan=plan)
        fabric = kind(plan, held)
        return survey.survey(context, fabric), runbook.preview(context, fabric, "switches")

    return see


@pytest.mark.parametrize("name", DIALECTS)
def test_what_runs_as_rendered_is_as_planned(seen, name):
    found, dry = seen(render(small(name), LEAF))
    assert LEAF in found.as_planned
    assert not found.strays
    assert not dry.differences


@pytest.mark.parametrize("name", sorted(WAYS_IN))
def test_a_way_in_that_nobody_planned_is_told_and_refused(seen, name):
    kind, more = next(iter(WAYS_IN[name].items()))
    found, dry = seen(with_more(render(small(name), LEAF), more))
    assert LEAF not in found.as_planned
    told = f"1 of {kind} that nobody planned"
    assert found.strays == {LEAF: left_on_switch([told])}
    (one,) = found.differences
    assert (one.device, one.impact, one.text) == (LEAF, "none", told)
    assert dry.exit_code == 1
    assert told in dry.outcome
    assert CANARY not in repr((found, dry))


def test_a_way_in_of_a_file_that_is_ours_would_be_taken_back(seen):
    asked = render(small("linux_frr"), LEAF)
    files = tuple(
        replace(one, text=f"{one.text}password {CANARY}\n") if "frr.conf" in one.path else one
        for one in asked.files
    )
    found, _ = seen(replace(asked, files=files))
    assert LEAF not in found.as_planned
    (one,) = found.differences
    assert CANARY not in one.text


def test_a_switch_that_refuses_to_show_is_silent_for_that_reason(seen):
    asked = render(small("eos"), LEAF)
    refused = encoded(Typed(1, "", "% Unavailable command (not supported on this platform)\n"))

    class Refusing(Fabric):
        def run(self, device: str, script: str, timeout_s: float) -> Reply:
            told = super().run(device, script, timeout_s)
            return Reply(refused + told.stdout, 0, "") if device == LEAF else told

    found, _ = seen(asked, Refusing)
    assert "Unavailable command" in dict(found.silent)[LEAF]
