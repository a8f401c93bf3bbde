"""What must work through a switch before its push is confirmed, and who is asked for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from deploy.rollout import fabric_check, switch_wave
from deploy.rollout.fabric_check import STAGES, FabricCheck
from inventory import open_site
from inventory.plan import Plan
from inventory.problems import ExpectedError
from tests.deploy.rollout.models import leaf_and_spine
from validation.evidence.store import EvidenceStore
from validation.run import ValidationResult
from validation.verdict import Finding, Verdict

BEFORE = frozenset({"oob1", "spine1"})
LEAF = frozenset({"leaf1"})


def finding(switch: str, says: str, verdict: Verdict, ask: str = "bgp") -> Finding:
    name = f"{ask}:{switch}:swp1"
    return Finding(20, ask, switch, name, verdict, f"device {switch}", says, "a session")


@dataclass
class Fabric:
    """Answers each look with the next of `looks`; the last one stays."""

    looks: list[dict[str, Verdict]]
    asked: list[tuple[frozenset[str], frozenset[str]]] = field(default_factory=list)
    takes_s: float = 0.0
    first_takes: Callable[[], object] = lambda: None

    def measure_of(self, *given: Any) -> ValidationResult:
        configured, stages, of = given[3], given[5], given[6]
        assert stages == STAGES
        time.sleep(self.takes_s)
        self.asked.append((configured, of))
        if len(self.asked) == 1:
            self.first_takes()
        now = self.looks.pop(0) if len(self.looks) > 1 and of else self.looks[0]
        told = [finding(name, "no session", verdict) for name, verdict in now.items()]
        return ValidationResult("", 40, tuple(one for one in told if one.device in of), {}, ())


@pytest.fixture
def checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    def make(fabric: Fabric, worked: frozenset[str] = frozenset()) -> FabricCheck:
        monkeypatch.setattr(fabric_check, "measure_of", fabric.measure_of)
        keeper: Any = SimpleNamespace(
            worked_before=worked,
            answered_before=BEFORE | LEAF,
            store=lambda name: EvidenceStore(tmp_path / name),
            timed=lambda _: (None, None),
            record=None,
        )
        return FabricCheck(keeper, "leaves", BEFORE)

    return make


def soon() -> float:
    return time.monotonic() + 0.5


def test_it_is_asked_until_what_must_be_true_is(checked):
    fabric = Fabric(
        [{"leaf1": Verdict.FAIL}, {"leaf1": Verdict.INCONCLUSIVE}, {"leaf1": Verdict.PASS}]
    )
    check = checked(fabric)
    assert check.missing("leaf1", time.monotonic() + 60, whole=True) == ()
    assert check.configured == BEFORE | LEAF
    assert [one for one in fabric.asked if one[1]] == [(BEFORE | LEAF, LEAF)] * 3


@pytest.mark.parametrize("verdict", [Verdict.FAIL, Verdict.INCONCLUSIVE])
def test_what_does_not_hold_in_time_is_named(checked, verdict):
    check = checked(Fabric([{"leaf1": verdict}]))
    assert check.missing("leaf1", soon(), whole=True) == ("device leaf1: no session",)
    assert check.configured == BEFORE


def test_a_look_that_could_end_too_late_is_not_begun(checked):
    fabric = Fabric([{"leaf1": Verdict.FAIL}], takes_s=0.4)
    begun = time.monotonic()
    assert checked(fabric).missing("leaf1", begun + 0.7, whole=True)
    assert len(fabric.asked) == 1


def test_what_worked_before_may_not_be_lost(checked):
    """Asked as it was asked then; what did not work then is no reason to go back."""
    fabric = Fabric([{"leaf1": Verdict.FAIL}])
    kept = checked(fabric, frozenset({"bgp:leaf1:swp1"}))
    assert kept.missing("leaf1", soon(), whole=False) == ("device leaf1: no session",)
    assert (BEFORE | LEAF, LEAF) in fabric.asked
    other = checked(fabric, frozenset({"bgp:leaf2:swp1"}))
    assert other.missing("leaf1", soon(), whole=False) == ()
    assert other.configured == BEFORE, "a part of a change makes nothing true yet"


def test_switches_that_wait_are_judged_in_one_look(checked):
    """Each is asked only for what those make true that have changed, or work."""
    names = [f"leaf{number}" for number in range(1, 9)]
    looking, every = threading.Event(), threading.Event()

    def until_all_wait() -> None:
        looking.set()
        assert every.wait(60)

    fabric = Fabric([dict.fromkeys(names, Verdict.PASS)], first_takes=until_all_wait)
    check, found = checked(fabric), dict[str, tuple[str, ...]]()

    def ask(name: str) -> None:
        found[name] = check.missing(name, time.monotonic() + 60, whole=True)

    threads = [threading.Thread(target=ask, args=(name,)) for name in names]
    for one in threads:
        one.start()
        assert looking.wait(60), "the first is judged alone"
    give_up = time.monotonic() + 60
    while set(check._waiting) != set(names):
        assert time.monotonic() < give_up
        time.sleep(0.01)
    every.set()
    for one in threads:
        one.join(60)
    assert found == dict.fromkeys(names, ())
    looks = [of for _, of in fabric.asked if of]
    assert [len(of) for of in looks] == [1, 7]
    assert check.configured == BEFORE | set(names)


def test_a_stage_that_cannot_be_used_is_no_reason_to_confirm(checked, monkeypatch):
    check = checked(Fabric([{}]))

    def broken(*_: object) -> ValidationResult:
        raise ExpectedError("the stage files could not be run")

    monkeypatch.setattr(fabric_check, "measure_of", broken)
    assert check.missing("leaf1", soon(), whole=True) == ("the stage files could not be run",)


def test_a_window_is_long_enough_for_routing_to_come_up_again(tmp_path):
    assert switch_wave.window_s(open_site("lab")) == 117
    slow: Plan = leaf_and_spine(tmp_path / "mini", "eos", "admin")
    text = (tmp_path / "mini" / "fabric.yml").read_text()
    (tmp_path / "mini" / "fabric.yml").write_text(
        text.replace("bgp_hold_s: 9, bgp_connect_s: 10", "bgp_hold_s: 180, bgp_connect_s: 120")
    )
    assert switch_wave.window_s(slow) == 141
    assert switch_wave.window_s(open_site(str(tmp_path / "mini"))) == 890
