"""A trial on a switch of a site: opened, locked, on record, its transcript written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from deploy.backups.taken import before_run
from deploy.context import Context, no_journal
from deploy.errors import RailbedError
from deploy.record import file as record_file
from deploy.record.journal import Record
from deploy.record.rows import ChangeRow
from deploy.record.under_way import recording, under_way
from deploy.rollout.fabric_check import FabricCheck
from deploy.rollout.gatekeeper import Gatekeeper
from deploy.rollout.oob.way_check import way_check
from deploy.rollout.preconditions import is_pushed
from deploy.rollout.survey import survey
from deploy.rollout.switch_wave import Works, window_s
from deploy.session import Selection, open_context, open_plan, require_up
from deploy.switches.push_result import OLD_AGAIN
from deploy.switches.push_session import FabricProof, Pace
from deploy.switches.switch_push import push_of
from deploy.switches.transcript import Recorder, Trial, write
from deploy.switches.typed_run import way
from inventory.oob.paths import cut_off
from inventory.plan import Plan
from inventory.problems import close_to
from validation.evidence.gather import Transport

from .push_trial import PushTrial

WAVE = "push trial"
# Not whether it runs its plan (25): the trial says otherwise on purpose.
STAGES = frozenset({20, 40})


@dataclass(frozen=True, slots=True)
class TrialResult:
    """How a trial ended, and the file that has all that was said."""

    trial: Trial
    transcript: Path


def try_device(
    selection: Selection, device: str, ask: Callable[[str], bool], say: Callable[[str], None]
) -> TrialResult:
    """Try the safe push on one switch; see `PushTrial`.

    RailbedError, or another ExpectedError, where no trial can begin; then nothing was sent.
    """
    require_up(selection)
    plan = open_plan(selection)
    _refuse_unable(plan, device)
    context = open_context(selection, say, no_journal, plan)
    names = {device, *cut_off(plan, [device])}
    with recording(context) as record, under_way(context, record, names) as run:
        result = tried(context, way(context), record, run.id, device, ask)
        run.outcome = f"trial of {device}: {'passed' if result.trial.passed else 'not passed'}"
    return result


def tried(
    context: Context,
    transport: Transport,
    record: Record,
    run: int,
    device: str,
    ask: Callable[[str], bool],
) -> TrialResult:
    """The trial, in a run that has begun and holds the lock."""
    began = record_file.now()
    pace = Pace(window_s=window_s(context.plan, device))
    works = _works(context, transport, record, run, device)
    keep = before_run(context, run)
    push = push_of(context, device, False, lambda _: (), pace, works, snapshot=keep)
    recorder = Recorder(push.dialect.fetch_command(), push.secrets.hidden)
    reach = push.connect
    push = replace(push, connect=lambda: recorder.over(reach()))
    trial = PushTrial(push, recorder, ask, context.say)

    def note(detail: str) -> None:
        record.change(run, ChangeRow(WAVE, device, "undo", "", "runtime", "", "", detail))

    note("begins: a trial, which is taken back")
    passed = False
    try:
        passed = trial.run()
    finally:
        if trial.is_as_before:
            note(OLD_AGAIN)
        one = context.plan.any_switch[device]
        parts, said = tuple(trial.parts), tuple(recorder.exchanges)
        made = Trial(device, one.dialect, one.release, began, passed, parts, said)
        path = write(context.state_dir, made)
    return TrialResult(made, path)


def _works(
    context: Context, transport: Transport, record: Record, run: int, device: str
) -> FabricProof:
    """What worked through the switch before the trial, and does not at its end."""
    keeper = Gatekeeper(context, transport, record, run)
    keeper.remember_what_worked(survey(context, transport))
    check: Works = FabricCheck(keeper, WAVE, frozenset(), STAGES)
    if device in context.plan.oob_switch:
        check = way_check(keeper, [device], FabricCheck(keeper, WAVE, frozenset(), STAGES))

    def missing(deadline: float, *, whole: bool) -> tuple[str, ...]:  # noqa: ARG001
        return check.missing(device, deadline, whole=False)

    return missing


def _refuse_unable(plan: Plan, device: str) -> None:
    """RailbedError where it is no switch that a run could push to."""
    if device not in plan.any_switch:
        hint = close_to(device, plan.any_switch) or "`railbed plan` lists them"
        raise RailbedError(f"{plan.site} has no switch '{device}'", hint=hint)
    if device in plan.undeployable:
        raise RailbedError(
            f"{device} has no as-built row", hint="see `railbed asbuilt import --help`"
        )
    if not is_pushed(plan.any_switch[device].dialect):
        raise RailbedError(f"railbed cannot push to {plan.any_switch[device].dialect} switches")
