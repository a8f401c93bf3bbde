"""A run that changes something: opened, locked, written down as it goes, and ended in any case."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace

from deploy.context import Context, Journal
from deploy.errors import RefusedError
from inventory.problems import ExpectedError
from switch_configs.intent import Impact

from .journal import DRILL, REFUSED, Record
from .rows import ChangeRow
from .runs import RECORD, remember_plan


@dataclass
class UnderWay:
    """A run on record; what is set as its `outcome` is how it ends, unless an error ends it."""

    record: Record
    id: int
    outcome: str = "failed"


@contextmanager
def recording(context: Context) -> Iterator[Record]:
    """The record of a site, to write into; runs whose owner is dead are closed, and named."""
    with closing(Record(context.state_dir / RECORD)) as record:
        for old in record.close_interrupted():
            context.say(f"run {old.id} ({old.command}) was interrupted; its locks are free")
        yield record


@contextmanager
def under_way(
    context: Context,
    record: Record,
    devices: Iterable[str],
    ended: Callable[[UnderWay], object] = lambda _: None,
) -> Iterator[UnderWay]:
    """A run that holds these devices, and lets go of them however it ends; then `ended`.

    RefusedError where another run holds one.
    """
    run = UnderWay(record, record.begin_run(context.plan.site, context.plan.digest))
    try:
        remember_plan(record, context.plan)
        record.lock(run.id, devices)
        yield run
    except KeyboardInterrupt:
        run.outcome = "interrupted by hand"
        context.say("interrupted; what was done is in the record, run it again to go on")
        raise
    except ExpectedError as error:
        begins = REFUSED if isinstance(error, RefusedError) else "failed"
        run.outcome = f"{begins}: {error.message}"
        raise
    finally:
        record.end_run(run.id, run.outcome)
        ended(run)


def journaled(context: Context, record: Record, run: int, wave: str) -> Context:
    """The context with a journal and a watch that write into the record, under the wave's name."""
    return replace(context, journal=_journal(record, run, wave), timed=record.stopwatch(run, wave))


@contextmanager
def drilling(record: Record, run: int, devices: Iterable[str]) -> Iterator[Journal]:
    """A drill within a run: it holds these devices, as a push does, and is written down.

    RefusedError where another run holds one.
    """
    record.lock(run, devices)
    try:
        yield _journal(record, run, DRILL)
    finally:
        record.unlock(run)


def _journal(record: Record, run: int, wave: str) -> Journal:
    def journal(
        device: str, phase: str, impact: Impact, before: str, after: str, detail: str
    ) -> None:
        record.change(run, ChangeRow(wave, device, phase, "", impact, before, after, detail))

    return journal
