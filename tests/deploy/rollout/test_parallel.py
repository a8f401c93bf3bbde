"""How many switches are changed at once: the least of what a person, the site and we allow."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from deploy.backups import preview as back_preview
from deploy.backups import rollback as way_back
from deploy.backups.rollback import parts, widest
from deploy.context import MOST_AT_ONCE, Context, no_journal
from deploy.errors import RailbedError
from deploy.rollout import change, runbook, switch_wave
from deploy.rollout.switch_wave import asked_for, most_at_once, push_switches, side_by_side
from deploy.switches.push_result import PushResult
from deploy.switches.push_session import unkept
from inventory import open_site
from inventory.plan import Wave
from tests.deploy.command_line import railbed

LEAVES = Wave("leaves-r1", "switches", tuple(f"leaf-{one:02}" for one in range(20)), canary=False)
SPINES = Wave("spines-rest", "switches", ("spine-1", "spine-2"), canary=False)
PLAN = replace(open_site("lab"), waves=(SPINES, LEAVES))
PATIENCE_S = 30


@pytest.fixture
def context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Context:
    monkeypatch.setattr(switch_wave, "untried", lambda *_: ())
    return Context(PLAN, PLAN.site, tmp_path, tmp_path, tmp_path, print, no_journal)


def well(name: str) -> PushResult:
    return PushResult(name, ok=True, changed=False)


def ill(name: str) -> PushResult:
    return PushResult(name, ok=False, changed=True, message="no answer")


@pytest.mark.parametrize(("asked", "most"), [(None, MOST_AT_ONCE), (1, 1), (7, 7), (999, 32)])
def test_a_number_from_one_on_is_taken_up_to_what_one_process_does(asked, most):
    assert asked_for(asked) == most


@pytest.mark.parametrize("verb", [("apply",), ("rollback", "1")])
@pytest.mark.parametrize("number", ["0", "-3"])
def test_less_than_one_is_refused_in_a_sentence(verb, number):
    said = railbed(*verb, "--parallel", number)
    assert said.returncode == 2
    assert f"--parallel {number}: at least one switch is changed at a time" in said.stderr


def test_the_least_wins(context, monkeypatch):
    assert most_at_once(context, LEAVES.devices) == 20
    assert most_at_once(replace(context, at_once=6), LEAVES.devices) == 6
    assert most_at_once(replace(context, at_once=6), LEAVES.devices[:2]) == 2
    monkeypatch.setattr(switch_wave, "untried", lambda *_: ("never tried",))
    assert most_at_once(context, LEAVES.devices) == 1


@pytest.mark.parametrize("most", [1, 3])
def test_never_more_are_under_way(context, most):
    """Three wait for each other, so that they are seen to be under way together."""
    here, seen, lock = set[str](), list[int](), threading.Lock()
    met = threading.Barrier(most, timeout=PATIENCE_S)

    def one(name: str) -> PushResult:
        with lock:
            here.add(name)
            seen.append(len(here))
        met.wait()
        with lock:
            here.discard(name)
        return well(name)

    names = LEAVES.devices[:6]
    found = side_by_side(replace(context, at_once=most), names, one)
    assert [each.device for each in found] == [*names]
    assert max(seen) == most


def test_none_begins_after_one_that_did_not_end_well(context, monkeypatch):
    first, second, *rest = LEAVES.devices[:4]
    monkeypatch.setattr(switch_wave, "push", lambda _, name, **__: one(name))
    mine = replace(context, at_once=1)

    def one(name: str) -> PushResult:
        return ill(name) if name == second else well(name)

    assert side_by_side(mine, (first, second, *rest), one) == [well(first), ill(second)]
    works: Any = SimpleNamespace(missing=lambda *_: ())
    undrained: Any = SimpleNamespace(of=lambda _: None, alone=lambda _: [])
    every = (first, second, *rest)
    with pytest.raises(RailbedError) as refused:
        push_switches(mine, every, lambda _: (), [], works, undrained, unkept)
    assert refused.value.message == f"{second}: no answer; not begun: {', '.join(rest)}"


def test_none_begins_after_one_that_raised(context):
    begun = list[str]()

    def one(name: str) -> PushResult:
        begun.append(name)
        raise RailbedError("the record cannot be written")

    with pytest.raises(RailbedError, match="cannot be written"):
        side_by_side(replace(context, at_once=1), LEAVES.devices[:3], one)
    assert begun == [LEAVES.devices[0]]


def test_a_wave_and_a_preview_say_the_number(context, monkeypatch):
    assert runbook.heading(LEAVES, 3, 9, "", 6).endswith(
        f"{LEAVES.devices[-1]} (at most 6 at once)"
    )
    differ = [SimpleNamespace(device=one) for one in LEAVES.devices]
    found: Any = SimpleNamespace(differences=differ, silent=(), strays={})
    for name, value in (("explained", found), ("survey", None), ("pending", "")):
        monkeypatch.setattr(runbook, name, lambda *_, value=value: value)
    monkeypatch.setattr(runbook, "refusal", lambda *_: "")
    transport: Any = None
    said = runbook.preview(replace(context, at_once=6), transport, "switches").outcome
    assert said == "dry run: 20 devices would change, at most 6 switches at once"
    found.differences = differ[:2]
    said = runbook.preview(context, transport, "").outcome
    assert said == "dry run: 2 devices would change, at most 2 switches at once"
    found.differences = ()
    assert runbook.preview(context, transport, "").outcome == "dry run: 0 devices would change"


def test_what_goes_back_together_is_of_one_wave_and_the_first_goes_alone(context, monkeypatch):
    names = (*LEAVES.devices[:6], *SPINES.devices)
    assert parts(replace(context, at_once=1), names) == [(one,) for one in names]
    mine = replace(context, at_once=3)
    assert parts(mine, names) == [names[:1], names[1:4], names[4:6], names[6:]]
    assert widest(mine, names) == 3
    monkeypatch.setattr(back_preview, "fetcher", lambda _: None)
    for most, how in ((1, "back, one at a time"), (3, "the first alone, then at most 3 at once")):
        assert back_preview.preview(mine, {}, most).outcome.endswith(how)


@pytest.mark.parametrize("refuses", [False, True])
def test_a_part_goes_back_side_by_side(context, monkeypatch, refuses):
    names = LEAVES.devices[:3]
    met = threading.Barrier(3, timeout=PATIENCE_S)

    def push(_: object, __: int, ___: int, goal: str, proof: str, drain: str) -> PushResult:
        met.wait()
        assert (proof, drain) == (f"works {goal}", f"drain {goal}")
        return ill(goal) if refuses and goal == names[1] else replace(well(goal), changed=True)

    def asked(*_: object) -> tuple[Any, Callable[[str], str]]:
        of = SimpleNamespace(of=lambda name: f"drain {name}", alone=lambda _: [])
        return of, lambda name: f"works {name}"

    monkeypatch.setattr(way_back, "_push", push)
    monkeypatch.setattr(way_back, "_what_worked", asked)
    monkeypatch.setattr(way_back, "journaled", lambda one, *_: one)
    keeper: Any = SimpleNamespace(context=replace(context, at_once=3), record=None, run=2)
    goals: Any = {name: name for name in names}
    found: Sequence[PushResult] = way_back._part(keeper, 1, goals)
    assert [one.device for one in found] == [*names]
    assert [one.ok for one in found] == [True, not refuses, True]


class Reached(RailbedError):
    """All that a person asked for has come to where devices would be asked."""


@pytest.mark.parametrize(("asked", "most"), [((), MOST_AT_ONCE), (("--parallel", "6"), 6)])
def test_what_a_person_asked_for_comes_to_the_rollout(context, monkeypatch, asked, most):
    def preview(mine: Context, *_: object) -> None:
        raise Reached(f"at most {mine.at_once}")

    monkeypatch.setattr(change, "_able_context", lambda *_, **__: context)
    for name, value in (("way", None), ("_devices", frozenset())):
        monkeypatch.setattr(change, name, lambda *_, value=value: value)
    monkeypatch.setattr(change, "preview", preview)
    assert f"at most {most}\n" in railbed("apply", "--dry-run", *asked).stderr


@pytest.mark.parametrize(("asked", "most"), [((), 1), (("--parallel", "6"), 6)])
def test_what_a_person_asked_for_comes_to_the_way_back(monkeypatch, asked, most):
    def back(_: object, wish: way_back.Wish, __: object) -> None:
        raise Reached(f"at most {wish.parallel}")

    monkeypatch.setattr(way_back, "rollback_site", back)
    assert f"at most {most}\n" in railbed("rollback", "1", *asked).stderr
