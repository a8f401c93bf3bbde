"""Whole pushes to a model of NX-OS's command line over real SSH; no real switch has had one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from deploy.switches.push_session import Pace
from inventory.plan import Plan
from switch_configs import cli, dialect, render
from switch_configs.intent import Rendered
from tests.deploy.fake_nxos import FakeNxos
from tests.deploy.switches.test_eos_push import Bench as EosBench
from tests.deploy.switches.test_eos_push import key
from tests.switch_configs.sites import small

pytestmark = pytest.mark.instances(keep=6, of="pushes to nxos", but="secret|password|privilege")

NXOS, CLI = dialect("nxos"), cli("nxos")
PLAN = small("nxos")
NAME = "storage-leaf-b1-1"
MANAGEMENT = PLAN.switch[NAME].management
NEW = render(PLAN, NAME)
VALUES = {"tacacs_key": "Sw0rdfish", "snmp_auth": "Tr0ut-22", "snmp_priv": "P1ke-333"}
HASH = "$5$aB3dE5fG$Zx9cV8bN7mQ"
TWIN = "snmp-server user admin network-admin auth md5 0x77aa priv aes-128 0x88bb localizedV2key"
OWN = f"""\
feature scp-server
username admin password 5 {HASH}  role network-admin
username admin sshkey ssh-ed25519 AAAAC3Nz
{TWIN}
line console
  exec-timeout 0
banner motd #
hostname: none of yours
% Only for us
#
"""
FACTORY = f"""\
version 10.5(3) Bios:version 01.08
hostname {NAME}
{OWN}interface mgmt0
  vrf member management
  ip address {MANAGEMENT.address}
interface Ethernet1/1
"""
CANDIDATE = "bootflash:/railbed-candidate.cfg"
FAST = Pace(window_s=30, verify_share=0.1, boot_s=5.0, poll_s=0.1)


@dataclass
class Bench(EosBench):
    switch: FakeNxos  # type: ignore[assignment]
    plan: Plan = PLAN
    pace: Pace = FAST

    @property
    def is_clean(self) -> bool:
        store = self.switch.store
        return not (store.checkpoints or store.flash or store.is_timed)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    (text, login), (_, host_key) = key(), key()
    (tmp_path / "id").write_text(text)
    with FakeNxos(FACTORY, "5254.00aa.bb01", host_key, login.get_base64()) as switch:
        switch.mac = ".".join(re.findall("....", (MANAGEMENT.mac or "").replace(":", "")))
        where = f"Host {NAME}\n  HostName 127.0.0.1\n  Port {switch.port}\n  User admin\n"
        (tmp_path / "config").write_text(where)
        known = f"[127.0.0.1]:{switch.port} {host_key.get_name()} {host_key.get_base64()}\n"
        (tmp_path / "known_hosts").write_text(known)
        yield Bench(tmp_path, switch)


def changed(old: str, new: str) -> Rendered:
    (file,) = NEW.files
    assert old in file.text
    return replace(NEW, files=(replace(file, text=file.text.replace(old, new, 1)),))


def test_a_new_switch_is_brought_to_its_plan_and_a_second_push_does_nothing(bench):
    result = bench.push()
    assert result.message == "confirmed and read back"
    assert result.confirmed
    assert [one.outcome for one in result.steps] == ["done"] * 8
    store = bench.switch.store
    assert store.startup == store.running
    for line in OWN.splitlines():
        assert f"{line}\n" in store.running
    assert bench.is_clean, "the candidate holds secrets"
    again = bench.push()
    assert again.message == "nothing to change"
    told = bench.told + repr((result, again)) + "\n".join(bench.switch.commands)
    for value in (*VALUES.values(), HASH, "0x77aa"):
        assert value not in told


def test_a_dry_run_only_looks(bench):
    result = bench.push(dry_run=True)
    assert result.ok
    assert result.changed
    looks = ("show ", "terminal ", "echo ", "dir ")
    assert all(one.startswith(looks) for one in bench.switch.commands)
    assert bench.switch.store.running == FACTORY


def test_a_line_that_the_switch_leaves_out_is_not_confirmed(bench):
    """A check of the patch takes lines that it calls wrong, so what runs is read back."""
    bench.switch.faults.takes_no = "pause pfc-cos"
    result = bench.push()
    assert "what it runs now is not what was sent" in result.message
    assert result.rolled_back
    assert bench.switch.store.running == FACTORY
    typed = [
        one for one in bench.switch.commands if one.startswith(("rollback ", "configure replace c"))
    ]
    assert typed[0].startswith("rollback "), "what is not right is not confirmed"
    assert not bench.switch.store.flash


@pytest.mark.parametrize("fault", ["cut", "full", "lost", "not served"])
def test_a_file_that_does_not_come_whole_stops_before_anything_is_applied(bench, fault):
    faults = bench.switch.faults
    if fault == "cut":
        faults.cuts = 900
    elif fault == "full":
        faults.flash_full = True
    elif fault == "lost":
        faults.loses = "multiplier"
    else:
        bench.switch.store.running = FACTORY.replace("feature scp-server\n", "")
    result = bench.push()
    assert "stopped before anything was applied: " in result.message
    wanted = {"full": "No space left on device", "lost": "the file is not whole there"}
    assert wanted.get(fault, "was not sent by SCP") in result.message
    assert bench.is_clean
    if fault != "lost":
        assert "SCP served" in result.hint


@pytest.mark.parametrize("drop_on", ["show file", "checkpoint"])
def test_what_a_cut_leaves_is_taken_back_by_the_next_push(bench, drop_on):
    bench.switch.faults.drop_on = drop_on
    result = bench.push()
    assert "stopped before anything was applied" in result.message
    assert not bench.is_clean
    bench.switch.faults.drop_on = ""
    assert bench.push().confirmed
    assert bench.is_clean
    assert any("an unconfirmed push is on the device (railbed-" in one for one in bench.said)


def test_a_push_that_cuts_management_comes_back_when_the_timer_ends(bench):
    bench.switch.second_s = 0.02
    cut = changed(f"  ip address {MANAGEMENT.address}\n", "")
    result = bench.push(cut, replace(FAST, verify_share=0.02))
    assert result.rolled_back, result.message
    assert not result.confirmed
    assert bench.switch.store.running == bench.switch.store.startup == FACTORY
    assert bench.is_clean


@pytest.mark.parametrize("waits_for_timer", [False, True])
def test_an_answer_lost_with_the_connection_goes_back(bench, waits_for_timer):
    """At once, or with its timer where the switch takes no rollback while that runs."""
    bench.switch.second_s = 0.05
    bench.switch.faults.waits_for_timer = waits_for_timer
    bench.switch.faults.drop_on = r"configure replace \S+ best-effort"
    result = bench.push()
    assert result.rolled_back, result.message
    assert bench.switch.store.running == FACTORY
    assert not bench.switch.store.checkpoints
    assert not bench.switch.store.flash


@pytest.mark.parametrize("forgets", [False, True])
def test_a_restart_inside_the_window_loads_the_old_startup_file(bench, forgets):
    bench.switch.faults.forgets = forgets
    bench.switch.faults.restart_on = r"configure replace \S+ best-effort"
    result = bench.push()
    assert result.rolled_back, result.message
    assert bench.switch.store.running == bench.switch.store.startup == FACTORY
    assert bench.is_clean


def test_a_timer_that_ended_before_we_confirm_is_no_confirmation(bench):
    bench.at = ("verify", "done", bench.switch.go_back)
    result = bench.push()
    assert not result.confirmed
    assert result.rolled_back, result.message
    assert bench.is_clean


def test_a_timer_that_ends_as_we_confirm_saves_nothing(bench):
    """Nobody knows what the switch then says, so it is read again before it is saved."""
    bench.switch.commit_replace = lambda: ""
    bench.at = ("confirm", "done", bench.switch.go_back)
    result = bench.push()
    assert not result.confirmed
    assert result.rolled_back, result.message
    assert "copy running-config startup-config" not in bench.switch.commands


def test_a_confirmation_whose_answer_was_lost_goes_back(bench):
    bench.switch.faults.drop_on = "configure replace commit"
    result = bench.push()
    assert not result.confirmed
    assert result.rolled_back, result.message
    assert bench.switch.store.running == bench.switch.store.startup == FACTORY
    assert bench.is_clean


def test_what_was_confirmed_and_not_saved_is_saved_by_the_next_push(bench):
    bench.at = ("save", "begins", bench.switch.drop)
    result = bench.push()
    assert result.confirmed
    assert not result.ok
    assert bench.switch.store.startup == FACTORY
    bench.at = ("", "", bench.switch.drop)
    again = bench.push()
    assert again.ok, again.message
    assert [one.name for one in again.steps] == ["save"]
    assert bench.switch.store.startup == bench.switch.store.running != FACTORY


def test_a_killed_run_s_change_is_taken_back_by_the_next(bench):
    store = bench.switch.store
    assert bench.switch.checkpoint("railbed-0a1b2c3d") == "..Done"
    assert bench.switch.checkpoint("before-lunch") == "..Done"
    store.running = FACTORY.replace("% Only", "% Not")
    store.flash[CANDIDATE] = b"secrets"
    result = bench.push()
    assert result.confirmed, result.message
    assert list(store.checkpoints) == ["before-lunch"], "that of somebody else"
    assert "% Only for us" in store.running
    assert not store.flash


def test_somebody_else_s_timer_is_left_alone(bench):
    bench.switch.store.is_timed, bench.switch.store.before = True, FACTORY
    result = bench.push()
    assert not result.confirmed
    assert bench.switch.store.is_timed
    assert bench.switch.store.running == FACTORY


def test_somebody_else_s_change_in_the_window_is_not_confirmed(bench):
    def meddle() -> None:
        store = bench.switch.store
        store.running = store.running.replace("lldp timer 5", "lldp timer 30")

    bench.at = ("verify", "done", meddle)
    result = bench.push()
    assert "what it runs now is not what was sent" in result.message
    assert result.rolled_back


def test_a_switch_without_a_user_of_its_own_would_lock_everybody_out(bench):
    bench.switch.store.running = re.sub(r"username admin.*\n", "", FACTORY)
    bench.switch.knows = lambda _: True
    assert "lock everybody out" in bench.push().message


def test_another_device_behind_the_address_is_not_touched(bench):
    bench.switch.mac = "001c.7300.0099"
    result = bench.push()
    assert "another device answers" in result.message
    assert bench.is_clean


def test_a_login_without_privilege_changes_nothing(bench, monkeypatch):
    monkeypatch.setattr("deploy.switches.login_run._ENABLE_S", 0.4)
    bench.switch.privilege = 1
    assert "privilege" in bench.push().message
    ours = bench.folder / "config"
    ours.write_text(ours.read_text().replace("User admin", "User nobody"))
    assert bench.push().message == "not reached: login refused"


def test_a_switch_that_stops_answering_is_left_within_the_step_s_time(bench, monkeypatch):
    monkeypatch.setattr("deploy.switches.push_session.LOOK_S", 0.3)
    bench.switch.faults.hang_on = "show running-config"
    assert "no answer within" in bench.push().message
