"""Stage 70: what was bad once runs again before anybody is blamed, and the second time counts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import pytest

from deploy.loads import s70_collectives_run as collective_run
from deploy.loads.launch import Launcher
from tests.validation.healthy import frame
from tests.validation.recorded import lab
from validation.evidence.store import EvidenceStore, Frame
from validation.judging.past import Past
from validation.parse.loads.collective_rows import Table
from validation.run import validate
from validation.stages.s70_collectives.again import again, repeats, second
from validation.stages.s70_collectives.launch import Launch
from validation.stages.s70_collectives.runs import JOBS, Run, Step
from validation.stages.s70_collectives.terms import Terms
from validation.verdict import Figure, Finding, Verdict

from .test_collectives import done, evidence, gpus, runs, table

HURT = "all_gather:4:node-p1-1"
LARGE = f"collective:{HURT}:large"
OTHERS = frozenset({10, 15, 20, 30, 40, 45, 50, 60})


def slowed(text: str, times: float = 10) -> str:
    """The large row of an output, as if every iteration had taken so many times as long."""

    def row(found: re.Match[str]) -> str:
        us = " ".join(f"{float(one) * times:.3f}" for one in found[2].split())
        alg, bus = (float(one) / times for one in found.group(3, 4))
        return f"{found[1]}{us} algbw {alg:.9f} busbw {bus:.9f}"

    pattern = r"(row asked 8388608 size \d+ us )([\d. ]+) algbw (\S+) busbw (\S+)"
    text, count = re.subn(pattern, row, text)
    assert count == 1
    return text


def damaged(text: str) -> str:
    return re.sub(r"wrong 0( sent \d+\n\S*end)", r"wrong 7\1", text)


class Twice(Launcher):
    """Answers with the healthy run, altered for one run: the first time, and the second."""

    def __init__(
        self, first: Callable[[str], str], later: Callable[[str], str], of: str = HURT
    ) -> None:
        self.frames = {one.command: one for one in evidence("healthy")}
        every = {one.id: one for one in runs(lab())}
        self.firsts = {second(lab(), one).launch.command: one for one in every.values()}
        self.changes = {every[of].launch.command: first}
        self.changes[second(lab(), every[of]).launch.command] = later
        self.asked: list[tuple[str, ...]] = []

    def run(self, launches: Sequence[Launch], store: EvidenceStore) -> Mapping[str, str]:
        self.asked.append(tuple(one.command for one in launches))
        store.add(filter(None, (self._frame(one.command) for one in launches)))
        return {}

    def _frame(self, command: str) -> Frame | None:
        """What no recorded run is like, a search, leaves nothing."""
        own = self.firsts[command].launch.command if command in self.firsts else command
        like = self.frames.get(own)
        if like is None:
            return None
        text = self.changes.get(command, str)(like.payload.decode())
        made = frame(lab(), like.device, command, text)
        return replace(made, identity=like.identity, time=like.time)

    def repeated(self) -> list[list[Run]]:
        steps = ([self.firsts.get(one) for one in step] for step in self.asked)
        return [[one for one in step if one] for step in steps if any(step)]


def measured(launcher: Twice, past: Past | None = None) -> EvidenceStore:
    store = EvidenceStore()
    for one in evidence("healthy"):
        if not one.command.startswith("probe collective"):
            store.add([one])
    devices = frozenset(lab().devices)
    collective_run.run(lab(), devices, launcher, store, lambda _: None, past or {})
    return store


def found(store: EvidenceStore, past: Past | None = None) -> dict[str, Finding]:
    devices = frozenset(lab().devices)
    told = validate(lab(), 70, store, None, devices, leave_out=OTHERS, history=past or {})
    return {one.expectation: one for one in told.findings if one.stage == 70}


def bad(findings: Mapping[str, Finding]) -> dict[str, Verdict]:
    return {name: one.verdict for name, one in findings.items() if one.verdict != Verdict.PASS}


def test_what_was_slow_once_runs_again_alone_and_passes_with_the_second_figure():
    launcher = Twice(slowed, str)
    findings = found(measured(launcher))
    assert [[one.id for one in step] for step in launcher.repeated()] == [[HURT]]
    assert bad(findings) == {}
    figure, healthy = findings[LARGE].figure, found(evidence("healthy"))[LARGE].figure
    assert figure == healthy


@pytest.mark.parametrize("is_twice", [False, True])
def test_what_was_too_fast_once_runs_again_and_twice_proves_nothing(is_twice):
    """A shaper lets a sender that waited send faster than its line for a while."""
    fast = partial(slowed, times=0.02)
    launcher = Twice(fast, fast if is_twice else str)
    findings = found(measured(launcher))
    assert [[one.id for one in step] for step in launcher.repeated()] == [[HURT]]
    assert bad(findings) == ({LARGE: Verdict.INCONCLUSIVE} if is_twice else {})


def test_what_is_slow_twice_fails():
    launcher = Twice(slowed, slowed)
    assert bad(found(measured(launcher))) == {LARGE: Verdict.FAIL}
    assert len(launcher.repeated()) == 1


def test_without_the_evidence_of_the_second_time_the_first_one_counts():
    store = EvidenceStore()
    store.add(one for one in measured(Twice(slowed, str)) if "collective again" not in one.command)
    assert bad(found(store)) == {LARGE: Verdict.FAIL}


def test_a_second_time_that_left_nothing_clears_nobody():
    assert bad(found(measured(Twice(slowed, lambda _: "mpirun: killed\n")))) == {
        LARGE: Verdict.FAIL
    }


def test_wrong_data_fails_at_once_and_also_the_second_time():
    """A right result later clears nobody; a wrong one later is as bad as one at first."""
    at_once = Twice(damaged, str)
    findings = found(measured(at_once))
    assert at_once.repeated() == []
    assert findings[LARGE].verdict is Verdict.FAIL
    later = found(measured(Twice(slowed, damaged)))
    assert later[LARGE].verdict is Verdict.FAIL
    assert "7 elements" in later[LARGE].found


@pytest.mark.parametrize("is_slow_again", [False, True])
def test_what_is_below_its_own_past_runs_again_too(is_slow_again, monkeypatch):
    """Fast enough for the plan both times; it was a quarter faster in earlier runs."""
    # MPI over a busy host's kernel is not asked for a trend; NCCL is.
    monkeypatch.setattr(Terms, "trend_of", lambda *_: 0.1)
    healthy = found(evidence("healthy"))[LARGE].figure
    assert healthy
    past = {LARGE: (Figure(healthy.value * 1.25, healthy.unit, healthy.terms),) * 3}

    def faster(text: str) -> str:
        return text if is_slow_again else slowed(text, 0.8)

    launcher = Twice(str, faster)
    findings = found(measured(launcher, past), past)
    assert [[one.id for one in step] for step in launcher.repeated()] == [[HURT]]
    assert bad(findings) == ({LARGE: Verdict.FAIL} if is_slow_again else {})


def test_of_two_jobs_at_once_both_run_again_beside_each_other():
    job = next(one for one in runs(lab()) if one.kind == JOBS)
    launcher = Twice(slowed, str, job.id)
    assert bad(found(measured(launcher))) == {}
    (step,) = launcher.repeated()
    assert [one.kind for one in step] == [JOBS, JOBS]


def test_where_most_runs_are_bad_it_was_no_chance_and_nothing_runs_again():
    plan = gpus()
    everywhere = done(plan, dict.fromkeys(plan.node, 0.4))

    def carry(step: Step) -> dict[str, Table | None]:
        raise AssertionError(step)

    assert again(plan, everywhere, {}, carry) == {}
    assert again(plan, done(plan), {}, carry) == {}


def test_a_step_of_second_runs_shares_no_node_and_holds_runs_of_a_kind():
    plan = gpus()
    node = sorted(plan.node)[4]
    slow = done(plan, {node: 0.4})
    steps = repeats(slow, {})
    assert {one.id for step in steps for one in step} >= {
        one.run.id for one in slow if node in one.run.nodes and len(one.run.nodes) > 1
    }
    for step in steps:
        busy = [name for one in step for name in one.nodes]
        assert len(busy) == len(set(busy))
        assert len({(one.kind, one.collective, len(one.nodes)) for one in step}) == 1


def test_a_second_run_has_a_name_of_its_own():
    every = runs(gpus())
    names = {one.launch.command for one in every}
    names |= {second(gpus(), one).launch.command for one in every}
    assert len(names) == 2 * len(every)
    a_run = every[0]
    assert table(second(gpus(), a_run), 1.0).ranks == table(a_run, 1.0).ranks
