"""Drills that a run was cut off in: the next run sees them in the record, and ends them.

The switch's own timer has done it by then, or will; who asks at once need not wait for it.
"""

from __future__ import annotations

import time
from contextlib import closing

from deploy.context import Context
from deploy.errors import RefusedError
from deploy.record.journal import DRILL, Record
from deploy.record.rows import ChangeRow
from deploy.rollout.preconditions import deployable
from deploy.switches.push_device import PushDevice
from deploy.switches.push_flow import Push
from deploy.switches.push_result import TAKEN_BACK
from deploy.switches.push_session import PushStopped
from switch_configs import dialect
from switch_configs.intent import Impact
from validation.evidence.gather import Ask, Transport, gather
from validation.stages.s80_soak.drills import drills

from .guarded_drill import PACE, Held, Pushing, over_ssh
from .shell_drain import drains_by_shell

WAVE = "a drill that was cut off"


def end_cut_off(
    context: Context, transport: Transport, record: Record, run: int, pushing: Pushing = over_ssh
) -> None:
    """End every drill that nobody saw end; one that goes on now, in another run, is left alone."""
    for name, begun in record.cut_off_drills().items():
        if name not in context.plan.switch:
            continue
        try:
            record.lock(run, [name])
        except RefusedError as error:
            context.say(error.message)
            continue
        try:
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
    plan = context.plan
    same = (one for one in drills(plan, deployable(plan)) if begun.endswith(one.id))
    drill = next(same, None)
    by_shell = drill is not None and (not drill.guarded or drains_by_shell(plan, drill))
    if dialect(plan.switch[name].dialect).drills_by_push and not by_shell:
        return taken_back(pushing(context, name, True, PACE, Held(lambda: None)))
    if drill is None:
        return f"the plan has no such drill any more: {begun}"
    # It may be back already: then there is nothing to restore, and that is refused.
    text = f"{drill.restore} || true"
    return gather(plan, transport, {name: [Ask("restore", text)]}).errors.get(name, "")


def taken_back(push: Push) -> str:
    """End what nobody confirmed on its switch, and change nothing; why it is not seen to end."""
    device = PushDevice(
        push.context.plan, push.switch, push.dialect, push.new, push.connect, push.secrets,
        push.cli,
    )  # fmt: skip
    limit_s = push.pace.window_s + push.pace.boot_s
    deadline = time.monotonic() + limit_s
    while True:
        try:
            with closing(device.open()) as session:
                if not (pending := device.pending(session)):
                    return ""
                device.undo(session, pending, limit_s)
                why = f"an unconfirmed push ({pending}) does not go back"
        except PushStopped as error:
            why = str(error)
        if time.monotonic() > deadline:
            return why
        time.sleep(push.pace.poll_s)
