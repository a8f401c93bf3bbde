"""What a run knows at its survey that it will not mend, it says there, and changes nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deploy.record.journal import Record
from deploy.rollout import runbook
from deploy.rollout.gatekeeper import Gatekeeper
from deploy.rollout.runbook import preview, rollout
from deploy.rollout.survey import Survey
from deploy.rollout.unmended import Unmended
from tests.deploy.commands.test_told_truly import context  # noqa: F401 - a fixture
from tests.deploy.servers.test_drift import NODE
from validation.evidence.gather import Reply

STRAY = "/etc/sysctl.d/zz.conf"
OF_NOBODY = (Unmended("stray", STRAY),)


class Nobody:
    """Where no device may be asked: the survey is given."""

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        raise AssertionError(f"{device} was asked: {script}, {timeout_s}")


NOBODY = Nobody()


def found(plan, *, silent=(), strays=None) -> Survey:
    planned = frozenset(plan.devices) - {"node-p2-1", *silent}
    quiet = tuple((name, "no route") for name in silent)
    return Survey("d", planned, (), quiet, {"node-p2-1": ("ofed",)}, {}, strays or {})


@pytest.fixture
def roll(context, monkeypatch):  # noqa: F811
    """A rollout on what a survey found; every change is a failed test."""

    def change(*_):
        raise AssertionError("a device was changed")

    def run(survey, only=""):
        monkeypatch.setattr(runbook, "survey", lambda *_: survey)
        monkeypatch.setattr(runbook, "_change", change)
        monkeypatch.setattr(runbook, "_bring_packages", change)
        monkeypatch.setattr(Gatekeeper, "remember_what_worked", lambda *_: None)
        record = Record(context.state_dir / "record.sqlite")
        try:
            return rollout(context, NOBODY, record, record.begin_run("lab", "d"), only)
        finally:
            record.close()

    return run


@pytest.mark.parametrize("only", ["", "nodes"])
def test_a_rollout_refuses_strays_before_it_changes_another_node(roll, context, only):  # noqa: F811
    ended = roll(found(context.plan, strays={NODE: OF_NOBODY}), only)
    assert ended.exit_code == 1
    assert ended.changed == ended.waves == ()
    assert STRAY in ended.outcome
    assert "nothing was changed" in ended.outcome


def test_a_stray_elsewhere_stops_no_other_step(roll, context):  # noqa: F811
    with pytest.raises(AssertionError, match="was changed"):
        roll(found(context.plan, strays={context.plan.oob.name: OF_NOBODY}), "nodes")


def test_a_dry_run_says_what_apply_would_refuse(context, monkeypatch):  # noqa: F811
    monkeypatch.setattr(runbook, "pending", lambda _: "")
    strayed = found(context.plan, strays={NODE: OF_NOBODY})
    monkeypatch.setattr(runbook, "survey", lambda *_: strayed)
    said = preview(context, NOBODY, "nodes")
    assert said.exit_code == 1
    assert STRAY in said.outcome


def test_a_dry_run_that_reached_nobody_is_not_known(context, monkeypatch):  # noqa: F811
    monkeypatch.setattr(runbook, "pending", lambda _: "")
    everybody = found(context.plan, silent=tuple(context.plan.devices))
    monkeypatch.setattr(runbook, "survey", lambda *_: everybody)
    assert preview(context, NOBODY, "").exit_code == 3
    some = replace(everybody, silent=everybody.silent[1:])
    monkeypatch.setattr(runbook, "survey", lambda *_: some)
    assert preview(context, NOBODY, "").exit_code == 0
