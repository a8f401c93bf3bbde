"""Stage 50 against this cluster's own history: slower than before fails, noise does not."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from tests.validation.recorded import lab
from tests.validation.stages.test_pairs import evidence
from validation.judging.limits import HISTORY_NEEDS, Limit, judge
from validation.pairing.loads import terms_of
from validation.run import validate
from validation.verdict import Figure, Finding, Verdict

Past = Mapping[str, tuple[Figure, ...]]


def judged(past: Past) -> list[Finding]:
    everything = frozenset(lab().devices)
    found = validate(lab(), 50, evidence("healthy"), None, everything, history=past)
    return [one for one in found.findings if one.check == "bw"]


def figures() -> dict[str, Figure]:
    return {one.expectation: one.figure for one in judged({}) if one.figure}


def test_a_flow_that_lost_more_than_hosts_vary_fails_though_it_is_fast_enough():
    now = figures()
    name, figure = min(now.items())
    before = Figure(figure.value / 0.83, figure.unit, figure.terms)
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


def test_healthy_runs_with_the_noise_of_the_lab_are_never_blamed():
    """100 histories of 12 flows, each figure within what was measured on busy cores."""
    noise = random.Random(20261122)
    limit = Limit("test", trend=terms_of("iperf3").trend)
    for _ in range(100):
        for _ in range(12):
            past = [noise.uniform(0.947, 0.992) for _ in range(noise.randint(1, 30))]
            assert judge(noise.uniform(0.947, 0.992), limit, history=past).good


@pytest.mark.parametrize("tool", ["iperf3", "ib_write_bw"])
def test_the_trend_is_within_what_the_plan_allows_to_lose(tool):
    terms = terms_of(tool)
    assert 0 < terms.trend < 1 - terms.fail_below
