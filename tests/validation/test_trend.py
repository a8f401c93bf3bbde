"""Stage 50 against this cluster's own history: slower than before fails, noise does not."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from validation.limits import HISTORY_NEEDS
from validation.pairing.loads import terms_of
from validation.run import validate
from validation.verdict import Figure, Finding, Verdict

from .healthy import Healthy, stage_50, stage_50_rdma

Past = Mapping[str, tuple[Figure, ...]]


def judged(past: Past, case: Healthy | None = None) -> list[Finding]:
    """What is said of the flows of a pair with RDMA, or of those of `case`."""
    case = case or stage_50_rdma.healthy()
    found = validate(case.plan, 50, case.store, None, case.configured, history=past)
    return [one for one in found.findings if one.check == "bw"]


def figures(case: Healthy | None = None) -> dict[str, Figure]:
    return {one.expectation: one.figure for one in judged({}, case) if one.figure}


def of_earlier_runs(now: Mapping[str, Figure], factor: float) -> Past:
    """Three runs in which each flow had `factor` times what it has now."""
    return {
        name: (Figure(one.value * factor, one.unit, one.terms),) * 3 for name, one in now.items()
    }


def test_a_flow_that_lost_a_fifth_fails_though_it_is_fast_enough():
    now = figures()
    name, figure = min(now.items())
    before = Figure(figure.value / 0.8, figure.unit, figure.terms)
    bad = [one for one in judged({name: (before,) * 3}) if one.verdict is not Verdict.PASS]
    assert [(one.expectation, one.verdict) for one in bad] == [(name, Verdict.FAIL)]
    assert "in 3 earlier runs" in bad[0].found
    assert "bisect" in bad[0].hint
    assert bad[0].figure == figure


@pytest.mark.parametrize(
    ("runs", "terms"), [(HISTORY_NEEDS - 1, None), (9, "iperf3 seconds=9 of other terms"), (9, "")]
)
def test_too_few_runs_and_other_terms_are_no_history(runs, terms):
    past = {
        name: (Figure(one.value * 2, one.unit, one.terms if terms is None else terms),) * runs
        for name, one in figures().items()
    }
    assert {one.verdict for one in judged(past)} == {Verdict.PASS}


def test_no_past_is_held_against_a_flow_that_the_kernel_of_a_busy_host_carries():
    case = stage_50.healthy()
    now = figures(case)
    found = judged(of_earlier_runs(now, 2), case)
    assert now
    assert {one.verdict for one in found} == {Verdict.PASS}


def test_what_the_plan_allows_to_lose_is_more_than_a_trend_may():
    terms = terms_of("ib_write_bw")
    assert terms.trend is not None
    assert 0 < terms.trend < 1 - terms.fail_below
