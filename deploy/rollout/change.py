"""`apply` and `diff` for one selection: open, lock, run, close, report."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from deploy.context import Context, no_journal
from deploy.differences import keep
from deploy.errors import RailbedError
from deploy.record.journal import REFUSED, Record
from deploy.record.under_way import UnderWay, recording, under_way
from deploy.report.files import write_story
from deploy.session import Selection, open_context, open_plan, require_up
from deploy.switches.transcript import on_record
from deploy.switches.typed_run import way
from inventory.oob.paths import cut_off

from . import saved_plan
from .ordered import order_since, refuse_wrong_waves
from .preconditions import refuse_unable, refuse_unproved, untried
from .reached import reached
from .runbook import ApplyResult, preview, rollout, waves_of
from .supply import prepare
from .survey import Survey, explained, survey
from .switch_wave import asked_for

Say = Callable[[str], None]


def survey_site(selection: Selection, say: Say, *, whole: bool = False) -> Survey:
    """Ask every device, change nothing; `whole` as `survey`."""
    context = open_context(selection, say, no_journal)
    transport = way(context)
    found = survey(context, transport, whole=whole)
    return explained(context, transport, found, whole=whole)


def save_site(selection: Selection, only: str, path: Path, say: Say) -> saved_plan.SavedPlan:
    """Ask every device, change nothing, and write what would change into a file."""
    context = _able_context(selection, only, say)
    transport = way(context)
    found = explained(context, transport, survey(context, transport))
    told: tuple[str, ...] = ()
    if found.differences:
        with closing(Record(context.state_dir / "record.sqlite")) as known:
            waves = waves_of(context.plan, only)
            told = order_since(context.plan, context.state_dir, known, waves)
    made = saved_plan.saved_plan(context.plan.site, selection.lab, only, found, told)
    saved_plan.write(made, path)
    return made


def apply_site(
    selection: Selection,
    only: str,
    dry_run: bool,
    say: Say,
    *,
    every_role: bool = False,
    saved: Path | None = None,
    accept_loss: bool = False,
    parallel: int | None = None,
    loads: bool = True,
) -> ApplyResult:
    """Preview or roll out; the record is closed and the report written in any case.

    Unless `accept_loss`, waves that lead through a state in which jobs lose packets are refused,
    and a switch not seen idle, though drained, is not changed. `every_role` also runs roles that
    already are as planned. A `saved` plan is applied only while plan and devices are as then.
    `parallel` switches are changed at once at most. Without `loads` the last gate loads no link:
    what its stages ask stays unmeasured, and the next run asks it.
    """
    at_once = asked_for(parallel)
    if saved and every_role:
        why = "--all runs what the saved plan does not name"
        raise RailbedError(why, hint="leave out one of both")
    promise = saved_plan.read(saved) if saved else None
    step = promise.only if promise else only
    able = _able_context(selection, step, say, supplied=not dry_run)
    context = replace(able, at_once=at_once, loads=loads)
    plan = context.plan
    if promise is not None:
        saved_plan.refuse_other(promise, plan.site, selection.lab, only, plan.digest)
        only = promise.only
    transport = way(context)
    devices = _devices(context, only)
    if dry_run:
        return preview(context, transport, only, promise)
    pages: list[Path | None] = []

    def ended(run: UnderWay) -> None:
        """The last report stays that of a run that did something."""
        if not run.outcome.startswith(REFUSED):
            pages.append(write_story(context, run.record, run.id))

    with recording(context) as record, under_way(context, record, devices, ended) as run:
        if not accept_loss:
            lost = refuse_wrong_waves(plan, context.state_dir, record, waves_of(plan, only))
            if lost:
                say(lost)
        keep(context.site, context.state_dir, plan.digest, _held(record))
        result = rollout(
            context, transport, record, run.id, only,
            every_role=every_role, saved=promise, accept_loss=accept_loss,
        )  # fmt: skip
        run.outcome = result.outcome
    return replace(result, report=pages[0] if pages else None)


def _held(record: Record) -> frozenset[str]:
    """The plans that devices are at; none are known where the record is damaged."""
    try:
        return reached(record).plans
    except RailbedError:
        return frozenset()


def _able_context(selection: Selection, only: str, say: Say, *, supplied: bool = True) -> Context:
    """The context of a run, once nothing about the site speaks against a rollout of this step.

    `supplied` makes keys and packages ready. What was rendered for the proof serves the whole run,
    unless the supplies made another plan.
    """
    require_up(selection)
    plan = open_plan(selection)
    waves = waves_of(plan, only)
    refuse_unable(plan, only, waves)
    names = [name for wave in waves for name in wave.devices]
    for told in untried(plan, names, on_record(selection.state_dir)):
        say(told)
    rendered = refuse_unproved(plan)
    ready = prepare(selection, say, plan) if supplied else plan
    return open_context(selection, say, no_journal, ready, rendered if ready is plan else {})


def _devices(context: Context, only: str) -> set[str]:
    """What a run may change or cut off; nodes get their packages from the OOB server."""
    chosen = {name for wave in waves_of(context.plan, only) for name in wave.devices}
    chosen |= cut_off(context.plan, chosen)
    return chosen | ({context.plan.oob.name} if only == "nodes" else set())
