"""Which switches a wave of pushes says it changed."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from deploy.context import MOST_AT_ONCE
from deploy.errors import RailbedError
from deploy.rollout import switch_wave
from deploy.switches.push_result import PushResult, StepOutcome
from deploy.switches.push_session import unkept
from inventory import open_site

SPINE = "spine1"
STAGED = StepOutcome("candidate", "stage", "done")
APPLIED = StepOutcome("take it", "apply", "done")
FAILED = PushResult(SPINE, ok=False, changed=True, message="no answer", steps=(STAGED, APPLIED))


@pytest.mark.parametrize(
    ("result", "is_changed"),
    [
        (PushResult(SPINE, ok=True, changed=False, message="nothing to change"), False),
        (replace(FAILED, ok=True, confirmed=True), True),
        (replace(FAILED, confirmed=True), True),  # confirmed, and reads back otherwise
        (replace(FAILED, rolled_back=True), False),
        (FAILED, True),  # not seen to have gone back, or the second of two parts went back
        (replace(FAILED, steps=(STAGED,)), False),  # stopped before anything was applied
    ],
)
def test_a_switch_that_may_run_something_else_is_named(monkeypatch, tmp_path, result, is_changed):
    monkeypatch.setattr(switch_wave, "push", lambda *_, **__: result)
    context: Any = SimpleNamespace(
        plan=open_site("lab"), say=print, state_dir=tmp_path, at_once=MOST_AT_ONCE
    )
    works: Any = SimpleNamespace(missing=lambda *_: ())
    undrained: Any = SimpleNamespace(of=lambda _: None, alone=lambda _: [])
    changed: list[str] = []
    try:
        switch_wave.push_switches(context, [SPINE], lambda _: (), changed, works, undrained, unkept)
    except RailbedError:
        assert not result.ok
    assert changed == ([SPINE] if is_changed else [])
