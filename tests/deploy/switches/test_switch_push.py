"""A push over real SSH on loopback: what goes well, and what goes wrong at every step."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import paramiko
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from deploy.context import Context
from deploy.switches.push_flow import Push
from deploy.switches.push_result import PushResult
from deploy.switches.push_secrets import Secrets
from deploy.switches.push_session import Pace
from deploy.switches.switch_push import connect
from inventory import open_site
from switch_configs.intent import Rendered
from tests.deploy.fake_switch import CUTS_MANAGEMENT, FakeSwitch
from tests.deploy.toy import PATH, Toy, rendered

pytestmark = pytest.mark.instances(keep=12, of="pushes over SSH", but="secret|host_key|jump")

NAME = "spine1"
PLAN = open_site("lab")
MAC = PLAN.management_mac[NAME] or ""
OLD, NEW = "old\n", "new\n"
FAST = Pace(window_s=2, verify_share=0.5, boot_s=5.0, poll_s=0.1)


def make_key() -> str:
    form = (Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())
    return Ed25519PrivateKey.generate().private_bytes(*form).decode()


def loaded(text: str) -> paramiko.Ed25519Key:
    return paramiko.Ed25519Key(file_obj=io.StringIO(text))


@dataclass
class Bench:
    """A fake switch, the files that reach it, and what was written down on the way."""

    folder: Path
    switch: FakeSwitch
    key: Path
    journal: list[tuple[str, str]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    prove: Callable[[Rendered], tuple[str, ...]] = lambda _: ()
    secrets: Secrets = field(default_factory=Secrets)

    def write_config(self, jump: str = "") -> None:
        lines = [f"Host {NAME}", "  HostName 127.0.0.1", f"  Port {self.switch.port}"]
        lines += ["  User root", *([f"  ProxyJump {jump}"] if jump else [])]
        (self.folder / "config").write_text("\n".join(lines) + "\n")

    def trust(self, key: paramiko.PKey) -> None:
        line = f"[127.0.0.1]:{self.switch.port} {key.get_name()} {key.get_base64()}\n"
        (self.folder / "known_hosts").write_text(line)

    def context(self) -> Context:
        return Context(
            plan=PLAN,
            site="lab",
            state_dir=self.folder,
            ssh_config=self.folder / "config",
            known_hosts=self.folder / "known_hosts",
            say=self.said.append,
            journal=self.write_down,
        )

    def write_down(self, device, phase, impact, before, after, detail) -> None:
        assert device == NAME
        self.journal.append((phase, detail.partition(":")[0]))

    def push(self, text: str = NEW, dry_run: bool = False, pace: Pace = FAST) -> PushResult:
        context = self.context()
        return Push(
            context=context,
            switch=NAME,
            dialect=Toy(),
            new=rendered(NAME, text),
            prove=self.prove,
            connect=lambda: connect(NAME, "linux", context, self.key),
            dry_run=dry_run,
            pace=pace,
            secrets=self.secrets,
        ).run()

    @property
    def holds(self) -> str:
        assert self.switch.store.running == self.switch.store.saved
        return self.switch.store.running[PATH]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    host_key, login = loaded(make_key()), make_key()
    key = tmp_path / "id_ed25519"
    key.write_text(login)
    with FakeSwitch(NAME, MAC, host_key, loaded(login).get_base64()) as switch:
        switch.store.running = {PATH: OLD}
        switch.store.saved = {PATH: OLD}
        bench = Bench(tmp_path, switch, key)
        bench.write_config()
        bench.trust(host_key)
        yield bench


def outcomes(result: PushResult) -> list[tuple[str, str]]:
    return [(one.name, one.outcome) for one in result.steps]


# -- what goes well --------------------------------------------------------------------------


def test_a_push_confirms_over_a_second_login_and_writes_every_phase_down(bench):
    result = bench.push()
    assert result.ok
    assert result.changed
    assert result.confirmed
    assert not result.rolled_back
    assert result.message == "confirmed and read back"
    assert result.impact == "runtime"
    assert [one.path for one in result.diffs] == [PATH]
    assert "\n-other: * #" in result.diffs[0].text
    assert "+new" in result.diffs[0].text
    assert bench.holds == NEW
    assert bench.switch.logins == 2
    names = ["send", "check", "arm", "apply", "confirm", "save"]
    assert outcomes(result) == [(name, "done") for name in names]
    assert bench.journal[0][0] == "diff"
    phases = ["stage", "check", "arm", "apply", "verify", "confirm", "save"]
    assert bench.journal[1:] == [(one, word) for one in phases for word in ("begins", "done")]


def test_the_impact_is_shown_before_anything_is_sent(bench):
    bench.push(dry_run=True)
    assert bench.said == [f"{NAME}: {PATH} +1 -1 (impact: runtime)"]


def test_nothing_to_change_sends_nothing_and_writes_nothing_down(bench):
    result = bench.push(OLD)
    assert result.ok
    assert not result.changed
    assert result.message == "nothing to change"
    assert bench.journal == []
    assert bench.switch.files == {}
    assert bench.switch.store.candidate == {}
    assert all(one.startswith(("cat ", "toy pending", "toy show")) for one in bench.switch.commands)


def test_a_dry_run_tells_the_difference_and_touches_nothing(bench):
    result = bench.push(dry_run=True)
    assert result.ok
    assert result.changed
    assert result.diffs
    assert not result.steps
    assert bench.journal == []
    assert bench.holds == OLD
    assert not [one for one in bench.switch.commands if one.startswith(("toy arm", "mkdir"))]


def test_the_jump_is_the_config_files_and_carries_the_session(bench, monkeypatch):
    """`ssh -F CONFIG -W [HOST]:PORT JUMP` forwards its standard streams (ssh(1), -W)."""
    stand_in(bench, monkeypatch, RELAY)
    bench.write_config(jump="oob1")
    assert bench.push().confirmed
    asked = (bench.folder / "asked").read_text().split()
    assert asked[:3] == ["-F", str(bench.folder / "config"), "-W"]
    assert asked[3:] == [f"[127.0.0.1]:{bench.switch.port}", "oob1"]


RELAY = """#!{python}
import os, pathlib, select, socket, sys
pathlib.Path("{folder}/asked").write_text(" ".join(sys.argv[1:]))
host, _, port = sys.argv[4].rpartition(":")
link = socket.create_connection((host.strip("[]"), int(port)))
while True:
    for one in select.select([0, link], [], [])[0]:
        data = os.read(0, 65536) if one == 0 else link.recv(65536)
        if not data:
            sys.exit(0)
        link.sendall(data) if one == 0 else os.write(1, data)
"""


def stand_in(bench: Bench, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Put another `ssh` before the real one."""
    tool = bench.folder / "bin" / "ssh"
    tool.parent.mkdir()
    tool.write_text(script.format(python=sys.executable, folder=bench.folder))
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")


# -- secrets -----------------------------------------------------------------------------------

WORDED = "tacacs key <<secret:tacacs>>\nnew\n"


def test_a_secret_is_on_the_switch_and_nowhere_else(bench):
    """Sent in a file of 0600, read back as planned, and a second push has nothing to do."""
    bench.secrets = Secrets({"tacacs": "Sw0rdfish"})
    result = bench.push(WORDED)
    assert result.message == "confirmed and read back"
    assert bench.holds == WORDED.replace("<<secret:tacacs>>", "Sw0rdfish")
    assert set(bench.switch.modes.values()) == {0o600}
    again = bench.push(WORDED)
    assert not again.changed
    told = repr((result, again, bench.said, bench.journal, bench.switch.commands, bench.secrets))
    assert "Sw0rdfish" not in told


def test_a_secret_that_was_changed_is_sent_again(bench):
    bench.secrets = Secrets({"tacacs": "Sw0rdfish"})
    bench.push(WORDED)
    bench.secrets = Secrets({"tacacs": "Tr0ut-2"})
    result = bench.push(WORDED)
    assert result.changed
    assert result.confirmed
    assert "Tr0ut-2" in bench.holds
    assert not {"Sw0rdfish", "Tr0ut-2"} & set(re.findall(r"[\w-]+", repr((result, bench.said))))


def test_a_switch_that_repeats_a_secret_is_quoted_without_it(bench):
    bench.secrets = Secrets({"tacacs": "Sw0rdfish"})
    result = bench.push("bogus <<secret:tacacs>>\n")
    assert "Unknown command: bogus" in result.message
    assert "Sw0rdfish" not in repr((result, bench.said, bench.journal))


def test_a_word_whose_secret_nobody_read_is_never_sent(bench):
    with pytest.raises(KeyError, match="tacacs"):
        bench.push(WORDED)
    assert bench.holds == OLD
    assert "arm" not in " ".join(bench.switch.commands)


# -- nobody there, or somebody else ----------------------------------------------------------


def test_a_jump_host_that_refuses_is_quoted(bench, monkeypatch):
    stand_in(bench, monkeypatch, "#!/bin/sh\necho ssh: no route to oob1 >&2\nexit 255\n")
    bench.write_config(jump="oob1")
    result = bench.push()
    assert not result.ok
    assert not result.changed
    assert "not reached" in result.message
    assert "ssh: no route to oob1" in result.message


def test_a_refused_login_says_so(bench):
    bench.switch.faults.refuse_login = True
    result = bench.push()
    assert not result.ok
    assert result.message == "not reached: login refused"
    assert "ssh_key" in result.hint


def test_another_host_key_is_never_talked_to(bench):
    bench.trust(loaded(make_key()))
    result = bench.push()
    assert result.message == "not reached: its host key is not the one in known_hosts"
    assert bench.switch.logins == 0


def test_an_unknown_host_key_is_never_talked_to(bench):
    (bench.folder / "known_hosts").write_text("")
    result = bench.push()
    assert result.message == "not reached: its host key is unknown"
    assert bench.switch.logins == 0


def test_a_closed_port_is_not_reached(bench):
    bench.switch.store.running = {PATH: CUTS_MANAGEMENT}
    result = bench.push()
    assert not result.ok
    assert result.message.startswith("not reached: ")


@pytest.mark.parametrize(
    ("hostname", "mac"), [("spine2", MAC), (NAME, "02:00:00:00:00:09")], ids=["name", "mac"]
)
def test_another_device_behind_the_address_is_not_touched(bench, hostname, mac):
    bench.switch.hostname, bench.switch.mac = hostname, mac
    result = bench.push()
    assert not result.ok
    assert "another device answers" in result.message
    assert hostname in result.message
    assert mac in result.message
    assert bench.holds == OLD
    assert bench.switch.store.candidate == {}


# -- no before anything was applied ----------------------------------------------------------


def test_the_offline_proof_refuses_before_anything_is_sent(bench):
    bench.prove = lambda _: ("/etc/toy.conf:1: no such word",)
    result = bench.push()
    assert not result.ok
    assert "no such word" in result.message
    assert bench.switch.store.candidate == {}
    assert bench.journal == []


def test_the_devices_own_check_refuses_and_the_candidate_is_taken_away(bench):
    result = bench.push("bogus\n")
    assert not result.ok
    assert not result.confirmed
    assert result.message == (
        "stopped before anything was applied: "
        "check: exit status 2: line 1: % Unknown command: bogus"
    )
    assert outcomes(result) == [("send", "done"), ("check", "failed"), ("send", "undone")]
    assert bench.holds == OLD
    assert bench.switch.store.candidate == {}
    assert "toy arm 2" not in bench.switch.commands
    assert bench.journal[-1] == ("check", "failed")


def test_a_failed_arm_leaves_nothing_armed(bench):
    bench.switch.faults.fail_on = "toy arm"
    result = bench.push()
    assert not result.ok
    assert bench.holds == OLD
    assert result.rolled_back
    assert bench.switch.store.pending == ""


# -- no after apply: the device goes back ----------------------------------------------------


def test_a_failed_apply_goes_back_at_once(bench):
    bench.switch.faults.fail_on = "toy apply"
    result = bench.push()
    assert not result.ok
    assert result.rolled_back
    assert not result.confirmed
    assert "the device has its old configuration again" in result.message
    assert bench.holds == OLD
    assert bench.switch.store.pending == ""
    assert bench.journal[-1] == ("undo", "done")


def test_a_session_cut_by_apply_is_no_success_though_the_device_answers_again(bench):
    """What apply said is not known, so it is taken back."""
    bench.switch.faults.drop_on = "toy apply"
    result = bench.push()
    assert not result.ok
    assert result.rolled_back
    assert bench.holds == OLD


def test_management_that_is_cut_comes_back_by_the_devices_own_timer(bench):
    result = bench.push(f"{CUTS_MANAGEMENT}\n")
    assert not result.ok
    assert result.rolled_back
    assert not result.confirmed
    assert bench.holds == OLD
    assert "toy undo" not in bench.switch.commands


def test_a_restart_inside_the_window_brings_the_old_configuration(bench):
    """The window is far longer than the test: it is not the timer that brings it back."""
    bench.switch.faults.restart_on = "toy apply"
    result = bench.push(pace=Pace(window_s=600, verify_share=0.5, boot_s=5.0, poll_s=0.1))
    assert not result.ok
    assert result.rolled_back
    assert bench.holds == OLD
    assert "toy undo" not in bench.switch.commands


def test_a_device_that_never_comes_back_is_not_called_rolled_back(bench):
    bench.switch.store.go_back = lambda: None
    pace = Pace(window_s=1, verify_share=0.5, boot_s=0.5, poll_s=0.1)
    result = bench.push(f"{CUTS_MANAGEMENT}\n", pace=pace)
    assert not result.ok
    assert not result.rolled_back
    assert not result.confirmed
    assert "not seen to go back" in result.message
    assert "console" in result.hint
    assert bench.journal[-1] == ("undo", "failed")


def test_a_lost_answer_to_confirm_is_found_out_by_looking(bench):
    bench.switch.faults.drop_on = "toy confirm"
    result = bench.push()
    assert not result.ok
    assert result.confirmed
    assert not result.rolled_back
    assert "the device had confirmed the new configuration" in result.message
    assert bench.holds == NEW


def test_a_failed_save_after_confirm_is_told_apart_from_going_back(bench):
    bench.switch.faults.fail_on = "toy save"
    result = bench.push()
    assert not result.ok
    assert result.confirmed
    assert not result.rolled_back
    assert "save: exit status 1" in result.message
    assert bench.holds == NEW


def test_a_confirm_after_the_timer_is_no_success(bench):
    """The device went back just before `confirm`; it says so, and so do we."""
    answer = bench.switch.answer

    def too_late(command: str):
        if command == "toy confirm":
            bench.switch.store.go_back()
        return answer(command)

    bench.switch.answer = too_late
    result = bench.push()
    assert not result.ok
    assert result.rolled_back
    assert "too late" in result.message
    assert bench.holds == OLD


def test_another_device_after_apply_is_not_confirmed(bench):
    """The cable leads elsewhere after the change: the new connection shows it."""
    answer = bench.switch.answer

    def renamed(command: str):
        reply = answer(command)
        if command == "toy apply":
            bench.switch.hostname = "spine2"
        if command == "toy undo" or not bench.switch.store.pending:
            bench.switch.hostname = NAME
        return reply

    bench.switch.answer = renamed
    result = bench.push()
    assert not result.ok
    assert "another device answers" in result.message
    assert "toy confirm" not in bench.switch.commands
    assert result.rolled_back
    assert bench.holds == OLD


# -- a push that was cut off -----------------------------------------------------------------


def leave_unconfirmed(bench: Bench, text: str = "half\n") -> None:
    """What a killed push leaves: applied, armed, not confirmed."""
    bench.switch.store.candidate = {PATH: text}
    bench.switch.answer("toy arm 60")
    bench.switch.answer("toy apply")


def test_an_unconfirmed_push_is_taken_back_before_a_new_one(bench):
    leave_unconfirmed(bench)
    result = bench.push()
    assert result.ok
    assert result.confirmed
    assert bench.holds == NEW
    assert "\n-other: * #" in result.diffs[0].text
    assert bench.journal[:2] == [("undo", "begins"), ("undo", "done")]
    assert any("unconfirmed push" in one for one in bench.said)


def test_an_unconfirmed_push_of_the_same_configuration_is_taken_back_too(bench):
    leave_unconfirmed(bench, NEW)
    assert bench.push().confirmed
    assert bench.holds == NEW


def test_going_back_may_cut_the_session_that_asked_for_it(bench):
    """The old configuration may bring the management port down and up."""
    leave_unconfirmed(bench)
    bench.switch.faults.drop_on = "toy undo"
    assert bench.push().confirmed
    assert bench.holds == NEW


def test_a_dry_run_only_tells_of_an_unconfirmed_push(bench):
    leave_unconfirmed(bench)
    result = bench.push(dry_run=True)
    assert result.ok
    assert "unconfirmed push" in result.message
    assert bench.switch.store.pending
    assert "toy undo" not in bench.switch.commands
    assert bench.journal == []


def test_an_unconfirmed_push_that_cannot_be_taken_back_stops_the_new_one(bench):
    leave_unconfirmed(bench)
    go_back, bench.switch.store.go_back = bench.switch.store.go_back, lambda: None
    result = bench.push(pace=Pace(window_s=1, verify_share=0.5, boot_s=0.1, poll_s=0.1))
    assert not result.ok
    assert "does not go back" in result.message
    bench.switch.store.go_back = go_back


# -- too slow --------------------------------------------------------------------------------


def test_a_step_that_hangs_is_given_up(bench):
    bench.switch.faults.hang_on = "toy check"
    result = bench.push()
    assert not result.ok
    assert "no answer within 1 s" in result.message
    assert bench.holds == OLD
