"""Pushes to a real switch that must come back by itself."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from deploy import lab
from deploy.switches.push_flow import Push
from deploy.switches.push_result import PushResult
from deploy.switches.push_session import Pace
from deploy.switches.switch_push import connect, push
from deploy.switches.syntax_run import check_syntax
from deploy.transport import credentials
from switch_configs import dialect, render
from switch_configs.intent import Rendered

from .hands import LAB, PLAN, answers_as, inside, open_hands, until

pytestmark = [
    pytest.mark.lab,
    pytest.mark.usefixtures("leased"),
    pytest.mark.instances(keep=1, files_of="what breaks a real switch goes back"),
]

NAME = "leaf-p2-r1"
MANAGEMENT = PLAN.switch[NAME].management
CUT = """
table inet cut {
	chain input {
		type filter hook input priority -10; policy drop;
	}
}
"""


@pytest.fixture
def planned():
    """The switch holds its plan; so it does afterwards."""
    until(lambda: answers_as(NAME, MANAGEMENT.port) == (NAME, MANAGEMENT.mac))
    first = push(open_hands(), NAME, dry_run=False, prove=check_syntax)
    assert first.ok, first.message
    yield
    last = push(open_hands(), NAME, dry_run=False, prove=check_syntax)
    assert last.ok, last.message
    assert not last.changed


def without_management() -> Rendered:
    """The plan's configuration, and a packet filter that lets nobody in; correct in grammar."""
    files = render(PLAN, NAME).files
    path = "/etc/nftables.conf"
    assert path in {one.path for one in files}
    cut = (replace(one, text=one.text + CUT) if one.path == path else one for one in files)
    return Rendered(NAME, "linux_frr", tuple(cut))


def push_cut(pace: Pace, journal: list[tuple[str, str]]) -> PushResult:
    def write_down(device, phase, impact, before, after, detail) -> None:
        journal.append((phase, detail.partition(":")[0]))

    context = open_hands(write_down)
    key = credentials.key_file(PLAN, context.state_dir)
    return Push(
        context=context,
        switch=NAME,
        dialect=dialect("linux_frr"),
        new=without_management(),
        prove=check_syntax,
        connect=lambda: connect(NAME, "linux", context, key),
        dry_run=False,
        pace=pace,
    ).run()


def holds_the_plan() -> bool:
    tongue = dialect("linux_frr")
    text = inside(NAME, tongue.fetch_command())[1]
    return tongue.running(NAME, text).files == render(PLAN, NAME).files


@pytest.mark.usefixtures("planned")
def test_a_push_that_cuts_management_comes_back_by_itself():
    """The syntax is right and the device unreachable: its own timer brings the old back."""
    journal: list[tuple[str, str]] = []
    result = push_cut(Pace(window_s=20), journal)
    assert not result.ok
    assert result.rolled_back, result.message
    assert not result.confirmed
    assert ("confirm", "begins") not in journal
    assert journal[-1] == ("undo", "done")
    assert holds_the_plan()
    assert "table inet cut" not in inside(NAME, "nft list ruleset")[1]


@pytest.mark.usefixtures("planned")
def test_so_it_does_when_the_switch_restarts_inside_the_window():
    """The window is far from over: the restart alone brings the old configuration back."""
    journal: list[tuple[str, str]] = []
    results: list[PushResult] = []
    pace = Pace(window_s=900, verify_share=0.9, boot_s=60.0)
    worker = threading.Thread(target=lambda: results.append(push_cut(pace, journal)))
    worker.start()
    until(lambda: ("verify", "begins") in journal or ("apply", "failed") in journal)
    assert "policy drop" in inside(NAME, "nft list table inet cut")[1]
    lab.restart(LAB, NAME)
    worker.join(timeout=300)
    assert not worker.is_alive()
    assert not results[0].confirmed
    assert results[0].rolled_back, results[0].message
    assert holds_the_plan()
    assert "table inet cut" not in inside(NAME, "nft list ruleset")[1]
    assert inside(NAME, "cat /var/lib/railbed/pending")[0] != 0


@pytest.mark.usefixtures("planned")
def test_a_configuration_that_the_switchs_own_programs_refuse_is_not_applied():
    """Past our offline proof, the device's own check says no, and nothing is armed."""
    files = tuple(
        replace(one, text=one.text + "no such word\n") if one.path == "/etc/frr/frr.conf" else one
        for one in render(PLAN, NAME).files
    )
    context = open_hands()
    key = credentials.key_file(PLAN, context.state_dir)
    result = Push(
        context=context,
        switch=NAME,
        dialect=dialect("linux_frr"),
        new=Rendered(NAME, "linux_frr", files),
        prove=lambda _: (),
        connect=lambda: connect(NAME, "linux", context, key),
        dry_run=False,
        pace=Pace(),
    ).run()
    assert not result.ok
    assert "stopped before anything was applied" in result.message
    assert "no such word" in result.message
    assert holds_the_plan()
