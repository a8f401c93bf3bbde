"""The first bad run and what changed in it, where the culprit is drawn and the rest is noise."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from inventory import open_site
from inventory.digest import parts_of
from inventory.plan import Plan
from tests.deploy.told_runs import rates
from tests.generated.sites import Size, generated_site
from validation.expect import expectations
from validation.expectation import Expectation
from validation.judging.bisect import (
    Bisected,
    Event,
    RunQuality,
    bisect,
    plan_events,
    version_events,
)
from validation.judging.history import RunFound
from validation.verdict import Verdict

RUNS = 6
Slow = dict[str, tuple[float, str]]


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    folder = tmp_path_factory.mktemp("site") / "site"
    generated_site(folder, Size(pods=2, spines=2, rails=2, nodes_per_pod=4))
    return open_site(folder)


@pytest.fixture(scope="module")
def flows(plan) -> list[Expectation]:
    return [one for one in expectations(plan, frozenset(plan.devices), 50) if one.stage == 50]


def series(plan, flows, seed: int, at: int, slow: Slow, skip: frozenset[int] = frozenset()):
    """Runs 1 to RUNS; from run `at` on something is slow. Runs in `skip` measured nothing."""
    for run in range(1, RUNS + 1):
        faults = slow if run >= at else {}
        found = () if run in skip else tuple(rates(plan, seed * 100 + run, faults, flows))
        yield RunFound(run, "d", found)


def changes(plan: Plan, noise: random.Random, culprit: str, at: int) -> Iterator[Event]:
    """In every run two devices change; in run `at` the culprit, too."""
    others = [one for one in plan.devices if one != culprit and one.startswith("node")]
    for run in range(2, RUNS + 1):
        for device in noise.sample(others, 2):
            yield Event(run, "change", device, f"{device} was changed")
    yield Event(at, "change", culprit, f"{culprit} was changed")


def first_device(found: Bisected) -> str:
    return found.causes[0].event.device


def test_the_changed_node_is_named_with_its_run(plan, flows):
    """40 drawn series, the culprit one of all nodes: all must be right."""
    for seed in range(40):
        noise = random.Random(seed)
        at, node = noise.randint(2, RUNS), noise.choice(plan.nodes).name
        runs = list(series(plan, flows, seed, at, {node: (0.6, "x")}))
        found = bisect(plan, runs, changes(plan, noise, node, at))
        assert (found.last_good, found.first_bad) == (at - 1, at)
        assert first_device(found) == node
        assert found.causes[0].score > 0.9


def test_a_leaf_is_named_when_one_rail_of_its_pod_is_slow(plan, flows):
    leaf = "leaf-p2-r1"
    slow = {f"{one.name}:1": (0.7, "x") for one in plan.nodes if one.pod == 2}
    runs = list(series(plan, flows, 1, 4, slow))
    found = bisect(plan, runs, changes(plan, random.Random(1), leaf, 4))
    assert first_device(found) == leaf


def test_nothing_slow_has_no_cause(plan, flows):
    runs = list(series(plan, flows, 3, 99, {}))
    found = bisect(plan, runs, changes(plan, random.Random(3), "spine1", 4))
    assert (found.slow, found.settle) == ((), ())


def test_a_run_that_measured_nothing_is_no_good_run(plan, flows):
    """Nothing is worse where nothing was measured, and that says nothing."""
    first, *_, last = series(plan, flows, 3, 99, {})
    both = bisect(plan, [first, last], [])
    assert (both.measured, both.unmeasured) == (len(first.findings), 0)
    open_ones = tuple(
        replace(one, expectation=f"{one.expectation}:again", verdict=Verdict.INCONCLUSIVE)
        for one in last.findings
    )
    found = bisect(plan, [first, replace(last, findings=open_ones)], [])
    assert (found.slow, found.measured) == ((), 0)
    assert found.unmeasured == 2 * len(last.findings)


def test_a_run_that_measured_nothing_widens_the_window_and_is_said(plan, flows):
    node = plan.nodes[0].name
    runs = list(series(plan, flows, 7, 4, {node: (0.6, "x")}, frozenset({3, 4})))
    found = bisect(plan, runs, [Event(3, "change", node, "a"), Event(4, "change", node, "b")])
    assert (found.last_good, found.first_bad) == (2, 5)
    assert dict(found.told)[3] is RunQuality.NOT_MEASURED
    assert len(found.causes) == 2
    assert any("runs 3, 4 measured none of it" in one for one in found.settle)
    assert any("take back one of" in one for one in found.settle)


def test_one_slow_run_alone_is_measured_again_first(plan, flows):
    node = plan.nodes[0].name
    runs = list(series(plan, flows, 9, RUNS, {node: (0.6, "x")}))
    found = bisect(plan, runs, [])
    assert "once more" in found.settle[0]
    assert "--only 50" in found.settle[0]
    assert "look at hardware" in found.settle[1]


def test_plans_are_told_apart_part_by_part(plan):
    old, new = parts_of(plan), dict(parts_of(plan))
    assert list(plan_events(2, old, new)) == []
    name = plan.nodes[0].name
    new |= {f"node {name}": "x", "lossless": "y", "waves": "z"}
    del new["switch spine1"]
    found = {(one.device, one.what) for one in plan_events(2, old, new)}
    assert found == {
        ("", "plan: lossless changed"),
        (name, f"plan: node {name} changed"),
        ("spine1", "plan: switch spine1 gone"),
    }
    assert list(plan_events(2, {}, new)) == []


def test_versions_restarts_and_absence_are_events():
    old = {"a": {"kernel": "6.1", "boot": "1"}, "b": {"kernel": "6.1"}, "c": {"boot": "1"}}
    new = {"a": {"kernel": "6.8", "boot": "2"}, "b": {}, "c": {"boot": "1", "kernel": "6.1"}}
    assert [one.what for one in version_events(2, old, new)] == [
        "a has restarted",
        "a kernel: 6.1 -> 6.8",
        "b does not answer",
    ]
