"""A run on EOS is taken back through the same safe push, and the record knows where it leads."""

from __future__ import annotations

import io
import re
import time
from contextlib import closing
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from deploy.backups import rollback as module
from deploy.backups import told
from deploy.backups.goal import Goal
from deploy.backups.preview import GONE, Back, RolledBack, ended, preview
from deploy.backups.rollback import Wish, chosen, goals_of, rollback
from deploy.backups.store import Backups
from deploy.errors import RailbedError
from deploy.record.journal import Record
from deploy.record.rows import ChangeRow
from deploy.rollout.fabric_check import FabricCheck
from deploy.rollout.reached import reached
from deploy.rollout.survey import survey
from deploy.switches.push_result import OLD_AGAIN
from deploy.switches.push_secrets import Secrets
from deploy.switches.push_session import Whole
from deploy.switches.transcript import Trial, write
from inventory.plan import Plan
from switch_configs import render
from switch_configs.intent import Rendered
from tests.deploy.backups.conftest import Starts
from tests.deploy.backups.test_eos_backup import FOREIGN, by_hand
from tests.deploy.fake_eos import FakeEos, stored
from tests.deploy.rollout.models import (
    LEAF,
    SECRETS,
    Site,
    held,
)
from tests.deploy.rollout.test_eos_rollout import HASH, factory

pytestmark = pytest.mark.instances(keep=1, files_of="a run on switches is taken back")

STRAY = "tacacs-server host 192.0.2.9 key 7 "


def as_planned(plan: Plan, name: str, login: str) -> str:
    """What it runs once its plan is there: the plan's, and its own users."""
    (file,) = render(plan, name).files
    text = re.sub(r"<<secret:(\w+)>>", lambda one: SECRETS[one[1]], file.text)
    users = "".join(re.findall(r"username .*\n", factory(plan, name, login)))
    return stored(f"{text.removesuffix('end' + chr(10))}{users}!\n")


@pytest.fixture
def starts() -> Starts:
    return as_planned


def back(site: Site[FakeEos], run: int, *names: str, **wishes: bool) -> RolledBack:
    wish = Wish(run, names, **wishes)
    with closing(Record(site.context.state_dir / "record.sqlite")) as record:
        switches = chosen(record, wish, frozenset(site.context.plan.switch))
        goals = goals_of(site.context, run, switches)
        if wish.dry_run:
            return preview(site.context, goals)
        return rollback(site.context, site.transport, record, wish, goals)


def plans(site: Site[FakeEos], name: str) -> frozenset[str]:
    with closing(Record(site.context.state_dir / "record.sqlite")) as record:
        return reached(record).of(name)


def statements(text: str) -> list[str]:
    return sorted(line for line in text.splitlines() if line.strip() and "!" not in line)


def is_refused_without_what_it_needs(site: Site[FakeEos]) -> None:
    """Without the key, the whole or the snapshot nothing is tried; all is put back after it."""
    key, store = site.context.state_dir / "backup.key", Backups(site.context.state_dir)
    one = store.before(1, LEAF)
    assert one is not None
    for path, text, said in (
        (key, b"", "is damaged"),
        (key, b"0" * 64, "is not the key it was closed with"),
        (one.sealed, one.sealed.read_bytes()[:-9], "cannot be opened: it is damaged"),
    ):
        was = path.read_bytes()
        path.write_bytes(text)
        with pytest.raises(RailbedError, match=said):
            back(site, 1)
        path.write_bytes(was)
    for path, said in (
        (key, "the key of the backups, is gone"),
        (one.sealed, "cannot be read: No such file"),
        (one.path, f"what {LEAF} ran before run 1 was not kept"),
    ):
        path.rename(path.with_suffix(".aside"))
        with pytest.raises(RailbedError, match=said):
            back(site, 1)
        path.with_suffix(".aside").rename(path)


def goes_back_by_itself(site: Site[FakeEos], monkeypatch: pytest.MonkeyPatch) -> None:
    """A session does not come up again with what ran before: the device has the newer one again."""
    leaf, asked = site.switches[LEAF], FabricCheck.missing
    now, at = leaf.store.running, plans(site, LEAF)

    def missing(
        check: FabricCheck, switch: str, deadline: float, *, whole: bool
    ) -> tuple[str, ...]:
        site.state[LEAF].sessions[0].state = "Active"
        return asked(check, switch, min(deadline, time.monotonic() + 2), whole=whole)

    with monkeypatch.context() as patch:
        patch.setattr(FabricCheck, "missing", missing)
        refused = back(site, 1)
    assert refused.exit_code == 1
    assert f"{LEAF}: the fabric does not work with it: " in refused.outcome
    assert "is Active" in refused.outcome
    assert "the device has its old configuration again; nothing went back" in refused.outcome
    assert leaf.store.running == leaf.store.startup == now
    assert plans(site, LEAF) == at
    site.state[LEAF].sessions[0].state = "Established"


def test_what_it_ran_before_runs_again_and_the_record_knows(site, plan, monkeypatch):
    leaf = site.switches[LEAF]
    by_hand(site, f"{STRAY}{FOREIGN}")
    by_hand(site, "ntp server vrf MGMT 192.0.2.77")
    before = leaf.store.running
    result = site.apply()
    assert (result.exit_code, result.changed) == (0, (LEAF,))
    after, typed = leaf.store.running, len(leaf.commands)
    assert STRAY not in after
    is_refused_without_what_it_needs(site)
    dry = back(site, 1, dry_run=True)
    assert leaf.store.running == after
    assert all(one.startswith(("show ", "terminal ")) for one in leaf.commands[typed:])
    (one,) = dry.switches
    shown = [re.sub(" #[0-9a-f]{8}$", "", line) for each in one.details for line in each.lines]
    assert (one.device, sorted(shown)) == (
        LEAF,
        ["+ ntp server vrf MGMT 192.0.2.77", "+ tacacs-server host 192.0.2.9 *"],
    )
    goes_back_by_itself(site, monkeypatch)
    assert plans(site, LEAF) == {plan.digest}
    done = back(site, 1)
    assert (done.exit_code, done.outcome) == (0, f"{LEAF} went back to what it ran before run 1")
    assert statements(leaf.store.running) == statements(before)
    assert leaf.store.startup == leaf.store.running, "it is saved"
    assert survey(site.context, site.transport).as_planned & {*site.switches} == {"spine1"}
    assert plans(site, LEAF) == {""}, "no run had changed it before"
    with pytest.raises(RailbedError, match="run 1 changed nothing on any switch that is there"):
        back(site, 1)
    everything = held(site.context.state_dir) + repr((site.said, dry, done))
    assert not [one for one in (FOREIGN, HASH, *SECRETS.values()) if one in everything]


def test_where_it_runs_already_the_record_knows(site, plan):
    """A rollback was cut off once it had done that, or somebody was faster."""
    leaf = site.switches[LEAF]
    by_hand(site, "ntp server vrf MGMT 192.0.2.77")
    before = leaf.store.running
    assert site.apply().changed == (LEAF,)
    assert plans(site, LEAF) == {plan.digest}
    shows, leaf.shows = leaf.shows, dict
    refused = back(site, 1)
    assert refused.exit_code == 1
    assert f"{LEAF}: nothing changed: what works through it now is not known" in refused.outcome
    assert back(site, 1, accept_loss=True, dry_run=True).exit_code == 0
    leaf.shows = shows
    leaf.store.running = leaf.store.startup = before
    file = io.StringIO()
    told.rolled_text(back(site, 1, dry_run=True), Console(file=file))
    assert file.getvalue().startswith(f"{LEAF} runs that already\ndry run: 0 switches would")
    assert back(site, 1).exit_code == 0
    assert leaf.store.running == before
    assert plans(site, LEAF) == {""}
    with pytest.raises(RailbedError, match="run 1 changed nothing on any switch that is there"):
        back(site, 1)


def test_what_a_run_did_meanwhile_is_not_lost(site, plan):
    """It ended after these were chosen, and before they were locked."""
    spine, goals = "spine1", {LEAF: Goal(render(plan, LEAF), Secrets())}
    before = {name: one.store.running for name, one in site.switches.items()}
    with closing(Record(site.context.state_dir / "record.sqlite")) as record:
        first, other = (record.begin_run(plan.site, plan.digest) for _ in range(2))
        for run, name, wrong in (
            (first, LEAF, ""),
            (first, spine, f"changed what goes back behind run {first}"),
            (other, LEAF, f"changed since: {LEAF} by run {other}"),
        ):
            row = ChangeRow("w", name, "save", "", "runtime", "", "", "done: save")
            record.change(run, row)
            if wrong:
                with pytest.raises(RailbedError, match=wrong):
                    rollback(site.context, site.transport, record, Wish(first), goals)
    assert {name: one.store.running for name, one in site.switches.items()} == before


def test_a_system_that_had_its_trial_here_is_not_called_untried(site, plan, monkeypatch):
    folder, leaf, said = site.context.state_dir, plan.switch[LEAF], list[str]()
    asked: Any = SimpleNamespace(site=plan.site, state_dir=folder)
    for name, known in (("open_plan", plan), ("open_context", site.context), ("goals_of", {})):
        monkeypatch.setattr(module, name, lambda *_, known=known: known)
    monkeypatch.setattr(module, "require_up", lambda _: None)
    with closing(Record(folder / "record.sqlite")) as record:
        run = record.begin_run(plan.site, plan.digest)
        record.change(run, ChangeRow("w", LEAF, "save", "", "runtime", "", "", "done: save"))
    module.rollback_site(asked, Wish(run, dry_run=True), said.append)
    assert "never tried" in said.pop()
    write(folder, Trial(LEAF, leaf.dialect, leaf.release, "2026-03-11", True, (), ()))
    module.rollback_site(asked, Wish(run, dry_run=True), said.append)
    assert said == []


def test_a_switch_of_the_run_that_left_the_plan_is_named(site, plan, monkeypatch):
    folder, said, old = site.context.state_dir, list[str](), Rendered("old-leaf", "eos", ())
    asked: Any = SimpleNamespace(site=plan.site, state_dir=folder)
    for name, known in (("open_plan", plan), ("open_context", site.context), ("goals_of", {})):
        monkeypatch.setattr(module, name, lambda *_, known=known: known)
    monkeypatch.setattr(module, "require_up", lambda _: None)
    with closing(Record(folder / "record.sqlite")) as record:
        run = record.begin_run(plan.site, plan.digest)
        for name in (LEAF, "old-leaf", "a-server-that-left"):
            record.change(run, ChangeRow("w", name, "save", "", "runtime", "", "", "done: save"))
        record.change(run, ChangeRow("w", "went-back", "undo", "", "runtime", "", "", OLD_AGAIN))
    for one in (old, replace(old, device="went-back")):
        Backups(folder).keep(one.device, Whole(one, one), "", "", run)
    found = module.rollback_site(asked, Wish(run, dry_run=True), said.append)
    assert f"old-leaf: changed by run {run}, {GONE}" in said
    assert found.outcome.endswith("; not in the plan any more: old-leaf")
    assert [(one.device, one.message) for one in found.switches] == [("old-leaf", GONE)]
    named = module.rollback_site(asked, Wish(run, (LEAF,), dry_run=True), said.append)
    assert named.switches == ()


def test_what_loses_packets_is_said_to_be_undrained():
    found = [Back("leaf1", "link flap"), Back("leaf2", "runtime"), Back("leaf3", "none")]
    would = ended(None, "dry run", 0, found)
    assert would.undrained == ("leaf1",)
    text = io.StringIO()
    told.rolled_text(would, Console(file=text, width=200))
    assert "not drained: leaf1 would be changed under jobs" in text.getvalue()


def test_what_another_system_ran_is_not_pushed(site):
    other = Rendered(LEAF, "sonic", ())
    Backups(site.context.state_dir).keep(LEAF, Whole(other, other), "", "", 1)
    with pytest.raises(RailbedError, match=f"{LEAF} ran sonic before run 1, and its plan has eos"):
        goals_of(site.context, 1, (LEAF,))
