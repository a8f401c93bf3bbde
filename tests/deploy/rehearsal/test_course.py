"""What follows what in a rehearsal: the other engine, and reboots that a gate waits for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from deploy import lab
from deploy.rehearsal import course
from deploy.rehearsal.acts import Act, ActWave
from deploy.rehearsal.estimate.of_rehearsal import rolled_of
from deploy.rehearsal.rehearse import Asked, prepared
from deploy.session import Selection
from inventory.plan import Node

from .stock import site
from .test_makers import other_driver
from .test_rehearse import two_rails


@pytest.mark.parametrize("changed", [(), ("node-p1-1",)])
def test_the_other_engine_runs_every_role_and_may_change_nothing(tmp_path, monkeypatch, changed):
    folder = site(tmp_path / "site")
    twin, _ = prepared(Asked(str(folder), engine="ansible"), tmp_path / "twin")
    ran = list[tuple[str, str, bool]]()

    def applied(selection: Selection, title: str, _: object, every_role: bool = False) -> Act:
        text = yaml.safe_load((Path(selection.site) / "fabric.yml").read_text())
        ran.append((title, text["engine"], every_role))
        return Act(title, True, "", 1.0, changed if every_role else ())

    @contextmanager
    def fitted(*_: object) -> Iterator[None]:
        yield

    monkeypatch.setattr(course, "_booted", lambda *_: Act("boots", True, "", 1.0))
    monkeypatch.setattr(course, "applied", applied)
    monkeypatch.setattr(course, "fitted_with", fitted)
    monkeypatch.setattr(course, "waits", lambda *_: "")
    selection = Selection(str(twin.folder), "none")
    *_, last = course.acts(selection, twin, print, both_engines=True)
    assert ran == [
        ("the whole rollout, from nothing", "ansible", False),
        ("the rollout again", "ansible", False),
        ("every role again, by pyinfra", "pyinfra", True),
    ]
    assert last.passed == (not changed)
    assert yaml.safe_load((twin.folder / "fabric.yml").read_text())["engine"] == "ansible"


class Nodes:
    """Two nodes of which a rollout changes the next one; it runs once that has booted anew."""

    def __init__(self) -> None:
        self.changed, self.booted = list[str](), list[str]()
        self.mended, self.runs = True, 0

    def rolled(self, title: str) -> Act:
        left = [one for one in ("node-p1-1", "node-p1-2") if one not in self.changed]
        self.runs += 1
        if not left:
            return Act(title, True, "as planned", 1.0, run=self.runs)
        self.changed.append(left[0])
        wave = ActWave("nodes", "", "", 1.0, "hold")
        return Act(title, False, "hold: reboot", 1.0, (left[0],), (wave,), run=self.runs)

    def waits(self, _: str, node: Node) -> str:
        booted = self.mended and node.name in self.booted
        return "old is loaded" if node.name in self.changed and not booted else ""


@pytest.fixture
def nodes(monkeypatch: pytest.MonkeyPatch) -> Nodes:
    made = Nodes()

    @contextmanager
    def fitted(*_: object) -> Iterator[None]:
        yield

    monkeypatch.setattr(course, "_booted", lambda *_: Act("boots", True, "", 1.0))
    monkeypatch.setattr(course, "applied", lambda _, title, __: Act(title, True, "", 1.0))
    monkeypatch.setattr(course, "under_traffic", lambda _, __, title, ___: made.rolled(title))
    monkeypatch.setattr(course, "fitted_with", fitted)
    monkeypatch.setattr(course, "settled", lambda *_: None)
    monkeypatch.setattr(course, "waits", made.waits)
    monkeypatch.setattr(lab, "restart", lambda _, name: made.booted.append(name))
    return made


@pytest.mark.parametrize("mended", [True, False])
def test_a_rollout_goes_on_after_each_reboot_that_a_gate_waits_for(tmp_path, nodes, mended):
    """It ends where a reboot does not help, and is measured by all of its runs."""
    nodes.mended = mended
    folder = two_rails(tmp_path / "site", "arista-7060x6-64pe-eos")
    change = other_driver(folder, tmp_path / "change")
    twin, later = prepared(Asked(str(folder), change=str(change)), tmp_path / "twin")
    told = [*course.acts(Selection(str(twin.folder), "none"), twin, print, later)]
    rolled = [(one.title, one.runs) for one in rolled_of(told)]
    assert rolled == ([("the change", (1, 2, 3))] if mended else [])
    acts = [(one.title, one.passed) for one in told][3:7]
    if not mended:
        assert acts == [("the change", True), ("node-p1-1 boot anew", False)]
        assert told[-1].outcome == "node-p1-1: old is loaded"
        return
    assert acts == [
        ("the change", True), ("node-p1-1 boot anew", True),
        ("the change, run 2", True), ("node-p1-2 boot anew", True),
    ]  # fmt: skip
    assert [one.title for one in told][7:] == [
        "the change, run 3", "the change again", "the way back",
    ]  # fmt: skip
