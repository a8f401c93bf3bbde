"""Drills that a run was cut off in: the next run sees them in the record, and ends them.

The switch's own timer has done it by then, or will; who asks at once need not wait for it.
"""

from __future__ import annotations

import time
from contextlib import closing

from deploy.context import Context
from deploy.errors import RefusedError
from deploy.record.journal import BEGINS, DRILL, Record
from deploy.record.rows import ChangeRow
from deploy.switches.push_device import PushDevice
from deploy.switches.push_flow import Push
from deploy.switches.push_result import TAKEN_BACK
from deploy.switches.push_session import PushStopped
from inventory.problems import ExpectedError
from switch_configs import dialect, is_typed
from switch_configs.intent import Impact
from validation.evidence.gather import Transport

from .guarded_drill import PACE, Held, Pushing, over_ssh
from .shell_drain import end_by_shell

WAVE = "a drill that was cut off"


def end_cut_off(
    context: Context, transport: Transport, record: Record, run: int, pushing: Pushing = over_ssh
) -> None:
    """End every drill that nobody saw end; one that goes on now, in another run, is left alone.

    Whatever hinders that is told, and does not end this run.
    """
    for name in record.cut_off_drills():
        if name not in context.plan.switch:
            continue
        try:
            record.lock(run, [name])
        except RefusedError as error:
            context.say(error.message)
            continue
        try:
            # Whoever held it may have ended it since.
            if (begun := record.cut_off_drills().get(name)) is None:
                continue
            context.say(f"a drill of {name} was cut off: it is ended now ...")
            why = _ended(context, transport, name, begun, pushing)
            _note(record, run, name, begun, why)
            context.say(f"{name}: {why}" if why else f"{name}: nothing of the drill is left")
        finally:
            record.unlock(run)


def _note(record: Record, run: int, name: str, begun: str, why: str) -> None:
    wave, phase, detail = (DRILL, DRILL, begun) if why else (WAVE, "undo", TAKEN_BACK)
    impact: Impact = "none" if why else "link flap"
    record.change(run, ChangeRow(wave, name, phase, "", impact, "", "", detail))


def _ended(context: Context, transport: Transport, name: str, begun: str, pushing: Pushing) -> str:
    """Why it is not known to have ended; "" where it has."""
    drill_id, system = begun.removeprefix(BEGINS), context.plan.switch[name].dialect
    is_push = is_typed(system) or not drill_id.startswith("drain:")
    try:
        if dialect(system).drills_by_push and is_push:
            return taken_back(pushing(context, name, True, PACE, Held(lambda: None)))
        return end_by_shell(context.plan, transport, name, drill_id)
    except ExpectedError as error:
        return error.message


def taken_back(push: Push) -> str:
    """End what nobody confirmed on its switch, and change nothing; why it is not seen to end.

    Nobody waits for a switch before it was told to end something.
    """
    device = PushDevice(
        push.context.plan, push.switch, push.dialect, push.new, push.connect, push.secrets,
        push.cli,
    )  # fmt: skip
    limit_s = push.pace.window_s + push.pace.boot_s
    deadline, is_told = time.monotonic() + limit_s, False
    while True:
        try:
            with closing(device.open()) as session:
                if not (pending := device.pending(session)):
                    return ""
                is_told = True
                device.undo(session, pending, limit_s)
                why = f"an unconfirmed push ({pending}) does not go back"
        except PushStopped as error:
            why = str(error)
        if not is_told or time.monotonic() > deadline:
            return why
        time.sleep(push.pace.poll_s)
