"""Labs that are cut off, side by side, or mis-cabled; and that none leaves a trace."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deploy import lab
from deploy.lab import supervisor
from deploy.lab.command import run_jailed
from deploy.lab.machines import cgroups, machine
from deploy.lab.paths import NETNS, RUNTIME
from deploy.lab.spec import LabSpec
from tests.labs import lab_name

from .traces import ROOT, SITE, forget, traces

pytestmark = pytest.mark.lab
NAME = lab_name("ttwo")
UP = f"from deploy import lab; lab.up({str(SITE)!r}, {NAME!r})"


@pytest.fixture(autouse=True)
def clean() -> Iterator[None]:
    forget(NAME)
    yield
    forget(NAME)


def quiet_up(kind: str = "nspawn", wiring: Path | None = None) -> LabSpec:
    return lab.up(SITE, NAME, kind, wiring, lambda _: None)


def cut_off(program: str, when: Callable[[], bool], how: signal.Signals) -> int:
    """Start a python program, and send it a signal once something is true of it.

    On a machine that halts this process for a second the program may be done before: then that
    moment was missed, the lab is taken down, and the same is tried again.
    """
    for _ in range(5):
        status = _cut_off(program, when, how)
        if status is not None:
            return status
        lab.down(NAME)
    raise AssertionError("the program was done before its signal, five times")


def _cut_off(program: str, when: Callable[[], bool], how: signal.Signals) -> int | None:
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    give_up = time.monotonic() + 60
    while not when():
        assert process.poll() is None
        assert time.monotonic() < give_up
        time.sleep(0.002)
    if process.poll() is not None:
        return None
    process.send_signal(how)
    return process.wait(60)


def has_slot() -> bool:
    return (RUNTIME / NAME / "lab.json").exists()


def has_cables() -> bool:
    return (NETNS / f"rb-{NAME}-spine2").exists()


def has_machines() -> bool:
    return machine.leader(NAME, "node-p1-1") is not None


def test_down_leaves_nothing_behind() -> None:
    assert traces(NAME) == []
    quiet_up()
    assert len(traces(NAME)) > 50
    lab.down(NAME)
    assert traces(NAME) == []
    assert lab.status(NAME).state == "down"


@pytest.mark.instances(keep=1, of="a lab whose making is cut off")
@pytest.mark.parametrize("moment", [has_slot, has_cables, has_machines])
def test_a_killed_up_is_made_good_by_the_next(moment: Callable[[], bool]) -> None:
    assert cut_off(UP, moment, signal.SIGKILL) == -signal.SIGKILL
    assert lab.status(NAME).state == "broken"
    quiet_up("netns")
    assert lab.status(NAME).state == "up"
    assert machine.booted(machine.leader(NAME, "spine2"))


@pytest.mark.instances(keep=1, of="a lab whose making is cut off")
def test_a_killed_up_is_swept_and_other_labs_are_left_alone(standing: LabSpec) -> None:
    cut_off(UP, has_machines, signal.SIGKILL)
    assert traces(NAME)
    assert lab.sweep(NAME) == (NAME,)
    assert traces(NAME) == []
    assert lab.sweep(standing.name) == ()
    assert lab.status(standing.name).state == "up"


@pytest.mark.instances(keep=1, of="a lab whose making is cut off")
def test_ctrl_c_leaves_nothing_behind() -> None:
    assert cut_off(UP, has_machines, signal.SIGINT) != 0
    assert traces(NAME) == []


@pytest.mark.instances(keep=1, of="a lab whose making is cut off")
def test_a_lab_without_its_supervisor_is_broken_and_is_built_anew() -> None:
    quiet_up("netns")
    (pid,) = cgroups.members(NAME, supervisor.GROUP)
    os.kill(pid, signal.SIGKILL)
    while cgroups.members(NAME, supervisor.GROUP):
        time.sleep(0.01)
    assert lab.status(NAME).state == "broken"
    quiet_up("netns")
    assert lab.status(NAME).state == "up"


def test_what_runs_in_a_jail_dies_with_its_parent(tmp_path: Path) -> None:
    mark = tmp_path / "runs"
    command = ["/bin/sh", "-c", f"echo $$ > {mark}; mount -t tmpfs x {tmp_path}; sleep 997"]
    program = f"from deploy.lab.command import run_jailed; run_jailed([{command!r}], 60)"

    def sleepers() -> list[str]:
        found = []
        for line in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                found += [line.read_text()] * (line.read_bytes() == b"sleep\x00997\x00")
            except (FileNotFoundError, ProcessLookupError):
                continue
        return found

    cut_off(program, lambda: bool(sleepers()), signal.SIGKILL)
    give_up = time.monotonic() + 10
    while sleepers() and time.monotonic() < give_up:
        time.sleep(0.02)
    assert sleepers() == []
    assert str(tmp_path) not in Path("/proc/self/mounts").read_text()


def test_a_jailed_failure_is_told_with_its_last_words() -> None:
    with pytest.raises(Exception, match="no such thing"):
        run_jailed([["/bin/sh", "-c", "echo no such thing; exit 3"], ["true"]], 20)


def reaches(name: str, a: str, port_a: str, b: str, port_b: str) -> bool:
    """Whether a frame passes between two ports, tried with addresses of its own."""
    for device, port, end in ((a, port_a, 0), (b, port_b, 1)):
        script = f"ip address replace 192.0.2.{end}/31 dev {port}; ip link set {port} up"
        assert machine.inside(name, device, ["/bin/sh", "-euc", script]).returncode == 0
    done = machine.inside(name, a, ["ping", "-c1", "-W1", "-I", port_a, "192.0.2.1"])
    for device, port in ((a, port_a), (b, port_b)):
        machine.inside(name, device, ["ip", "address", "flush", "dev", port])
        machine.inside(name, device, ["ip", "link", "set", port, "down"])
    return done.returncode == 0


def test_two_labs_stand_side_by_side_and_cables_go_where_the_wiring_says(
    standing: LabSpec, tmp_path: Path
) -> None:
    swapped = tmp_path / "wiring.csv"
    swapped.write_text(
        (SITE / "wiring.csv")
        .read_text()
        .replace("leaf-p1-r0,swp5,spine1,swp1", "leaf-p1-r0,swp5,spine2,swp1")
        .replace("leaf-p1-r0,swp6,spine2,swp1", "leaf-p1-r0,swp6,spine1,swp1")
    )
    other = quiet_up("netns", swapped)
    assert other.slot != standing.slot
    assert reaches(NAME, "leaf-p1-r0", "swp5", "spine2", "swp1")
    assert not reaches(NAME, "leaf-p1-r0", "swp5", "spine1", "swp1")
    assert reaches(standing.name, "leaf-p1-r0", "swp5", "spine1", "swp1")
    assert not reaches(standing.name, "leaf-p1-r0", "swp5", "spine2", "swp1")
    assert quiet_up("netns", swapped) == other
    assert quiet_up("netns").wiring == standing.wiring
    lab.down(NAME)
    assert lab.status(standing.name).state == "up"
    assert {one.state for one in lab.status(standing.name).machines} == {"running"}
