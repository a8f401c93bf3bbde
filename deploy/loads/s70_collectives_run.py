"""Runs collectives through a launcher: every planned step, then the search for stragglers."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from deploy.loads.loading import Loading
from deploy.loads.mpi_run import MpiOverSsh
from inventory.plan import Plan
from inventory.reading.fields import Unreadable
from validation.evidence.store import EvidenceStore
from validation.judging.past import Past
from validation.parse.loads.collective_rows import Table, WrongResult
from validation.stages.s70_collectives.again import again, counted
from validation.stages.s70_collectives.judge import Done
from validation.stages.s70_collectives.result import read
from validation.stages.s70_collectives.runs import WRONG, Run, Step, steps
from validation.stages.s70_collectives.search import damagers, stragglers

from .launch import Launcher


def run(
    plan: Plan,
    configured: frozenset[str],
    launcher: Launcher,
    store: EvidenceStore,
    say: Callable[[str], None],
    past: Past,
) -> None:
    """Every step that can run once `configured` is in place, and what it leads to.

    `past` has the figures of earlier runs: what is below its own runs again. Nodes that took no
    part are kept as silent, with the reason; later steps try them again.
    """
    todo = steps(plan, configured)
    silent: dict[str, str] = {}

    def launch(step: Step) -> dict[str, Table | None]:
        silent.update(launcher.run([one.launch for one in step], store))
        return {one.id: table for one, table in results(store, step)}

    def repeat(step: Step) -> dict[str, Table | None]:
        say(f"once more: {step[0].collective}, {_groups(step)}")
        return launch(step)

    def search(step: Step) -> dict[str, Table | None]:
        what = "wrong" if step[0].kind.startswith(WRONG) else "slow"
        say(f"looking for what is {what}: {_groups(step)}")
        return launch(step)

    try:
        for number, step in enumerate(todo, 1):
            one = step[0]
            say(f"{number} of {len(todo)}: {one.collective}, {len(step)} x {len(one.nodes)} nodes")
            launch(step)
        found = results(store, (one for step in todo for one in step))
        first = [Done(one, table) for one, table in found if table is not None]
        later = again(plan, first, past, repeat)
        done = counted(first, later)
        stragglers(plan, done, search)
        wrong = [one for one, table in found if later.get(one.id, table) is None]
        damagers(plan, done, wrong, search)
    finally:
        store.silent.update(sorted(silent.items()))
        store.save()


def _groups(step: Step) -> str:
    return ", ".join(f"{one.nodes[0]} to {one.nodes[-1]}" for one in step)


def results(store: EvidenceStore, runs: Iterable[Run]) -> list[tuple[Run, Table | None]]:
    """The runs of a store that can be read, None where the result was wrong.

    The stage says what is wrong with the rest.
    """
    found: list[tuple[Run, Table | None]] = []
    for one in runs:
        frame = store.get(one.nodes[0], one.launch.command)
        if frame is None:
            continue
        text = frame.payload.decode("utf-8", "replace")
        try:
            found.append((one, read(one, frame.exit_status, text, frame.errors)))
        except WrongResult:
            found.append((one, None))
        except Unreadable:
            continue
    return found


def load(loading: Loading) -> None:
    """Run the stage by Open MPI over SSH."""
    plan, say = loading.context.plan, loading.context.say
    launcher = MpiOverSsh(plan, loading.transport)
    run(plan, loading.configured, launcher, loading.store, say, loading.past)
