"""Who holds groups back or damages their data: extra runs of large all_reduce, by halving. Pure.

What runs next follows from the results so far alone, so a judge finds the same search again in
saved evidence that the runner made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from inventory.plan import Node, Plan
from validation.locating.bisection import Group, Named, Ran, Result, next_groups
from validation.parse.loads.collective_rows import Table

from .groups import classes
from .judge import LARGE, Done, ran, slow
from .runs import SEARCH, WRONG, Run, Step, run

COLLECTIVE = "all_reduce"
MOST_STEPS = 24  # twice log2 of 4,096 nodes
# None: its result was wrong. A run that left nothing is not there.
Carry = Callable[[Step], Mapping[str, Table | None]]


def stragglers(plan: Plan, done: Sequence[Done], carry: Carry) -> dict[str, Named]:
    """What the search came to, by node profile; a profile without a slow group is left out."""
    found = {nodes[0].profile: search(plan, nodes, done, carry) for nodes in classes(plan)}
    return {profile: named for profile, named in found.items() if named is not None}


def search(plan: Plan, nodes: Sequence[Node], done: Iterable[Done], carry: Carry) -> Named | None:
    """Who holds the slow groups of these nodes back; None where none is slow, or nothing is known.

    `carry` brings the tables of a step's runs, by the run's id, as far as there are any.
    """
    names = [node.name for node in nodes]
    mine = [one for one in done if _counts(one.run) and set(one.run.nodes) <= set(names)]
    if not any(slow(one, mine) for one in mine):
        return None
    found, lost = list(mine), Counter[Group]()

    def told(step: Step, tables: Mapping[str, Table | None]) -> tuple[Ran, ...]:
        for one in step:
            table = tables.get(one.id)
            if table is not None:
                found.append(Done(one, table))
            else:
                lost[one.nodes] += 1
        return ran(found, mine, lost)

    return _halving(plan, names, SEARCH, told, carry)


def damagers(
    plan: Plan, done: Sequence[Done], wrong: Sequence[Run], carry: Carry
) -> dict[str, Named]:
    """The same for wrong data, of whatever collective and size: who is in every such run."""
    found = {}
    for nodes in classes(plan):
        names = [node.name for node in nodes]
        bad = [one for one in wrong if set(one.nodes) <= set(names)]
        good = [one.run for one in done if set(one.run.nodes) <= set(names)]
        if (named := _damager(plan, names, good, bad, carry)) is not None:
            found[nodes[0].profile] = named
    return found


def _damager(
    plan: Plan, names: Sequence[str], good: Sequence[Run], bad: Sequence[Run], carry: Carry
) -> Named | None:
    """A group is good where every run of it was right: one may damage now and then."""
    if not any(len(one.nodes) > 1 for one in bad):
        return None
    groups = dict.fromkeys((one.nodes for one in good), Result.GOOD)
    groups |= dict.fromkeys((one.nodes for one in bad), Result.SLOW)
    told = [Ran(group, result) for group, result in groups.items() if len(group) > 1]

    def tell(step: Step, tables: Mapping[str, Table | None]) -> tuple[Ran, ...]:
        for one in step:
            is_wrong = one.id in tables and tables[one.id] is None
            known = Result.SLOW if is_wrong else Result.GOOD
            told.append(Ran(one.nodes, known if one.id in tables else Result.UNKNOWN))
        return tuple(sorted(told))

    return _halving(plan, names, WRONG, tell, carry)


def _halving(
    plan: Plan,
    names: Sequence[str],
    kind: str,
    told: Callable[[Step, Mapping[str, Table | None]], tuple[Ran, ...]],
    carry: Carry,
) -> Named | None:
    """Steps of a search until it has a verdict; None where a step left nothing at all."""
    results = told((), {})
    for number in range(1, MOST_STEPS + 1):
        asked = next_groups(names, results)
        if isinstance(asked, Named):
            return asked
        step = tuple(run(plan, f"{kind}{number}", COLLECTIVE, one, (LARGE,)) for one in asked)
        tables = carry(step)
        if not tables:
            return None
        results = told(step, tables)
    return None


def _counts(one: Run) -> bool:
    return one.collective == COLLECTIVE and one.kind == "group" and len(one.nodes) > 1
