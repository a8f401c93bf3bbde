"""Stage 70: whose data is wrong, by halving; and that the judge finds the runner's search again."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from deploy.loads import s70_collectives_run as collective_run
from deploy.loads.launch import Launcher
from tests.validation.healthy import frame
from tests.validation.recorded import lab
from validation.evidence.store import EvidenceStore, Frame
from validation.parse.loads.collective_rows import Table
from validation.stages.s70_collectives.launch import Launch
from validation.stages.s70_collectives.runs import Run
from validation.stages.s70_collectives.search import damagers
from validation.verdict import Finding, Verdict

from .test_collectives import done, evidence, gpus, judge, table


def wrong_with(*nodes: str) -> tuple[list[Run], Mapping[str, Table | None]]:
    """Runs of all collectives with any of these nodes, whose data is wrong."""
    bad = [one.run for one in done(gpus()) if set(one.run.nodes) & set(nodes)]
    return [one for one in bad if len(one.nodes) > 1], {}


def search(*nodes: str, hides_in: frozenset[str] = frozenset()) -> dict[str, object]:
    """The search where `nodes` damage data, but not in collectives that are named."""

    def carry(step: tuple[Run, ...]) -> dict[str, Table | None]:
        return {one.id: None if set(one.nodes) & set(nodes) else table(one, 380) for one in step}

    is_wrong = {one.id for one in wrong_with(*nodes)[0] if one.collective not in hides_in}
    found = done(gpus())
    wrong = [one.run for one in found if one.run.id in is_wrong]
    right = [one for one in found if one.run.id not in is_wrong]
    return dict(damagers(gpus(), right, wrong, carry))


def test_one_node_of_twelve_that_damages_data_is_found():
    for name in gpus().node:
        assert search(name)["hgx-h100"].suspects == ((name,),)  # type: ignore[attr-defined]


def test_right_runs_of_other_collectives_clear_nobody():
    """It damages what alltoall moves and not what the rings do: the group is bad all the same."""
    rings = frozenset({"all_reduce", "all_gather", "reduce_scatter"})
    name = sorted(gpus().node)[4]
    assert search(name, hides_in=rings)["hgx-h100"].suspects == ((name,),)  # type: ignore[attr-defined]


def test_two_that_damage_data_are_both_found():
    one, other = sorted(gpus().node)[1], sorted(gpus().node)[10]
    assert search(one, other)["hgx-h100"].suspects == ((one,), (other,))  # type: ignore[attr-defined]


def test_nothing_is_searched_where_nothing_is_wrong_or_one_node_alone_is():
    def carry(step: tuple[Run, ...]) -> dict[str, Table | None]:
        raise AssertionError

    assert damagers(gpus(), done(gpus()), [], carry) == {}
    alone = next(one.run for one in done(gpus()) if len(one.run.nodes) == 1)
    assert damagers(gpus(), done(gpus()), [alone], carry) == {}


# -- the lab's healthy run, with wrong elements wherever one node takes part ----------------------


def damaged(one: Frame, nodes: tuple[str, ...], by: str) -> Frame:
    text = one.payload.decode()
    if by in nodes:
        text = re.sub(r"wrong 0( sent \d+\n\S*end)", r"wrong 7\1", text)
    made = frame(lab(), one.device, one.command, text)
    return replace(made, identity=one.identity, time=one.time)


class Damaging(Launcher):
    """Answers with the healthy run of the same nodes, damaged where `by` is among them."""

    def __init__(self, by: str, without: str = "nothing") -> None:
        self.by, self.without, self.frames = by, without, list(evidence("healthy"))

    def run(self, launches: Sequence[Launch], store: EvidenceStore) -> Mapping[str, str]:
        store.add(self._frame(one) for one in launches if self.without not in one.command)
        return {}

    def _frame(self, asked: Launch) -> Frame:
        for one in self.frames:
            if one.command == asked.command:
                return damaged(one, asked.nodes, self.by)
        return self._of_search(asked)

    def _of_search(self, asked: Launch) -> Frame:
        """A pair that no planned step has: the large row of a recorded pair, by other names."""
        like = next(
            one
            for one in self.frames
            if "all_reduce" in one.command and "node-p1-1..node-p1-2" in one.command
        )
        lines = like.payload.decode().splitlines()
        head = lines[1].replace("sizes 3", "sizes 1")
        text = "\n".join(
            [lines[0], head, *lines[2:4], lines[6], lines[7].replace("end 3", "end 1"), ""]
        )
        for old, new in zip(("node-p1-1", "node-p1-2"), ("@0", "@1"), strict=True):
            text = text.replace(old, new)
        for old, new in zip(("@0", "@1"), asked.nodes, strict=True):
            text = text.replace(old, new)
        own = next(one for one in self.frames if one.device == asked.nodes[0])
        made = replace(own, command=asked.command, payload=text.encode(), time=like.time)
        return damaged(made, asked.nodes, self.by)


@pytest.mark.parametrize("by", ["node-p1-1", "node-p2-2"])
def test_the_node_is_named_from_what_ran_anyway(by):
    """Two jobs at once are other pairs: each node meets two, and nothing more need be run."""
    store = ran(Damaging(by))
    assert not any("probe collective wrong" in one.command for one in store)
    found = not_passed(store)
    assert {one.verdict for one in found} == {Verdict.FAIL}
    assert {one.suspect for one in found} == {f"device {by}"}
    assert all("is wrong, " in one.found for one in found)


@pytest.mark.parametrize("by", ["node-p1-1", "node-p2-2"])
def test_where_more_must_run_the_judge_finds_the_search_again(by):
    store = ran(Damaging(by, without=" two-jobs "))
    assert any("probe collective wrong1" in one.command for one in store)
    found = [one for one in not_passed(store) if "two-jobs" not in one.expectation]
    assert {(one.verdict, one.suspect) for one in found} == {(Verdict.FAIL, f"device {by}")}
    lost = EvidenceStore()
    lost.add(one for one in store if "collective wrong" not in one.command)
    vague = [one for one in not_passed(lost) if "two-jobs" not in one.expectation]
    assert {one.verdict for one in vague} == {Verdict.FAIL}
    assert len(vague) == len(found)
    assert all(one.suspect.startswith("nodes ") for one in vague)


def ran(launcher: Damaging) -> EvidenceStore:
    store = EvidenceStore()
    collective_run.run(lab(), frozenset(lab().devices), launcher, store, lambda _: None, {})
    return store


def not_passed(store: EvidenceStore) -> list[Finding]:
    return [one for one in judge(store).values() if one.verdict is not Verdict.PASS]
