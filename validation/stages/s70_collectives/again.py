"""A run that is not as good as asked runs a second time before anybody is blamed. Pure.

Iterations that waited for a busy core, or for a job that was just ending, are no fault of a
fabric; what is slow twice is. A sender that waited may be too fast afterwards (a shaper's bucket
has filled), which proves nothing: it runs again too. Wrong data is not asked again: a right result
later clears nobody.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from inventory.plan import Plan
from validation.judging.past import Past, earlier
from validation.parse.loads.collective_rows import Table

from .expect import expectation_of
from .judge import Done, judged
from .runs import AGAIN, JOBS, Run, Step, run
from .search import Carry

MOST = 0.5  # of all runs: where more are bad, it was no chance


def second(plan: Plan, one: Run) -> Run:
    """The same once more, under a name of its own."""
    return run(plan, f"{AGAIN}-{one.kind}", one.collective, one.nodes, one.sizes)


def again(plan: Plan, done: Sequence[Done], past: Past, carry: Carry) -> dict[str, Table | None]:
    """What the second time showed, by the first run's id; None where the result was wrong.

    `carry` brings the tables of a step's runs, by the run's id, as far as there are any.
    """
    found: dict[str, Table | None] = {}
    for step in repeats(done, past):
        seconds = {one.id: second(plan, one) for one in step}
        tables = carry(tuple(seconds.values()))
        found |= {name: tables[two.id] for name, two in seconds.items() if two.id in tables}
    return found


def repeats(done: Sequence[Done], past: Past) -> tuple[Step, ...]:
    """What was bad, in its order, and both jobs where one of two was; a step shares no node."""
    bad = {one.run.id for one in done if _is_bad(one, done, past)}
    if len(bad) > MOST * len(done):
        return ()
    beside = {one.run.profile for one in done if one.run.kind == JOBS and one.run.id in bad}
    steps: list[list[Run]] = []
    for one in (one.run for one in done):
        if one.id not in bad and not (one.kind == JOBS and one.profile in beside):
            continue
        if steps and _fits(one, steps[-1]):
            steps[-1].append(one)
        else:
            steps.append([one])
    return tuple(map(tuple, steps))


def counted(done: Iterable[Done], found: Mapping[str, Table | None]) -> tuple[Done, ...]:
    """What counts: the second time where there is one; not at all where that was wrong."""
    tables = ((one.run, found.get(one.run.id, one.table)) for one in done)
    return tuple(Done(run, table) for run, table in tables if table is not None)


def _is_bad(one: Done, done: Sequence[Done], past: Past) -> bool:
    command = one.run.launch.command
    says = (
        judged(one, size, done, earlier(past, expectation_of(one.run, size), command))
        for size in one.run.sizes
    )
    return any(one.bad or one.is_too_fast for one in says)


def _fits(one: Run, step: Sequence[Run]) -> bool:
    like = step[0]
    is_like = (one.kind, one.collective, len(one.nodes)) == (
        like.kind,
        like.collective,
        len(like.nodes),
    )
    return is_like and all(set(one.nodes).isdisjoint(other.nodes) for other in step)
