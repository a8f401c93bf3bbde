"""Pushes to models with one fault at one step, by the seed; `tests.bench.push_faults` has all."""

from __future__ import annotations

import pytest

from deploy.switches.push_device import PushDevice
from deploy.switches.push_flow import Push
from tests.bench import push_faults
from tests.bench.push_devices import DEVICES
from tests.bench.push_faults import ONCE, cells, tried, well

CELLS = 2


@pytest.mark.instances(keep=len(DEVICES))
@pytest.mark.parametrize("system", DEVICES)
def test_whatever_fails_the_switch_is_old_or_new_and_a_second_push_ends_well(system, rng, is_full):
    known = well(system)
    every = cells(system, known)
    assert len(every) == len(known.steps) * len(push_faults.FAULTS) + len(ONCE)
    some = every if is_full else rng.sample(every, CELLS - system.endswith("-rows"))
    assert [one for one in (tried(cell, known) for cell in some) if one.wrong] == []


@pytest.mark.parametrize(
    "system",
    ["eos", pytest.param("nxos", marks=pytest.mark.full),
     pytest.param("sonic", marks=pytest.mark.full)],
)  # fmt: skip
def test_whatever_fails_a_drained_switch_ends_undrained(system, rng):
    known = well(system, drained=True)
    some = rng.sample(cells(system, known, drained=True), 1 if system == "eos" else CELLS)
    assert [one for one in (tried(cell, known) for cell in some) if one.wrong] == []


def test_who_is_silent_while_its_timer_is_set_ends_undrained():
    """Nothing ends a drain but who began it: its last look is for a switch that answers again."""
    known = well("eos", drained=True)
    every = cells("eos", known, drained=True)
    asked = "show configuration sessions detail | json"
    at = known.steps.index(asked, known.steps.index("copy running-config flash:railbed-checkpoint"))
    (cell,) = (one for one in every if (one.step, one.fault) == (at, "silent until its timer"))
    assert tried(cell, known).wrong == ()


def test_the_bench_tells_a_push_that_confirms_what_does_not_work(monkeypatch):
    """A flow that asks nobody whether the fabric works is told, and so is one that forgets."""
    known = well("eos")
    cell = next(one for one in cells("eos", known) if one.fault == ONCE[0])
    assert tried(cell, known).wrong == ()
    monkeypatch.setattr(Push, "_verify", lambda self, _armed_at: self._device.open())
    assert tried(cell, known).wrong == ("it was confirmed though the fabric does not work",)
    monkeypatch.setattr(PushDevice, "pending", lambda *_: "")
    killed = [one for one in cells("eos", known) if one.fault == "killed"]
    assert any(tried(one, known).wrong for one in killed[-6:])
