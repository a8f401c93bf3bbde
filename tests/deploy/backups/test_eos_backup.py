"""Backups of EOS over real SSH: its models hold secrets, and no file of ours may."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from deploy.backups import taken
from deploy.backups.changed import changed
from deploy.backups.safe import KEY
from deploy.backups.store import Backups
from deploy.backups.taken import switches_of, take
from deploy.errors import RailbedError
from deploy.record.site_key import showing
from tests.deploy.fake_eos import FakeEos
from tests.deploy.rollout.models import (
    LEAF,
    SECRETS,
    Site,
    held,
)
from tests.deploy.rollout.test_eos_rollout import HASH

pytestmark = pytest.mark.instances(keep=5, of="backups of EOS", but="secret|key|login")

FOREIGN = "Her1ng-44"


def by_hand(site: Site[FakeEos], line: str, device: str = LEAF) -> None:
    """Somebody types a line that nobody planned, and saves it."""
    store = site.switches[device].store
    store.running = store.startup = f"{store.running}{line}\n"


def backed_up(site: Site[FakeEos], keep: int = 90) -> list[str]:
    """The switches of which a backup was written."""
    names = switches_of(site.context.plan, ())
    return [one.device for one in take(site.context, names, keep) if one.made]


def test_what_runs_is_kept_once_and_no_secret_of_it_in_clear(site):
    assert backed_up(site) == sorted(site.switches)
    before = sorted(site.context.state_dir.rglob("*"))
    assert backed_up(site) == [], "what is as the last backup is not written again"
    assert sorted(site.context.state_dir.rglob("*")) == before
    by_hand(site, f"tacacs-server host 192.0.2.9 key 0 {FOREIGN}")
    by_hand(site, "ip name-server vrf MGMT 192.0.2.53")
    assert backed_up(site) == [LEAF]
    for switch in site.switches.values():
        assert all(one.startswith(("show ", "terminal ", "enable")) for one in switch.commands)
    state = site.context.state_dir
    files = [*(state / "backups").rglob("*")]
    assert {oct(one.stat().st_mode & 0o777) for one in files if one.is_file()} == {"0o600"}
    assert {oct(one.stat().st_mode & 0o777) for one in files if one.is_dir()} == {"0o700"}
    everything = held(state) + repr(site.said)
    assert not [one for one in (FOREIGN, HASH, *SECRETS.values()) if one in everything]
    store = Backups(state)
    old, new = (store.opened(one) for one in store.of(LEAF))
    assert FOREIGN in new.held.files[0].text, "the whole is there, for whoever has the key"
    assert FOREIGN not in repr(new)
    told = changed(old, new, site.context.render(LEAF), showing(state))
    lines = [re.sub(" #[0-9a-f]{8}$", "", line) for one in told for line in one.lines]
    assert lines == ["+ tacacs-server host 192.0.2.9 *", "+ ip *"]


def test_a_new_login_is_told_and_only_how_many(site):
    backed_up(site)
    by_hand(site, "username eve privilege 15 role network-admin secret sha512 $6$evesalt$Xyz")
    assert backed_up(site) == [LEAF]
    store = Backups(site.context.state_dir)
    old, new = (store.opened(one) for one in store.of(LEAF))
    (one,) = changed(old, new, site.context.render(LEAF), showing(site.context.state_dir))
    assert (one.section, one.lines[0][:12]) == ("users", "+ 1 of users")
    assert "eve" not in held(site.context.state_dir)


def test_as_many_stay_as_are_asked_for(site):
    for number in range(4):
        by_hand(site, f"ip host never{number} 192.0.2.{number}")
        backed_up(site, keep=2)
    store = Backups(site.context.state_dir)
    kept = store.of(LEAF)
    assert len(kept) == 2
    assert "never3" in store.opened(kept[-1]).held.files[0].text
    assert len([*(site.context.state_dir / "backups" / LEAF).iterdir()]) == 4


def test_a_run_keeps_what_it_found_before_it_changes_a_switch(site, plan):
    before = {name: one.store.running for name, one in site.switches.items()}
    site.applies()
    store = Backups(site.context.state_dir)
    for name, text in before.items():
        (one,) = store.of(name)
        assert (one.run, one) == (1, store.before(1, name))
        lines = [line for line in text.splitlines() if line.strip() and line[0] != "!"]
        found = store.opened(one).held.files[0].text.splitlines()
        assert set(lines) <= set(found)


def test_without_the_key_nothing_is_written_and_nothing_is_changed(site):
    backed_up(site)
    key = site.context.state_dir / KEY
    assert oct(key.stat().st_mode & 0o777) == "0o600"
    text = key.read_text()
    key.unlink()
    by_hand(site, "ip host never 192.0.2.1")
    with pytest.raises(RailbedError, match="the key of the backups, is gone"):
        backed_up(site)
    before = site.switches["spine1"].store.running
    result = site.apply()
    assert result.exit_code == 1
    assert "nothing changed: what it runs could not be kept" in result.outcome
    assert site.switches["spine1"].store.running == before
    store = Backups(site.context.state_dir)
    key.write_text("0" * 64 + "\n")
    with pytest.raises(RailbedError, match="is not the key it was closed with"):
        store.opened(store.of(LEAF)[0])
    key.write_text("damaged\n")
    with pytest.raises(RailbedError, match="is damaged"):
        store.opened(store.of(LEAF)[0])
    key.write_text(text)
    assert store.opened(store.of(LEAF)[0]).running.device == LEAF


def test_a_disk_error_of_one_switch_hides_no_other(site):
    folder = site.context.state_dir / "backups" / LEAF
    folder.parent.mkdir()
    folder.write_text("no folder")
    names = switches_of(site.context.plan, ())
    found = {one.device: one for one in take(site.context, names, 90)}
    assert f"{folder} cannot be written" in found[LEAF].silent
    assert [name for name, one in found.items() if one.made] == [n for n in names if n != LEAF]


def test_who_does_not_answer_is_named(site):
    site.switches[LEAF].faults.refuse_login = True
    found = {one.device: one for one in take(site.context, switches_of(site.context.plan, ()), 9)}
    assert "login refused" in found[LEAF].silent
    assert found["spine1"].made


def test_what_another_device_says_is_nobodys_backup(site):
    site.switches[LEAF].mac = "02:00:00:00:00:99"
    (one,) = take(site.context, (LEAF,), 9)
    assert "another device answers" in one.silent
    assert Backups(site.context.state_dir).of(LEAF) == ()


def test_a_name_that_is_no_switch_is_refused(plan):
    with pytest.raises(RailbedError, match="--device node-p1-1"):
        taken.switches_of(plan, ["node-p1-1"])


def test_of_many_in_one_second_the_last_is_the_last(site, monkeypatch):
    """Names that were freed come not again: a backup would stand before those that it follows."""
    now = datetime(2026, 3, 1, tzinfo=UTC)
    monkeypatch.setattr(taken, "Backups", lambda state: Backups(state, lambda: now))
    for number in range(4):
        by_hand(site, f"ip host never{number} 192.0.2.{number}")
        backed_up(site, keep=2)
    store = Backups(site.context.state_dir)
    assert "never3" in store.opened(store.of(LEAF)[-1]).held.files[0].text
