"""An act is done once and told, whatever becomes of the traffic, and each look reaches devices."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from deploy import lab
from deploy.errors import RailbedError
from deploy.lab.machines import machine
from deploy.rehearsal import acts, course, flapped, traffic_run
from deploy.rehearsal import rehearse as rehearsal
from deploy.rehearsal.acts import Act
from deploy.rehearsal.flows import flows
from deploy.rehearsal.rehearse import Asked
from deploy.session import Selection
from inventory import open_site
from inventory.plan import Plan
from validation.evidence.store import EvidenceStore

from .stock import of, site

LAB, HERE = open_site("lab"), Selection("lab", "none")
FLOWS = flows(LAB)[:6]
TOKEN = "0123456789abcdef"
Inside = list[tuple[str, list[str]]]


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Rollouts, by title; what looks and flows do is each test's own."""
    titles = list[str]()

    def applied(_: Selection, title: str, __: object) -> Act:
        titles.append(title)
        return Act(title, True, "done", 1.0)

    monkeypatch.setattr(acts, "applied", applied)
    monkeypatch.setattr(acts, "look", lambda *_: None)
    monkeypatch.setattr(acts, "flows", lambda _: FLOWS)
    monkeypatch.setattr(acts, "flapped", lambda *_: ())
    return titles


@pytest.fixture
def inside(monkeypatch: pytest.MonkeyPatch) -> Inside:
    """What is run in machines; each answers with the number of a process."""
    ran: Inside = []

    def fake(_: str, name: str, argv: list[str], *__: object) -> subprocess.CompletedProcess[bytes]:
        ran.append((name, argv))
        return subprocess.CompletedProcess(argv, 0, b"42\n", b"")

    def sender(*_: object) -> subprocess.Popen[str]:
        return subprocess.Popen(
            ["false"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    monkeypatch.setattr(machine, "inside", fake)
    monkeypatch.setattr(traffic_run, "_sender", sender)
    return ran


def fails(monkeypatch: pytest.MonkeyPatch, word: str, name: str, error: Exception) -> None:
    """What has this word fails in this machine."""
    usual = machine.inside

    def fake(of: str, at: str, argv: list[str], *more: Any) -> subprocess.CompletedProcess[bytes]:
        done = usual(of, at, argv, *more)
        if at == name and word in " ".join(argv):
            raise error
        return done

    monkeypatch.setattr(machine, "inside", fake)


ERRORS = [RailbedError("it is off"), subprocess.TimeoutExpired("sh", 30)]


@pytest.mark.parametrize("error", ERRORS)
def test_an_echo_that_does_not_start_ends_those_that_did(done, inside, monkeypatch, error):
    last = max(one.receiver for one in FLOWS)
    fails(monkeypatch, "serve", last, error)
    found = acts.under_traffic(HERE, LAB, "the change", print)
    assert done == ["the change"]
    assert found.traffic is not None
    assert found.traffic.none
    ended = {name for name, argv in inside if traffic_run._KILL in argv}
    assert ended == {one.receiver for one in FLOWS} - {last} != set()


@pytest.mark.parametrize("error", ERRORS)
def test_an_echo_that_does_not_end_discards_no_act(done, inside, monkeypatch, error):
    for one in FLOWS:
        fails(monkeypatch, traffic_run._KILL, one.receiver, error)
    found = acts.under_traffic(HERE, LAB, "the change", print)
    assert done == ["the change"]
    assert len([name for name, argv in inside if traffic_run._KILL in argv]) == len(
        {one.receiver for one in FLOWS}
    )
    assert found.traffic is not None
    assert [one.flow for one in found.traffic.flows] == list(FLOWS)
    assert not found.traffic.none


@pytest.mark.usefixtures("inside")
def test_a_second_look_that_fails_is_told_and_discards_no_act(done, monkeypatch):
    def look(_: object, __: object, when: str, *___: object) -> None:
        if when == "after":
            raise RailbedError("no way to the jump host")

    monkeypatch.setattr(acts, "look", look)
    found = acts.under_traffic(HERE, LAB, "the change", print)
    assert done == ["the change"]
    assert found.passed
    assert found.traffic is not None
    assert found.traffic.flapped == ("not known: no way to the jump host",)


def test_only_the_echo_itself_is_ended():
    """Not what got its number when its node was booted anew."""
    argv = [sys.executable, str(traffic_run._SCRIPT), "serve", TOKEN, "30", "0", "127.0.0.1"]
    pid = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip()
    for token, left in (("fedcba9876543210", True), (TOKEN, False)):
        subprocess.run(["sh", "-c", traffic_run._KILL, "sh", pid, token], check=False)
        give_up = time.monotonic() + (0.2 if left else 60)
        while alive(pid) and time.monotonic() < give_up:
            time.sleep(0.01)
        assert alive(pid) == left


def alive(pid: str) -> bool:
    """One that has ended has no command line, whoever has not waited for it yet."""
    try:
        return TOKEN.encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.fixture
def moved(tmp_path: Path) -> tuple[Path, Plan]:
    """A site, and the plan of the same with a node more."""
    folder, later = site(tmp_path / "site", of(growth=2.0)), tmp_path / "later"
    shutil.copytree(folder, later)
    text = (folder / "fabric.yml").read_text()
    (later / "fabric.yml").write_text(text.replace("nodes_per_pod: 2\n", "nodes_per_pod: 3\n", 1))
    return folder, open_site(later)


def test_the_second_look_finds_devices_where_the_act_has_left_them(moved, monkeypatch):
    """What is asked is what was there at first; the SSH files are those of the plan in force."""
    folder, before = moved
    asked, store = list[tuple[Plan, Plan]](), EvidenceStore()
    monkeypatch.setattr(flapped, "way", lambda context: context.plan)
    monkeypatch.setattr(flapped, "run", lambda plan, _, way, __: asked.append((plan, way)))
    selection = Selection(str(folder), "none")
    config = selection.state_dir / "ssh/config"
    config.parent.mkdir(parents=True)
    (selection.state_dir / "id_ed25519").touch(0o600)
    (selection.state_dir / "hostkeys.json").write_text("{}")
    flapped.look(selection, before, "before", store)
    assert "node-p1-3" in config.read_text()
    flapped.look(selection, before, "after", store)
    assert "node-p1-3" not in config.read_text()
    assert [plan.digest for plan, _ in asked] == [before.digest] * 2
    assert [way.digest for _, way in asked] == [before.digest, open_site(folder).digest]


def test_the_way_back_has_the_traffic_of_the_plan_that_it_leaves(moved, monkeypatch, tmp_path):
    """But for new nodes, which lose their way into the fabric as planned."""
    folder, _ = moved
    asked = Asked(str(folder), change=str(tmp_path / "later"))
    twin, later = rehearsal.prepared(asked, tmp_path / "twin")
    assert later is not None
    given = dict[str, Plan]()

    @contextmanager
    def fitted(*_: object) -> Iterator[None]:
        yield

    def under_traffic(_: object, plan: Plan, title: str, __: object) -> Act:
        given[title] = plan
        return Act(title, True, "done", 1.0, ("leaf-p1-r0",))

    monkeypatch.setattr(course, "_booted", lambda *_: Act("boots", True, "", 1.0))
    monkeypatch.setattr(course, "applied", lambda _, title, __: Act(title, True, "", 1.0))
    monkeypatch.setattr(course, "fitted_with", fitted)
    monkeypatch.setattr(course, "waits", lambda *_: "")
    monkeypatch.setattr(course, "_put", lambda *_: None)
    monkeypatch.setattr(lab, "restart", lambda *_: None)
    monkeypatch.setattr(course, "under_traffic", under_traffic)
    told = tuple(course.acts(Selection(str(folder), "none"), twin, print, later))
    assert [one.passed for one in told] == [True] * 6
    assert given["the change"] == twin.plan
    back = given["the way back"]
    assert back.digest == later.plan.digest != twin.plan.digest
    assert {*back.node} == {*twin.plan.node}
    assert {"node-p1-3"} == {*later.plan.node} - {*back.node}
    ends = {name for one in flows(back) for name in (one.sender, one.receiver)}
    assert ends <= {*twin.plan.node}
