"""Whole pushes to a model of EOS's command line over real SSH; no real switch has had one."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import paramiko
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from deploy.context import Context
from deploy.switches.login_run import Login
from deploy.switches.push_device import Drain
from deploy.switches.push_flow import Push
from deploy.switches.push_result import PushResult
from deploy.switches.push_secrets import Secrets
from deploy.switches.push_session import Pace
from deploy.switches.switch_push import connect
from inventory.plan import Plan
from switch_configs import cli, dialect, render
from switch_configs.intent import Rendered
from tests.deploy.fake_eos import FakeEos, Session
from tests.switch_configs.sites import small

pytestmark = pytest.mark.instances(keep=6, of="pushes to eos", but="secret|password|privilege")

EOS, CLI = dialect("eos"), cli("eos")
PLAN = small("eos")
NAME = "storage-leaf-b1-1"
MANAGEMENT = PLAN.switch[NAME].management
NEW = render(PLAN, NAME)
VALUES = {"tacacs_key": "Sw0rdfish", "snmp_auth": "Tr0ut-22", "snmp_priv": "P1ke-333"}
HASH = "$6$aB3dE5fG$Zx9cV8bN7mQ"
FACTORY = f"""\
hostname {NAME}
!
banner login
% Only for us
EOF
!
username admin privilege 15 role network-admin secret sha512 {HASH}
!
vrf instance MGMT
!
interface Management1
   vrf MGMT
   ip address {MANAGEMENT.address}
!
"""
FAST = Pace(window_s=10, verify_share=0.3, boot_s=5.0, poll_s=0.1)


def key() -> tuple[str, paramiko.Ed25519Key]:
    form = (Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())
    text = Ed25519PrivateKey.generate().private_bytes(*form).decode()
    return text, paramiko.Ed25519Key(file_obj=io.StringIO(text))


@dataclass
class Bench:
    folder: Path
    switch: FakeEos
    plan: Plan = PLAN
    pace: Pace = FAST
    login: Login = field(default_factory=Login)
    said: list[str] = field(default_factory=list)
    journal: list[tuple[str, ...]] = field(default_factory=list)
    at: tuple[str, str, Callable[[], None]] = ("", "", lambda: None)

    def write_down(self, device, phase, impact, before, after, detail) -> None:
        self.journal.append((device, phase, impact, before, after, detail))
        if phase == self.at[0] and detail.startswith(self.at[1]):
            self.at[2]()

    def push(
        self,
        new: Rendered | None = None,
        pace: Pace | None = None,
        *,
        dry_run: bool = False,
        drain: Drain | None = None,
    ) -> PushResult:
        plan = self.plan
        name = plan.switch[NAME].dialect
        system, spoken = dialect(name), cli(name)
        context = Context(
            plan=plan,
            site=plan.site,
            state_dir=self.folder,
            ssh_config=self.folder / "config",
            known_hosts=self.folder / "known_hosts",
            say=self.said.append,
            journal=self.write_down,
        )
        file = self.folder / "id"
        return Push(
            context=context,
            switch=NAME,
            dialect=system,
            new=new or render(plan, NAME),
            prove=lambda _: (),
            connect=lambda: connect(NAME, system.platform, context, file, spoken, self.login),
            dry_run=dry_run,
            pace=pace or self.pace,
            secrets=Secrets(VALUES),
            cli=spoken,
            drain=drain,
        ).run()

    @property
    def told(self) -> str:
        return repr((self.said, self.journal))

    @property
    def waits(self) -> list[str]:
        store = self.switch.store
        return [store.timed] * bool(store.timed) + [
            name for name, one in store.sessions.items() if one.state == "pending"
        ]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    (text, login), (_, host_key) = key(), key()
    (tmp_path / "id").write_text(text)
    with FakeEos(FACTORY, MANAGEMENT.mac or "", host_key, login.get_base64()) as switch:
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
    assert f"username admin privilege 15 role network-admin secret sha512 {HASH}" in store.running
    assert "banner login\n% Only for us\nEOF\n" in store.running
    assert not bench.waits
    assert store.flash == {"railbed-checkpoint": FACTORY}
    assert bench.switch.logins == 2
    again = bench.push()
    assert again.message == "nothing to change"
    told = bench.told + repr((result, again)) + "\n".join(bench.switch.commands)
    for value in (*VALUES.values(), HASH):
        assert value not in told


def test_a_dry_run_only_looks(bench):
    bench.switch.faults.echoes_twice = True
    result = bench.push(dry_run=True)
    assert result.ok
    assert result.changed
    assert not bench.switch.store.sessions
    assert all(one.startswith(("show ", "terminal ")) for one in bench.switch.commands)


def test_a_line_that_the_switch_refuses_stops_before_anything_is_applied(bench):
    """It is told with its place, and without its secret."""
    result = bench.push(changed("tacacs-server host", "tacacz-server host"))
    assert "stopped before anything was applied: load: " in result.message
    assert "% Invalid input" in result.message
    assert "> tacacz-server host" in result.message
    assert not any(value in repr(result) + bench.told for value in VALUES.values())
    assert bench.switch.store.running == FACTORY
    assert not bench.waits


@pytest.mark.full
def test_hardware_without_pfc_is_no_half_of_a_configuration(bench):
    bench.switch.faults.no_pfc = True
    result = bench.push()
    assert "does not support priority flow control" in result.message
    assert bench.switch.store.running == FACTORY


def test_a_full_flash_stops_before_anything_is_applied(bench):
    bench.switch.faults.flash_full = True
    result = bench.push()
    assert "stopped before anything was applied: checkpoint: " in result.message
    assert "No space left on device" in result.message
    assert not bench.waits


@pytest.mark.parametrize(
    "drop_on", ["copy terminal", pytest.param("copy running-config", marks=pytest.mark.full)]
)
def test_a_session_that_is_left_open_is_aborted_by_the_next_push(bench, drop_on):
    bench.switch.faults.drop_on = drop_on
    result = bench.push()
    assert "stopped before anything was applied" in result.message
    assert len(bench.waits) == 1
    bench.switch.faults.drop_on = ""
    assert bench.push().confirmed
    assert not bench.waits
    assert any("an unconfirmed push is on the device (railbed-" in one for one in bench.said)


def test_a_push_that_cuts_management_comes_back_when_the_timer_ends(bench):
    bench.switch.second_s = 0.05
    cut = changed(f"   ip address {MANAGEMENT.address}\n", "")
    result = bench.push(cut, replace(FAST, verify_share=0.05))
    assert result.rolled_back, result.message
    assert not result.confirmed
    assert bench.switch.store.running == bench.switch.store.startup == FACTORY


def test_an_answer_lost_with_the_connection_goes_back_at_once(bench):
    bench.switch.faults.drop_on = r"configure session \S+ commit timer"
    result = bench.push()
    assert result.rolled_back, result.message
    assert bench.switch.store.running == FACTORY
    assert not bench.waits


def test_a_restart_inside_the_window_loads_the_old_startup_file(bench):
    bench.switch.faults.restart_on = r"configure session \S+ commit timer"
    result = bench.push()
    assert result.rolled_back, result.message
    assert bench.switch.store.running == bench.switch.store.startup == FACTORY


def test_a_timer_that_ended_before_we_confirm_is_no_confirmation(bench):
    """Committing a session that nobody knows any more could succeed with what went back."""
    bench.at = ("verify", "done", bench.switch.go_back)
    result = bench.push()
    assert not result.confirmed
    assert result.rolled_back, result.message
    assert "write memory" not in bench.switch.commands


def test_a_confirmation_whose_answer_was_lost_is_saved_by_the_next_push(bench):
    """Else a restart would bring the old configuration back, a day later."""
    bench.switch.faults.drop_on = r"configure session \S+ commit$"
    result = bench.push()
    assert result.confirmed
    assert not result.ok
    assert "had confirmed the new configuration" in result.message
    assert bench.switch.store.startup == FACTORY
    again = bench.push()
    assert again.ok, again.message
    assert [one.name for one in again.steps] == ["save"]
    assert bench.switch.store.startup == bench.switch.store.running != FACTORY
    assert not bench.push(dry_run=True).changed


def test_a_text_that_lost_characters_on_its_way_is_not_confirmed(bench):
    bench.switch.faults.loses = "neighbor up bfd interval 300 min-rx 300 multiplier 3"
    result = bench.push()
    assert "what it runs now is not what was sent" in result.message
    assert result.rolled_back
    assert not bench.waits
    assert not [one for one in bench.switch.commands if one.endswith(" commit")]


def test_a_killed_run_s_timed_session_is_taken_back_by_the_next(bench):
    other = FACTORY.replace("% Only", "% Not")
    bench.switch.store.sessions["railbed-0a1b2c3d"] = Session("pending", other)
    assert bench.switch.commit("railbed-0a1b2c3d", 600) == ""
    bench.switch.store.sessions["work"] = Session("pending", FACTORY)
    result = bench.push()
    assert result.confirmed, result.message
    assert bench.waits == ["work"], "that of somebody else"
    assert "% Only for us" in bench.switch.store.running


def test_somebody_else_s_timed_change_is_left_alone(bench):
    bench.switch.store.sessions["cvp-1"] = Session("pending", FACTORY)
    assert bench.switch.commit("cvp-1", 600) == ""
    result = bench.push()
    assert "somebody else" in result.message
    assert "confirm or abort it" in result.hint
    assert bench.switch.store.timed == "cvp-1"


def test_a_switch_that_saves_every_commit_is_refused(bench):
    bench.switch.store.saves_on_commit = True
    result = bench.push()
    assert "a restart would not lead back" in result.message
    assert not bench.switch.store.sessions


def test_a_switch_without_a_user_of_its_own_would_lock_everybody_out(bench):
    bench.switch.store.running = re.sub(r"username admin.*\n", "", FACTORY)
    bench.switch.knows = lambda _: True
    result = bench.push()
    assert "lock everybody out" in result.message


def test_another_device_behind_the_address_is_not_touched(bench):
    bench.switch.mac = "001c.7300.0099"
    result = bench.push()
    assert "another device answers" in result.message
    assert "00:1c:73:00:00:99" in result.message
    assert not bench.switch.store.sessions


def test_a_password_and_an_enable_secret_by_reference_are_enough(bench, monkeypatch):
    bench.switch.login, bench.switch.password = "", "Pass-word"
    bench.switch.privilege, bench.switch.enable = 1, "En-able"
    bench.login = Login("Pass-word", "En-able")
    assert bench.push(dry_run=True).changed
    monkeypatch.setattr("deploy.switches.login_run._ENABLE_S", 0.4)
    bench.login = Login("Pass-word", "wrong")
    result = bench.push()
    assert "privilege" in result.message
    assert "switch_enable" in result.hint
    bench.login = Login("wrong", "")
    assert bench.push().message == "not reached: login refused"


def test_a_switch_that_stops_answering_is_left_within_the_step_s_time(bench, monkeypatch):
    monkeypatch.setattr("deploy.switches.push_session.LOOK_S", 0.3)
    bench.switch.faults.hang_on = "show running-config"
    result = bench.push()
    assert "no answer within" in result.message
