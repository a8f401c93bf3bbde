"""Stage 50: a flow that is fast enough, but below its past, runs again before it is blamed."""

from __future__ import annotations

from pathlib import Path

import pytest

from deploy.context import Context, no_journal
from deploy.loads.loading import Loading, runner
from tests.deploy.loads.test_load_run import FLOWS, PLAN, Hashing
from validation.evidence.store import EvidenceStore
from validation.judging.limits import HISTORY_NEEDS, WHAT_CHANGED
from validation.judging.past import Past
from validation.locating.again import REPEATS
from validation.run import validate
from validation.verdict import Figure, Finding, Verdict

from .test_matchings import EVERY, OTHERS, bad, believable

FLOW = FLOWS[0]
USUAL, BELOW = 0.198, 0.165
PAST: Past = {
    f"bw:{one.id}": (Figure(USUAL, "Gb/s", one.measured_as),) * HISTORY_NEEDS for one in FLOWS
}


class Wavering(Hashing):
    """Each time that one flow runs it gets the next of `rates`, and then the last again."""

    def __init__(self, *rates: float) -> None:
        super().__init__([{"swp5", "swp6"}] * 40)
        self.rates = list(rates)
        self.ran = 0

    def gbps(self, source: str, target: str) -> float:
        if (source, target) != (str(FLOW.source), str(FLOW.target)):
            return USUAL
        self.ran += 1
        return self.rates.pop(0) if len(self.rates) > 1 else self.rates[0]


def measured(nodes: Wavering, folder: Path, past: Past) -> dict[str, Finding]:
    """What is not passed of a run of stage 50, by the figures of earlier runs."""
    store = EvidenceStore(folder)
    context = Context(PLAN, "lab", folder, folder, folder, lambda _: None, no_journal)
    runner(50)(Loading(context, nodes, store, EVERY, past))
    kept = believable(EvidenceStore.load(folder))
    return bad(
        {
            one.expectation: one
            for one in validate(
                PLAN, 50, kept, None, EVERY, leave_out=OTHERS, history=past
            ).findings
        }
    )


def test_once_below_its_past_and_then_as_fast_as_ever_is_chance(tmp_path):
    nodes = Wavering(BELOW, USUAL)
    assert measured(nodes, tmp_path, PAST) == {}
    assert nodes.ran == 1 + REPEATS


def test_what_processors_carry_may_be_below_its_past_twice_if_it_is_not_four_times(tmp_path):
    nodes = Wavering(BELOW, BELOW, USUAL)
    assert measured(nodes, tmp_path, PAST) == {}
    assert nodes.ran == 2 + 2 * REPEATS


@pytest.mark.parametrize(
    ("rates", "ran"),
    [((BELOW,), 3), ((BELOW, USUAL, BELOW), 4), ((BELOW, BELOW, USUAL, BELOW), 4)],
)
def test_below_its_past_again_and_again_is_blamed_and_says_so(tmp_path, rates, ran):
    nodes = Wavering(*rates)
    [found] = measured(nodes, tmp_path, PAST).values()
    assert (found.expectation, found.verdict) == (f"bw:{FLOW.id}", Verdict.FAIL)
    assert found.suspect == f"path {FLOW.sender} > {FLOW.receiver}"
    assert "in 3 earlier runs, and may lose 15%" in found.found
    assert found.hint == WHAT_CHANGED
    assert nodes.ran == ran


def test_as_fast_as_ever_or_without_a_past_runs_once(tmp_path):
    for number, (rate, past) in enumerate([(USUAL, PAST), (BELOW, {})]):
        nodes = Wavering(rate)
        assert measured(nodes, tmp_path / str(number), past) == {}
        assert nodes.ran == 1


def test_evidence_without_the_second_runs_does_not_pass(tmp_path):
    """A run that ended before them, or was judged by another past: the first figure counts."""
    measured(Wavering(BELOW), tmp_path, {})
    kept = believable(EvidenceStore.load(tmp_path))
    found = validate(PLAN, 50, kept, None, EVERY, leave_out=OTHERS, history=PAST).findings
    assert {one.expectation for one in found if one.verdict is Verdict.FAIL} == {f"bw:{FLOW.id}"}
