"""A push whose drain is refused, or does not end: told in words, and nothing drained is saved."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from deploy.record.rows import ChangeRow
from deploy.rollout.reached import holds_the_push
from deploy.switches import push_flow
from deploy.switches.push_device import Drain, Draining
from deploy.switches.push_session import Pace, PushStopped, StepRefused
from switch_configs import dialect, intent
from tests.deploy import fake_eos
from tests.deploy.switches import test_eos_push
from tests.deploy.switches.test_eos_push import FAST, NAME, NEW, PLAN, Bench

pytestmark = pytest.mark.instances(keep=4, of="pushes with a drain")

bench = test_eos_push.bench
MARK = "set community GSHUT additive"
DRAIN = Drain(
    "none", "another can take it", dialect("eos").render(intent(PLAN, NAME, drained=True)),
    lambda: "idle",
)  # fmt: skip
SLOW = replace(FAST, boot_s=0.0, poll_s=5.0)


@pytest.fixture
def changed(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A switch that is as planned but for a description, and a flow whose waits take no time."""
    assert bench.push().ok
    store = bench.switch.store
    store.running = store.startup = re.sub(r"\n +description .*", "", store.running, count=1)
    bench.journal.clear()
    ahead = [0.0]

    def sleep(seconds: float) -> None:
        ahead[0] += seconds

    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + ahead[0], sleep=sleep)
    monkeypatch.setattr(push_flow, "time", clock)
    return bench


def refusing(line: str) -> Callable[[fake_eos.Terminal, str], str]:
    """A terminal that takes every line but this one."""
    does = fake_eos.Terminal._do
    return lambda self, one: "% Invalid input" if one == line else does(self, one)


def last(bench: Bench) -> ChangeRow:
    device, phase, _, before, after, detail = bench.journal[-1]
    return ChangeRow("", device, phase, "", "none", before, after, detail)


def test_a_drain_that_is_refused_leaves_the_switch_as_it_was(changed, monkeypatch):
    before = changed.switch.store.running
    monkeypatch.setattr(fake_eos.Terminal, "_do", refusing(MARK))
    result = changed.push(pace=SLOW, drain=DRAIN)
    assert not result.ok
    assert "stopped before anything was applied: it refused to start its drain" in result.message
    assert changed.switch.store.running == before
    assert holds_the_push(last(changed)) is False


def test_what_is_not_idle_is_changed_where_a_person_accepts_that(changed):
    def busy() -> str:
        raise PushStopped("it still hears 5 B/s")

    stopped = changed.push(pace=SLOW, drain=replace(DRAIN, idle=busy))
    assert (stopped.ok, stopped.confirmed) == (False, False)
    assert "--accept-loss" in stopped.hint
    assert MARK not in changed.switch.store.running
    result = changed.push(pace=SLOW, drain=replace(DRAIN, idle=busy, anyway=True))
    assert result.ok, result.message
    assert "drained: not idle, and changed anyway: it still hears 5 B/s" in changed.told
    assert MARK not in changed.switch.store.running
    assert changed.switch.store.startup == changed.switch.store.running


def test_a_drain_that_does_not_end_is_a_failed_push_and_the_next_ends_it(changed, monkeypatch):
    store = changed.switch.store
    saved = store.startup
    with monkeypatch.context() as patch:
        patch.setattr(fake_eos.Terminal, "_do", refusing(f"no {MARK}"))
        result = changed.push(pace=SLOW, drain=DRAIN)
    assert not result.ok
    assert "its drain did not end: it refused to end its drain: " in result.message
    assert MARK in store.running
    assert store.startup == saved, "a restart would end it"
    assert holds_the_push(last(changed)) is None, "an undo that nobody saw end"
    again = changed.push()
    assert again.ok, again.message
    assert MARK not in store.running
    assert store.startup == store.running
    assert changed.push().message == "nothing to change"
    assert NEW.files[0].text.count("description") == store.running.count("description")


def test_what_a_cut_left_drained_is_found_though_nothing_else_differs(changed):
    store = changed.switch.store
    assert changed.push().ok
    planned = store.running
    typed = re.compile(r"(?m)^route-map \S*-out\S* permit \d+\n")
    store.running = typed.sub(rf"\g<0>   {MARK}\n", store.running)
    assert store.running != planned
    assert changed.push(dry_run=True).changed
    assert MARK in store.running, "a dry run changes nothing"
    result = changed.push()
    assert (result.ok, result.message) == (True, "a drain that nobody had ended was on the device")
    assert store.running == store.startup == planned
    assert [row[1:2] + row[5:] for row in changed.journal[-2:]] == [
        ("drain", "begins: it is drained, and nobody has ended that"),
        ("drain", "done: it is not drained any more"),
    ]


def others(store: Any, mark: str) -> str:
    """A switch that works by policies of other names, each of which says this too."""
    named = re.sub(r"\b(\S*up)-out\b", r"\1-old", store.running)
    store.running = re.sub(r"(?m)^route-map \S+-old permit \d+\n", rf"\g<0>{mark}", named)
    store.startup = store.running
    return str(store.running)


def test_a_drain_that_no_line_of_ours_ends_goes_with_the_change_or_stays(changed, monkeypatch):
    store = changed.switch.store
    held = others(store, f"   {MARK}\n")

    def lost(*_: object) -> None:
        raise PushStopped("a session is gone")

    with monkeypatch.context() as patch:
        patch.setattr(push_flow.Push, "_verify", lost)
        back = changed.push()
    assert back.rolled_back, back.message
    assert store.running == held, "it has what it had"
    result = changed.push()
    assert (result.ok, result.message) == (True, "confirmed and read back")
    assert MARK not in store.running
    assert store.startup == store.running


def test_what_works_by_other_policies_than_the_plans_is_changed_undrained(changed):
    store = changed.switch.store
    others(store, "")
    result = changed.push(drain=DRAIN)
    assert (result.ok, result.message) == (True, "confirmed and read back")
    assert "not drained: its policies are not the plan's" in repr(changed.said)
    assert MARK not in repr(changed.switch.commands)


def test_routing_that_begins_anew_may_not_know_drains_yet():
    """vtysh, vtysh.c: `bgpd is not running` while zebra answers, with an exit status of its own."""
    left = ["bgpd is not running"]

    def drain(_: object, *, drained: bool) -> None:
        assert drained
        if left:
            raise StepRefused(left.pop())

    device: Any = SimpleNamespace(cli=None, drain=drain, open=lambda: SimpleNamespace(close=int))
    push: Any = SimpleNamespace(_device=device, pace=Pace(poll_s=0.0), _note=lambda *_: None)
    push.switch, push._over = NAME, partial(push_flow.Push._over, push)
    draining = Draining(device, None, push._note, print, is_on=True)
    push_flow.Push._until(push, time.monotonic() + 60, lambda: push._over(draining.again))
    assert not left
