"""The survey tells an account that nobody planned: a dry run and a rollout begin there."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from deploy.rollout import runbook, survey
from deploy.rollout.look import ServerLook
from deploy.rollout.unmended import left_on_switch
from inventory.plan import Plan
from switch_configs import dialect, is_typed, render
from switch_configs.answers.typed import Typed, encoded
from switch_configs.intent import Rendered
from tests.deploy.fake_eos import stored
from tests.deploy.nowhere import context_to_nowhere
from tests.switch_configs.eos import test_push as eos
from tests.switch_configs.sites import DIALECTS, small
from tests.switch_configs.sonic import test_push as sonic
from tests.switch_configs.test_fetch import answer
from tests.switch_configs.test_own import CANARY, LEAF, WAYS_IN, with_more
from tests.validation.running_says import says
from validation.evidence.gather import Reply


class Fabric:
    """Every switch runs what is rendered, but for one that runs something else."""

    def __init__(self, plan: Plan, held: Rendered) -> None:
        self.plan, self.held = plan, held

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        assert script == dialect(self.held.dialect).fetch_command()
        assert timeout_s
        runs = self.held if device == self.held.device else render(self.plan, device)
        texts = {one.path.rpartition("/")[2]: one.text for one in runs.files}
        if runs.dialect == "linux_frr":
            said = answer(runs, texts["frr.conf"])
        elif runs.dialect == "sonic":
            # A row that somebody typed in stands in no file.
            files = render(self.plan, device)
            said = sonic.answer(files, texts["config_db.json"], texts["frr.conf"])
        elif runs.dialect == "eos":
            # Secrets come in the switch's own form, and blocks in its own order.
            (text,) = texts.values()
            blocks = re.split(
                r"(?m)^!\n(?=hostname |tacacs-server |vlan |interface )", stored(text)
            )
            body = "!\n".join([blocks[0], *blocks[-2:0:-1], blocks[-1]])
            said = eos.answer(body)
        else:
            said = says(runs)
        if is_typed(runs.dialect):
            return Reply(encoded(Typed(0, said, "")), 0, "")
        return Reply(said.encode(), 0, "")


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
