"""Stages 45, 60, 70 and 75 against this cluster's own history: enough, and less than it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import pytest
import yaml

from tests.validation.healthy import Healthy, stage_45, stage_60, stage_70, stage_75
from tests.validation.recorded import lab
from validation.judging.limits import HISTORY_NEEDS, WHAT_CHANGED
from validation.ladder import ladder
from validation.run import validate
from validation.stages.s45_single_node.terms import figures_of, terms, trend_of
from validation.stages.s60_congestion.terms import shares_of
from validation.stages.s70_collectives import terms as collective_terms
from validation.stages.s75_storage.terms import terms as storage_terms
from validation.verdict import Figure, Finding, Verdict

# By stage: evidence that passes, the checks whose figures have a past, the most that all may lose.
CASES: Mapping[int, tuple[Callable[[], Healthy], set[str], float]] = {
    45: (stage_45.healthy, {"memory", "disk", "nic_self", "burn", "nvlink_reduce"}, 0.15),
    60: (stage_60.healthy, {"incast"}, 0.05),
    70: (stage_70.healthy, {"collective"}, 0.10),
    75: (stage_75.healthy, {"store", "store_total", "store_gds"}, 0.15),
}
Past = Mapping[str, tuple[Figure, ...]]


@pytest.fixture(autouse=True)
def collectives_of_the_lab_have_a_trend(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Of Open MPI over busy cores none is asked; what is recorded is judged as nccl-tests' here."""
    said = yaml.safe_load(collective_terms.THRESHOLDS.read_text())
    said["mpi"]["trends"] = said["nccl"]["trends"]
    path = tmp_path_factory.mktemp("terms") / "collectives.yml"
    path.write_text(yaml.safe_dump(said, sort_keys=False))
    monkeypatch.setattr(collective_terms, "THRESHOLDS", path)
    collective_terms.terms_of.cache_clear()
    yield
    collective_terms.terms_of.cache_clear()


def judged(stage: int, past: Past) -> dict[str, Finding]:
    case = CASES[stage][0]()
    others = frozenset(ladder()) - {stage}
    found = validate(
        case.plan, stage, case.store, None, case.configured, leave_out=others, history=past
    )
    return {one.expectation: one for one in found.findings}


def one_of_each(stage: int, found: Mapping[str, Finding]) -> dict[str, Figure]:
    """One passing figure of each check with a past; of collectives, a large size."""
    kept = {
        one.check: (name, one.figure)
        for name, one in sorted(found.items())
        if one.figure and one.figure.terms and (stage != 70 or name.endswith(":large"))
    }
    assert set(kept) == CASES[stage][1]
    return dict(kept.values())


@pytest.mark.parametrize("stage", CASES)
def test_what_is_good_enough_and_far_below_its_own_past_fails_and_says_so(stage):
    now = one_of_each(stage, judged(stage, {}))
    past = {
        name: (Figure(one.value / (1 - CASES[stage][2]) * 1.02, one.unit, one.terms),) * 3
        for name, one in now.items()
    }
    bad = {n: one for n, one in judged(stage, past).items() if one.verdict is not Verdict.PASS}
    assert set(bad) == set(now)
    for name, one in bad.items():
        assert one.verdict is Verdict.FAIL
        assert "in 3 earlier runs, and may lose" in one.found
        assert WHAT_CHANGED in one.hint
        assert one.suspect
        assert one.figure == now[name]


@pytest.mark.parametrize("stage", CASES)
def test_too_few_runs_other_terms_and_a_little_noise_are_no_loss(stage):
    now = one_of_each(stage, judged(stage, {}))

    def past_of(value: float, runs: int, terms_: str | None = None) -> Past:
        return {
            name: (Figure(one.value * value, one.unit, terms_ or one.terms),) * runs
            for name, one in now.items()
        }

    few, other = past_of(2, HISTORY_NEEDS - 1), past_of(2, 9, "another tool, other seconds")
    near = past_of(1.02, 9)
    both = {name: (*few[name], *other[name]) for name in now}
    for past in (both, near):
        assert {one.verdict for one in judged(stage, past).values()} == {Verdict.PASS}


def test_a_small_size_has_no_past():
    now = judged(70, {})
    small = {name: one.figure for name, one in now.items() if name.endswith(":small")}
    past = {
        name: (Figure(one.value * 9, one.unit, one.terms),) * 9
        for name, one in small.items()
        if one
    }
    assert past
    assert {one.verdict for one in judged(70, past).values()} == {Verdict.PASS}


def test_the_pasts_terms_name_the_incast_and_not_who_received_it():
    """Receivers take turns, so each would wait for its history as long as a leaf has NICs."""
    figures = [one.figure for one in judged(60, {}).values() if one.check == "incast"]
    found = {one.terms for one in figures if one}
    assert found == {"ib_write_bw incast of 2 seconds=10 streams=4 into 400 Gb/s"}


def test_a_machine_that_is_shared_is_not_held_against_its_past():
    profile = lab().nodes[0].profile
    assert figures_of(profile).shared
    assert trend_of(profile, terms().memory) is None
    assert trend_of("hgx-h100", terms().memory) == terms().memory.trend


def test_trends_are_within_what_the_plan_allows_to_lose():
    asked, stored, sums = terms(), storage_terms(), shares_of("ib_write_bw")
    for trend, least in (
        (asked.memory.trend, asked.memory.least),
        (asked.disk.trend, asked.disk.least),
        (asked.nic.trend, asked.nic.least),
        (asked.all_reduce.trend, asked.all_reduce.least),
        (stored.fio.trend, stored.fio.least),
        (stored.gds.trend, stored.gds.least),
        (sums.sum_trend or 0, sums.sum_least),
    ):
        assert 0 < trend < 1 - least
