"""The collectives as far as evidence shows them: what a judge compares one run with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from testinfra.host import Host

from validation.locating.bisection import Named
from validation.locating.view import View
from validation.parse.loads.collective_rows import Table, WrongResult

from .again import again, counted, second
from .expect import CollectiveExpected
from .judge import Done
from .result import read
from .runs import Run, Step
from .search import damagers, stragglers

_KEY = "collectives"


@dataclass(frozen=True)
class Seen:
    """Every run that can be read, and what the searches came to, by profile.

    `named` holds slow groups back, `damaging` is in those whose data is wrong. `again` are the
    second runs of those that were bad at first, by the first one's id: they count.
    """

    done: tuple[Done, ...]
    again: dict[str, Run]
    named: dict[str, Named]
    damaging: dict[str, Named]


def answer(host: Host, one: Run) -> Table:
    """What a launch left with its first node."""
    told = host.run(one.launch.command)
    return read(one, told.rc, str(told.stdout), str(told.stderr))


def seen(view: View) -> Seen:
    """All of it, read once for a round of judging."""
    return view.once(_KEY, partial(_seen, view))


def _seen(view: View) -> Seen:
    runs = {one.run.id: one.run for one in view.wanted if isinstance(one, CollectiveExpected)}
    found = _look(view, runs.values())
    first = tuple(Done(one, table) for one, table in found if table is not None)
    carry = partial(_tables, view)
    later = again(view.plan, first, view.past, carry)
    done = counted(first, later)
    wrong = [one for one, table in found if later.get(one.id, table) is None]
    slow = stragglers(view.plan, done, carry)
    damaging = damagers(view.plan, done, wrong, carry)
    return Seen(done, {name: second(view.plan, runs[name]) for name in later}, slow, damaging)


def _tables(view: View, step: Step) -> dict[str, Table | None]:
    return {one.id: table for one, table in _look(view, step)}


def _look(view: View, runs: Iterable[Run]) -> list[tuple[Run, Table | None]]:
    """The runs that ran whole, with None where the result was wrong."""
    found = ((run, view.look(run.nodes[0], partial(_right, one=run))) for run in runs)
    return [(one, told[0]) for one, told in found if told is not None]


def _right(host: Host, one: Run) -> tuple[Table | None]:
    try:
        return (answer(host, one),)
    except WrongResult:
        return (None,)
