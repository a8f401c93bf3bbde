"""A change of DSCP is three plans, which a rehearsal writes and takes one after another."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from deploy import lab
from deploy.errors import RailbedError
from deploy.record.journal import Record
from deploy.rehearsal import course
from deploy.rehearsal.acts import Act
from deploy.rehearsal.estimate import of_rehearsal
from deploy.rehearsal.estimate.of_rehearsal import Rolled, real_times, rolled_of
from deploy.rehearsal.rehearse import Asked, prepared
from deploy.rehearsal.staged import AT_CHANGE, AT_SITE, stages
from deploy.rehearsal.twin import twin_of
from deploy.session import Selection
from inventory import open_site
from inventory.load.site import load
from inventory.plan import Plan

from .stock import site


@pytest.fixture
def moved(tmp_path: Path) -> tuple[Path, Path]:
    """A site, and the same with another DSCP of RoCE."""
    folder, later = site(tmp_path / "site"), tmp_path / "later"
    shutil.copytree(folder, later)
    text = (folder / "fabric.yml").read_text()
    (later / "fabric.yml").write_text(text.replace("  dscp: 26\n", "  dscp: 34\n", 1))
    return folder, later


def test_the_plans_between_are_right_each_and_the_last_is_the_change(moved, tmp_path):
    twin, later = prepared(Asked(str(moved[0]), change=str(moved[1])), tmp_path / "twin")
    assert later is not None
    told = stages(twin.plan, later.plan, later.folder)
    assert [(one.plan.lossless.dscp, one.plan.lossless.also_dscps) for one in told] == [
        (26, (34,)), (34, (26,)), (34, ()),
    ]  # fmt: skip
    assert told[0].lines == ("lossless.dscp: 26", "lossless.also_dscps: [34]")
    assert told[-1].folder == later.folder
    before, *_ = way = [twin.plan, *(one.plan for one in told)]
    for now, after in pairwise(way):
        assert len(stages(now, after, later.folder)) == 1
    assert len(stages(before, before, later.folder)) == 1


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, list[int], int]]:
    """What is rolled out under traffic, where no machine is: the title, its DSCPs, that before."""
    said = list[tuple[str, int, list[int], int]]()

    @contextmanager
    def fitted(*_: object) -> Iterator[None]:
        yield

    def under_traffic(selection: Selection, plan: Plan, title: str, _: object) -> Act:
        lossless = yaml.safe_load((Path(selection.site) / "fabric.yml").read_text())["lossless"]
        said.append((title, lossless["dscp"], lossless.get("also_dscps", []), plan.lossless.dscp))
        return Act(title, True, "done", 1.0, ("leaf-p1-r0",), run=len(said))

    monkeypatch.setattr(course, "_booted", lambda *_: Act("boots", True, "", 1.0))
    monkeypatch.setattr(course, "applied", lambda _, title, __: Act(title, True, "", 1.0))
    monkeypatch.setattr(course, "fitted_with", fitted)
    monkeypatch.setattr(course, "waits", lambda *_: "")
    monkeypatch.setattr(lab, "restart", lambda *_: None)
    monkeypatch.setattr(course, "under_traffic", under_traffic)
    return said


def test_all_of_them_are_rehearsed_and_the_way_back_is_the_reverse(moved, tmp_path, said):
    asked = Asked(str(moved[0]), change=str(moved[1]))
    twin, later = prepared(asked, tmp_path / "twin")
    before = (twin.folder / "fabric.yml").read_bytes()
    told = tuple(course.acts(Selection(str(twin.folder), "none"), twin, print, later))
    assert [one.title for one in told][3:] == [
        "the change, plan 1 of 3 (lossless.dscp: 26, lossless.also_dscps: [34])",
        "the change, plan 2 of 3 (lossless.dscp: 34, lossless.also_dscps: [26])",
        "the change, plan 3 of 3 (lossless.dscp: 34, lossless.also_dscps: [])",
        "the change again",
        "the way back, plan 1 of 3 (lossless.dscp: 34, lossless.also_dscps: [26])",
        "the way back, plan 2 of 3 (lossless.dscp: 26, lossless.also_dscps: [34])",
        "the way back, plan 3 of 3 (as it was)",
    ]
    assert [one[1:] for one in said] == [
        (26, [34], 26), (34, [26], 26), (34, [], 34),
        (34, [26], 34), (26, [34], 34), (26, [], 26),
    ]  # fmt: skip
    assert (twin.folder / "fabric.yml").read_bytes() == before


def test_the_real_site_is_priced_through_the_plans_of_its_twin(moved, tmp_path, said, monkeypatch):
    """Though nobody knows its MACs yet, and what is not there needs no plans between."""
    now, then = map(str, moved)
    assert len(stages(open_site(now), open_site(then), moved[1])) == 1
    twin, later = prepared(Asked(now, change=then), tmp_path / "twin")
    assert later is not None
    selection = Selection(str(twin.folder), "none")
    rolled = rolled_of(course.acts(selection, twin, print, later))
    assert [one.runs for one in rolled] == [(number,) for number in range(1, 7)]
    monkeypatch.setattr(Selection, "state_dir", property(lambda _: tmp_path))
    Record(tmp_path / "record.sqlite").close()
    real = real_times(now, then, (selection, later.plan), rolled, (), print)
    assert real.why == ""
    assert [one.title for one in real.estimates] == [title for title, *_ in said]
    assert all(one.waves for one in real.estimates)


@pytest.mark.parametrize("error", [IndexError("5"), RailbedError("no run")])
def test_an_estimate_that_breaks_loses_no_rehearsal(tmp_path, monkeypatch, error):
    def breaks(*_: object) -> None:
        raise error

    monkeypatch.setattr(of_rehearsal, "opened", breaks)
    one = Rolled("the change", (1,), (AT_SITE, AT_CHANGE))
    plan = open_site(site(tmp_path / "site"))
    real = real_times("x", "y", (Selection("x", "none"), plan), [one], (), print)
    assert not real.estimates
    assert str(error) in real.why


@pytest.mark.parametrize(
    ("groups", "engine", "told"),
    [
        ({}, "", []),
        ({}, "pyinfra", []),
        ({}, "ansible", ["pyinfra"]),
        ({"storage": "ansible"}, "pyinfra", ["pyinfra, storage ansible"]),
        ({"storage": "pyinfra"}, "pyinfra", []),
        ({"storage": "ansible"}, "", []),
    ],
)
def test_another_engine_is_told(moved, groups, engine, told):
    text = yaml.safe_load((moved[0] / "fabric.yml").read_text())
    made = twin_of(load(str(moved[0])), {**text, "engine_groups": groups}, "debian-12", "amd64",
                   engine)  # fmt: skip
    assert [one.site for one in made.exceptions if one.where == "engine"] == told
    assert made.fabric["engine"] == (engine or "pyinfra")
    # The other engine is asked by `engine` alone, so no group may keep one of its own.
    assert bool(made.fabric.get("engine_groups")) == bool(groups and not engine)
