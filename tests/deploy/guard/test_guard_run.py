"""Whatever cuts guarded work off, none of its processes and labs stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from deploy.guard.test_run import SIDE_BY_SIDE, only_chooses, pytest_command, split_changed
from deploy.lab.kept import leftovers, owners
from deploy.lab.machines.image import ensure_images
from deploy.lab.paths import NETNS, RUNTIME, LabPaths
from tests.deploy.guarded import ROOT, Guarded, marked, start, until
from tests.deploy.lab.traces import SITE, forget, traces
from tests.labs import lab_name

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="guards are Linux's"),
    pytest.mark.instances(keep=9, of="guarded work that is cut off", but="kill_9"),
]
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
KILLED = [
    ("caller",), ("guard",), ("heir",),
    ("caller", "guard"), ("caller", "heir"), ("guard", "heir"),
]  # fmt: skip
OURS, THEIRS, REAL = lab_name("gours"), lab_name("gelse"), lab_name("greal")
# A lab as far as its leftovers go: a control group with a process, a namespace, its folder.
FAKE_LAB = f"""
from deploy.lab.machines import cgroups; from deploy.lab.kept import owners
from deploy.lab.paths import LabPaths
owners.take_lab(LabPaths("{OURS}"))
LabPaths("{OURS}").runtime.mkdir(parents=True)
subprocess.Popen([*cgroups.join_command("{OURS}", "one"), "setsid", "--fork", "sleep", "1000"])
subprocess.run(["ip", "netns", "add", LabPaths("{OURS}").netns("one")], check=True)
"""


@pytest.fixture(autouse=True)
def ended(tmp_path) -> Iterator[None]:
    """Nothing of a toy outlives its test, whatever the test found."""
    yield
    for pid in marked(f"RAILBED_TOY={tmp_path}"):
        os.kill(pid, signal.SIGKILL)


@pytest.fixture
def beside() -> Iterator[None]:
    """A lab of somebody else, and none of ours."""
    leftovers.remove(OURS)
    LabPaths(THEIRS).runtime.mkdir(parents=True, exist_ok=True)
    LabPaths(THEIRS).owner.unlink(missing_ok=True)
    yield
    assert LabPaths(THEIRS).runtime.is_dir()
    leftovers.remove(OURS)
    leftovers.remove(THEIRS)


def is_gone(name: str) -> bool:
    places = (LabPaths(name).runtime, LabPaths(name).owner)
    return not any(one.exists() for one in places) and not list(NETNS.glob(f"rb-{name}-*"))


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_leaves_no_process_and_says_what_was_done(tmp_path, number):
    toy = start(tmp_path)
    toy.send(number, "caller")
    status, said = toy.end()
    assert status == 128 + number
    why = "interrupted" if number == signal.SIGINT else number.name
    assert f"railbed: {why}: 3 of 7 were done; labs removed: none" in said


def test_under_nohup_a_hangup_ends_nothing(tmp_path):
    """As nohup(1) starts a program: SIGHUP ignored. Another signal still ends it."""
    toy = start(tmp_path, hang_up="SIG_IGN")
    toy.send(signal.SIGHUP, "caller")
    toy.send(signal.SIGTERM, "caller")
    status, said = toy.end()
    assert status == 128 + signal.SIGTERM
    assert "railbed: SIGTERM: 3 of 7 were done" in said


@pytest.mark.parametrize("who", KILLED)
def test_kill_9_of_whom_it_may_be_leaves_no_process(tmp_path, who):
    toy = start(tmp_path)
    toy.send(signal.SIGKILL, *who)
    status, said = toy.end()
    assert status == (-signal.SIGKILL if "caller" in who else 137)
    assert "3 of 7 were done" in said


@pytest.mark.lab
@pytest.mark.parametrize("who", [("caller",), ("guard",), ("caller", "guard"), None])
def test_kill_9_leaves_no_lab_and_another_run_s_lab_alone(tmp_path, beside, who):
    """Whoever of caller, guard and heir is killed, the run's labs are removed and no others."""
    toy = start(tmp_path, FAKE_LAB)
    assert not is_gone(OURS)
    toy.send(*((signal.SIGKILL, *who) if who else (signal.SIGTERM, "caller")))
    assert f"labs removed: {OURS}" in toy.end()[1]
    assert is_gone(OURS)


@pytest.mark.lab
def test_labs_of_a_run_that_lost_all_its_guards_are_removed_by_the_next(tmp_path, beside):
    """All three killed at once: the work dies with them, and the next run removes the lab."""
    toy = start(tmp_path, FAKE_LAB)
    toy.send(signal.SIGKILL, "caller", "guard", "heir")
    toy.caller.wait(60)
    assert not is_gone(OURS)
    assert OURS in owners.remove_orphans()
    assert is_gone(OURS)
    toy.close()


@pytest.mark.lab
def test_a_lab_that_is_to_stay_stays_though_its_run_ended(tmp_path, beside):
    """`demo --keep`: nobody owns the lab afterwards, and nobody removes it."""
    toy = start(tmp_path, FAKE_LAB, then="", keep=True)
    assert toy.caller.wait(60) == 0
    assert OURS not in owners.remove_orphans()
    assert not is_gone(OURS)
    toy.close()


@pytest.mark.lab
def test_a_run_inside_a_run_loses_its_labs_with_the_outer(beside, monkeypatch):
    """A demo that a test runs is killed with the tests: its labs are known to both."""
    monkeypatch.setenv(owners.VARIABLE, "")  # As it was, afterwards: labs of other tests read it.
    for token in ("outer", "inner"):
        owners.take(token)
    owners.take_lab(LabPaths(OURS))
    LabPaths(OURS).runtime.mkdir(parents=True)
    owners.release("inner")
    assert owners.remove("inner") == ()
    assert owners.remove("outer") == (OURS,)
    assert is_gone(OURS)


@pytest.mark.lab
def test_a_lab_of_a_killed_run_that_somebody_uses_is_theirs(beside, monkeypatch):
    """`lab up` found it standing: the next run of tests does not take it away."""
    LabPaths(OURS).owner.write_text("999999999.1.no-such-boot.a")
    monkeypatch.delenv(owners.VARIABLE, raising=False)
    owners.take_over(LabPaths(OURS))
    assert not LabPaths(OURS).owner.exists()
    token = owners.new_token()
    LabPaths(OURS).owner.write_text(token)
    owners.take_over(LabPaths(OURS))
    assert LabPaths(OURS).owner.read_text() == token
    assert OURS not in owners.remove_orphans()


@pytest.mark.lab
@pytest.mark.parametrize("who", [("caller",), ("caller", "guard")])
def test_a_real_lab_is_removed_while_it_is_built(tmp_path, who):
    """Killed while machines boot, a run leaves no trace of them."""
    forget(REAL)
    ensure_images(print)
    up = f"""
import threading
from deploy import lab
threading.Thread(target=lambda: lab.up({str(SITE)!r}, "{REAL}", "netns"), daemon=True).start()
"""
    toy = start(tmp_path, up)
    until((RUNTIME / REAL / "lab.json").exists)
    toy.send(signal.SIGKILL, *who)
    said = toy.end()[1]
    # The build that sees one of its commands killed, before it is itself, removes the lab.
    assert f"labs removed: {REAL}" in said or "Exception in thread" in said
    until(lambda: not traces(REAL))


def test_a_second_ctrl_c_hurries_and_breaks_nothing(tmp_path):
    deaf = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"
    toy = start(tmp_path, deaf, patience_s=1000)
    toy.send(signal.SIGINT, "caller")
    toy.send(signal.SIGINT, "caller")
    until(lambda: _interrupt_until_it_ends(toy))
    status, said = toy.end()
    assert status == 130
    assert said.count("3 of 7 were done") == 1


def _interrupt_until_it_ends(toy: Guarded) -> bool:
    toy.caller.send_signal(signal.SIGINT)
    return toy.caller.poll() is not None


def test_work_that_does_not_listen_is_ended(tmp_path):
    deaf = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"
    toy = start(tmp_path, deaf, patience_s=0.1)
    toy.send(signal.SIGTERM, "caller")
    assert toy.end()[0] == 143


@pytest.mark.parametrize(("then", "status"), [("", 0), ("sys.exit(5)", 5), ("os.abort()", 134)])
def test_the_status_is_the_work_s_and_what_it_left_running_ends(tmp_path, then, status):
    assert start(tmp_path, then=then).end()[0] == status


def test_work_that_ends_before_its_guard_listens_is_seen_to_end(tmp_path):
    """No SIGCHLD comes of it any more: a guard that only waited for one would wait for ever."""
    late = (
        "real = guard_run._Guard._listen\n"
        "guard_run._Guard._listen = lambda one: (time.sleep(1.5), real(one))[1]"
    )
    assert start(tmp_path, before=late, then="os.abort()").end()[0] == 134


def test_tests_that_are_interrupted_are_counted(tmp_path):
    toy = tmp_path / "test_toy.py"
    toy.write_text(
        "import time, pytest\n@pytest.mark.parametrize('n', range(9))\n"
        f"def test_one(n):\n    open({str(tmp_path)!r} + f'/ran-{{n}}', 'w').close()\n"
        "    assert n != 1\n    time.sleep(1000 * (n > 2))\n"
    )
    argv = [str(ROOT / "railbed"), "test", str(toy), "-n", "1"]
    env = {**os.environ, "RAILBED_TOY": str(tmp_path)}
    caller = subprocess.Popen(
        argv, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    until((tmp_path / "ran-3").exists)
    caller.send_signal(signal.SIGINT)
    _, said = caller.communicate(timeout=60)
    until(lambda: not marked(f"RAILBED_TOY={tmp_path}"))
    assert caller.returncode == 130, said
    assert "interrupted: 3 of 9 tests were done, 1 failed; labs removed: none" in said


def test_options_that_only_choose_leave_the_tests_side_by_side():
    for extra in ([], ["--seed", "5"], ["--seed=5"], ["--keep-seconds"]):
        assert only_chooses(extra)
        assert pytest_command(True, extra)[-len(extra) - len(SIDE_BY_SIDE) :] == [
            *SIDE_BY_SIDE,
            *extra,
        ]
    assert not only_chooses(["--seed", "5", "-k", "lint"])
    assert pytest_command(False, ["tests/test_lint.py"])[-1] == "tests/test_lint.py"
    assert "-n" not in pytest_command(False, ["tests/test_lint.py"])


def test_what_a_change_can_touch_is_chosen_before_pytest_runs():
    assert split_changed(["--seed", "5", "--changed"]) == ("", ["--seed", "5"])
    assert split_changed(["--changed", "HEAD~3", "--seed", "5"]) == ("HEAD~3", ["--seed", "5"])
    assert split_changed(["--changed=HEAD", "-x"]) == ("HEAD", ["-x"])
    command = pytest_command(False, ["--changed", "HEAD~3"])
    assert command[3:8] == ["tests.impact", "--base", "HEAD~3", "--run", sys.executable]
    assert command[-len(SIDE_BY_SIDE) :] == list(SIDE_BY_SIDE)
