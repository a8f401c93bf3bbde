"""Switches of the OOB plane are pushed: from the racks to the server, and the path of all last.

The plane is modelled (`oob_plane`): who is reached hangs on what each switch on the way runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from deploy.backups import accept as accepting
from deploy.backups import preview as back_preview
from deploy.backups.accept import Wish as Accept
from deploy.backups.accept import accept_of_site
from deploy.backups.drift import drift, exit_code
from deploy.backups.preview import preview as going_back
from deploy.backups.rollback import Wish, chosen, goals_of, rollback
from deploy.backups.taken import switches_of, take
from deploy.record.journal import Record
from deploy.rollout import fabric_check, switch_wave
from deploy.rollout.change import _devices
from deploy.rollout.oob import way_check
from deploy.rollout.runbook import preview
from deploy.rollout.survey import survey
from deploy.session import Selection
from deploy.switches import push_flow
from deploy.switches.push_result import PushResult
from deploy.switches.push_session import Pace
from deploy.switches.switch_push import push as push_of_a_wave
from deploy.transport.ssh_run import AS_ROOT
from deploy.trial import push_trial
from deploy.trial import site as trial_site
from deploy.trial.push_trial import WORDS
from deploy.trial.site import tried
from inventory import open_site
from inventory.oob.paths import path_last
from inventory.plan import Plan, PortRef
from tests.deploy.rollout.oob_plane import (
    CORE,
    FIRST,
    SECOND,
    Plane,
    modelled,
    of_one_wave,
    planned,
    stock_site,
)
from tests.deploy.shell_switch import Clock, Killed, killed

RACK = "oob-p1-1"


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    return stock_site(tmp_path_factory.mktemp("site") / "mini")


@pytest.fixture
def plane(plan: Plan, tmp_path: Path, monkeypatch) -> Iterator[Plane]:
    with modelled(plan, tmp_path, monkeypatch) as made:
        yield made


def alone(plane: Plane, *names: str) -> Plane:
    """The same plane, in whose plan only these are changed."""
    plan = of_one_wave(plane.plan, *names)
    plane.plan, plane.context = plan, replace(plane.context, plan=plan)
    return plane


def watched(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, tuple[str, ...]]]:
    """Each push that begins, with those that are under way."""
    under_way, seen, real = set[str](), list[tuple[str, tuple[str, ...]]](), push_of_a_wave

    def push(context: object, name: str, **more: object) -> PushResult:
        under_way.add(name)
        seen.append((name, tuple(sorted(under_way))))
        try:
            return real(context, name, **more)  # type: ignore[arg-type]
        finally:
            under_way.discard(name)

    monkeypatch.setattr(switch_wave, "push", push)
    return seen


def test_the_path_of_all_is_changed_last_and_alone_and_a_second_run_changes_nothing(
    plane, monkeypatch
):
    monkeypatch.setattr(switch_wave, "untried", lambda *_: ())  # then some go side by side
    seen = watched(monkeypatch)
    result = plane.apply()
    assert result.exit_code == 0, (result.outcome, result.findings, plane.said)
    assert result.changed == tuple(sorted(plane.switches))
    order = plane.confirmed()
    assert sorted(order) == sorted(plane.switches)
    assert order[-1] == CORE
    assert set(order[-3:-1]) == {FIRST, SECOND}
    for name, beside in seen:
        if name in (FIRST, SECOND, CORE):
            assert beside == (name,)
    assert [one.step for one in result.waves[:-1]] == ["oob-switches"] * 6
    for name, model in plane.switches.items():
        assert model.runs == model.nvue["startup"] == planned(plane.plan, name)
        assert not model.waits
    judged = {(one.check, one.device) for one in result.findings}
    assert judged >= {("running", name) for name in plane.switches}
    calls = {name: len(model.nvue["calls"]) for name, model in plane.switches.items()}
    again = plane.apply()
    assert (again.exit_code, again.changed) == (0, ())
    for name, model in plane.switches.items():
        new = model.nvue["calls"][calls[name] :]
        assert all(one.startswith(("config show", "config diff", "config rev")) for one in new)


def test_who_answered_before_is_asked_for_and_who_did_not_is_no_reason(plane):
    plane.off = {"node-p1-1-bmc", "node-p1-3"}
    result = alone(plane, RACK).apply()
    assert result.exit_code == 0, (result.outcome, result.findings)
    whose = plane.whose
    before, after = ([whose[one.split()[0]][0] for one in ends] for ends in plane.asked)
    assert "pdu-p1-1-a" in before
    assert set(before) - set(after) == plane.off
    ports = {whose[one.split()[0]][1]: one.split()[1] for one in plane.asked[0]}
    assert ports == {"bmc": "443", "hostmgmt": "22", "power": "443"}


def quick(plane: Plane, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The flow, and who waits for what is behind, have the clock of one switch."""
    for module in (push_flow, way_check, fabric_check):
        monkeypatch.setattr(module, "time", Clock(plane.switches[name]))


def runs_the_new(plane: Plane, name: str) -> bool:
    return bool(plane.switches[name].runs["service"]["lldp"]["tx-interval"] == "10")


@pytest.mark.instances(keep=2, of="an OOB switch is not changed well")
@pytest.mark.parametrize("port", ["swp1", "swp3"])
def test_a_switch_behind_which_somebody_stays_away_goes_back(plane, monkeypatch, port):
    """By us where the switch itself is reached (a rack is cut off), else by its own timer."""
    alone(plane, SECOND)
    model = plane.switches[SECOND]
    before = model.runs
    plane.dead = lambda end: end == PortRef(SECOND, port) and runs_the_new(plane, SECOND)
    quick(plane, monkeypatch, SECOND)
    result = plane.apply()
    assert result.exit_code == 1
    assert "the device has its old configuration again" in result.outcome
    if port == "swp1":
        assert "not reached through it any more: leaf-p1-1 (" in result.outcome
        assert "oob-p1-net1 (" in result.outcome
        assert "oob-core-1 (" not in result.outcome
    else:
        assert "the session was lost" in result.outcome
        assert [one for one in model.nvue["calls"] if one.startswith("config apply -y --confirm")]
        assert not [one for one in model.nvue["calls"] if "--confirm-no" in one]
    assert model.runs == before == model.nvue["startup"]
    assert result.changed == ()
    assert plane.reaches("spine1", "netmgmt")
    plane.dead = lambda _: False
    again = plane.apply()
    assert (again.exit_code, again.changed) == (0, (SECOND,)), again.outcome


@pytest.mark.instances(keep=2, of="an OOB switch is not changed well")
def test_a_push_repeated_at_once_asks_for_all_that_the_first_cut_off(plane, monkeypatch):
    """Its links may not be up again: whoever is still silent is no state to be measured by."""
    alone(plane, SECOND)
    model = plane.switches[SECOND]
    before = model.runs
    quick(plane, monkeypatch, SECOND)
    plane.dead = lambda end: end == PortRef(SECOND, "swp1") and runs_the_new(plane, SECOND)
    assert plane.apply().exit_code == 1
    plane.dead = lambda end: end == PortRef(SECOND, "swp1")
    again = plane.apply()
    assert (again.exit_code, again.changed) == (1, ())
    assert any(one.startswith(f"{SECOND}: it was changed a moment ago") for one in plane.said)
    assert "not reached through it any more: leaf-p1-1 (" in again.outcome
    assert model.runs == before


@pytest.mark.instances(keep=2, of="an OOB switch is not changed well")
def test_a_run_that_stops_at_a_rack_does_not_touch_what_is_nearer(plane, monkeypatch):
    quick(plane, monkeypatch, RACK)
    alone(plane, RACK, FIRST, CORE)
    plane.dead = lambda end: end == PortRef(RACK, "swp1") and runs_the_new(plane, RACK)
    result = plane.apply()
    assert (result.exit_code, result.changed) == (1, ())
    assert "node-p1-1 (" in result.outcome
    assert not plane.confirmed()
    assert not runs_the_new(plane, CORE)


@pytest.mark.instances(keep=2, of="an OOB switch is not changed well")
def test_a_run_that_is_killed_is_taken_up_again(plane):
    alone(plane, FIRST)
    model = plane.switches[FIRST]
    before = model.runs
    model.after["config apply"] = killed
    with pytest.raises(Killed):
        plane.apply()
    assert model.waits
    result = plane.apply()
    assert result.exit_code == 0, result.outcome
    assert any("an unconfirmed push is on the device" in one for one in plane.said)
    assert model.runs == model.nvue["startup"] == planned(plane.plan, FIRST) != before
    assert not model.waits


@pytest.mark.instances(keep=2, of="an OOB switch is not changed well")
def test_what_a_killed_run_cut_off_is_waited_for_by_the_next_one_too(plane, monkeypatch):
    """While its change waits, nobody behind it answers: that is no state to be measured by."""
    alone(plane, FIRST)
    model = plane.switches[FIRST]
    before = model.runs
    quick(plane, monkeypatch, FIRST)
    plane.dead = lambda end: end == PortRef(FIRST, "swp1") and runs_the_new(plane, FIRST)
    model.after["config apply"] = killed
    with pytest.raises(Killed):
        plane.apply()
    assert model.waits
    assert not plane.reaches(RACK, "netmgmt")
    result = plane.apply()
    assert (result.exit_code, result.changed) == (1, ())
    assert "not reached through it any more: node-p1-1 (" in result.outcome
    assert model.runs == before == model.nvue["startup"]


def test_nothing_is_changed_where_nobody_knows_who_answers(plane):
    alone(plane, CORE)
    plane.is_cut_short = True
    result = plane.apply()
    assert result.exit_code == 1
    assert "oob1 does not say who answers" in result.outcome
    assert not runs_the_new(plane, CORE)


def test_a_preview_says_what_each_cuts_off_and_changes_nothing(plane):
    result = preview(plane.context, plane, "oob-switches")
    assert {one.device for one in result.differences} == set(plane.switches)
    told = {one.device: one.drain for one in result.differences}
    assert told[RACK].startswith("the way to 12 addresses cut off meanwhile")
    assert "changed alone and after them" in told[CORE]
    assert {one.impact for one in result.differences} == {"runtime"}
    assert not plane.confirmed()
    others = preview(plane.context, plane, "switches")
    assert not others.differences


def test_all_that_may_be_cut_off_is_locked(plane):
    assert _devices(plane.context, "oob-switches") == set(plane.plan.devices) - {"oob1"}
    assert RACK not in _devices(plane.context, "switches")


@pytest.mark.instances(keep=1, of="what else is done with an OOB switch")
def test_a_run_is_taken_back_with_the_path_of_all_at_the_end(plane, monkeypatch):
    alone(plane, RACK, FIRST, CORE)
    assert plane.apply().exit_code == 0
    wish = Wish(1)
    with closing(Record(plane.context.state_dir / "record.sqlite")) as record:
        names = path_last(plane.plan, chosen(record, wish, frozenset(plane.plan.any_switch)))
        assert names == (RACK, FIRST, CORE)
        goals = goals_of(plane.context, 1, names)
        quick(plane, monkeypatch, FIRST)
        plane.dead = lambda end: end == PortRef(FIRST, "swp2") and not runs_the_new(plane, FIRST)
        monkeypatch.setattr(back_preview, "_LOSES", "none")
        would = going_back(plane.context, goals)
        assert would.undrained == (), "no job has packets there"
        told = {one.device: one.drain for one in would.switches}
        assert told[RACK].startswith("the way to 12 addresses cut off meanwhile")
        assert "changed alone and after them" in told[CORE]
        result = rollback(plane.context, plane, record, wish, goals)
    assert (result.exit_code, result.undrained) == (1, ())
    assert "not reached through it any more: node-p1-5" in result.outcome
    assert [one.device for one in result.switches] == [RACK, FIRST]
    assert plane.switches[RACK].runs["service"]["lldp"]["tx-interval"] == "30"
    assert runs_the_new(plane, FIRST)
    assert RACK not in survey(plane.context, plane).as_planned


@pytest.mark.instances(keep=1, of="what else is done with an OOB switch")
def test_a_trial_on_a_way_to_others_asks_for_them_too(plane, monkeypatch):
    model = plane.switches[FIRST]
    quick(plane, monkeypatch, FIRST)
    monkeypatch.setattr(push_trial, "time", Clock(model))
    monkeypatch.setattr(push_trial, "_alone_s", lambda _: (10.0, 40.0))
    monkeypatch.setattr(trial_site, "window_s", lambda *_: 30)
    pace = Pace(30, verify_share=0.1, poll_s=15)
    monkeypatch.setattr(trial_site, "Pace", lambda window_s: replace(pace, window_s=window_s))
    before = model.runs

    def dead(end: PortRef) -> bool:
        return end == PortRef(FIRST, "swp2") and WORDS in str(model.runs)

    plane.dead = dead
    with closing(Record(plane.context.state_dir / "record.sqlite")) as record:
        run = record.begin_run(plane.context.site, plane.plan.digest)
        away = tried(plane.context, plane, record, run, FIRST, lambda _: True)
        assert not away.trial.passed
        assert any("not reached through it any more: node-p1-5" in one for one in plane.said)
        assert model.runs == before
        plane.dead = lambda _: False
        assert tried(plane.context, plane, record, run, FIRST, lambda _: True).trial.passed
    assert model.runs == before == model.nvue["startup"]


def test_a_backup_is_taken_of_them_and_drift_tells_what_differs(plane):
    assert set(plane.switches) <= set(switches_of(plane.plan, ()))
    (taken,) = take(plane.context, [RACK], keep=3)
    assert (taken.silent, taken.made is not None) == ("", True)
    (found,) = drift(plane.context, [RACK])
    assert found.silent == ""
    assert "tx-interval" in repr(found.details)


@pytest.mark.instances(keep=1, of="what else is done with an OOB switch")
def test_what_somebody_typed_on_one_becomes_the_sites_own(plane, tmp_path, monkeypatch):
    alone(plane, RACK)
    assert plane.apply().exit_code == 0
    site = str(tmp_path / "mini")
    stock_site(tmp_path / "mini")
    mine = replace(plane.context, site=site)
    monkeypatch.setattr(accepting, "open_context", lambda *_: mine)
    for line in (
        "nv set service dns mgmt server 192.0.2.53",
        "nv config apply -y",
        "nv config save",
    ):
        assert plane.switches[RACK].shell(AS_ROOT, line.encode(), 60).returncode == 0
    assert exit_code(drift(mine, [RACK])) == 1
    asked = Accept((RACK,), "service", "asked for by the storage team")
    done = accept_of_site(Selection(site, ""), asked)
    assert done.written
    assert f"devices: [{RACK}]" in done.stanza
    mine = replace(mine, plan=open_site(site))
    assert exit_code(drift(mine, [RACK])) == 0
    assert accept_of_site(Selection(site, ""), asked).stanza == ""
