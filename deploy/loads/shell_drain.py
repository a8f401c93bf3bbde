"""A drain from the shell of a switch, held while its ports are counted; how shells end drills.

Its way back is a timer of systemd on the switch, set before it is drained: a push would restart
routing there, and what goes away with that is no drain.
"""

from __future__ import annotations

import logging
import re
import shlex
from collections.abc import Callable

from inventory.plan import Plan
from inventory.reading.fields import Unreadable
from switch_configs import dialect, intent, is_typed
from switch_configs.intent import SwitchIntent
from switch_configs.shown.said import why
from validation.evidence.gather import Ask, Transport, gather
from validation.stages.s80_soak.drills import Drill, drills, unit
from validation.stages.s80_soak.read import up
from validation.stages.s80_soak.terms import drilling, guard
from validation.stages.s80_soak.work import ANEW, back_text

from .guarded_drill import NOT_BACK

LOG = logging.getLogger(__name__)
_LIMIT_S = 60.0
_BEGIN = """\
{anew}
systemd-run -q --on-active={window_s} --timer-property=AccuracySec=1s --unit={unit} \
sh -c {restore} || exit 3
{pull} >/dev/null || {{ {end}; exit 5; }}
"""
# A timer that goes on ends once more what has ended.
_END = "sh -c {restore} >/dev/null && {{ systemctl stop {unit}.timer 2>/dev/null || true; }}"


def drains_by_shell(plan: Plan, drill: Drill) -> bool:
    """Whether its device has a shell, and the drill is a drain."""
    return drill.how == "drain" and not is_typed(plan.switch[drill.device].dialect)


def drain(plan: Plan, transport: Transport, drill: Drill, look: Callable[[], None]) -> str:
    """Drain, `look` meanwhile, end it; "" or why it was not drained, or is not seen to go back."""
    restore, name = shlex.quote(drill.restore), drill.unit
    back = _END.format(restore=restore, unit=name)
    begin = _BEGIN.format(
        anew=ANEW.format(unit=name), window_s=guard().window_s, unit=name, restore=restore,
        pull=drill.pull, end=back,
    )  # fmt: skip
    if wrong := _told(plan, transport, drill.device, "begin", begin):
        ended = _told(plan, transport, drill.device, "end", back)
        return f"{drill.device} {NOT_BACK}: {wrong}" if ended else f"not pulled: {wrong}"
    looked = True
    try:
        look()
    except Exception:  # whatever it was, the switch must not stay drained for it
        LOG.exception("the look at a drill failed")
        looked = False
    if wrong := _told(plan, transport, drill.device, "end", back):
        return f"{drill.device} {NOT_BACK}: {wrong}"
    return "" if looked else "not pulled: nobody could look at it"


def _told(plan: Plan, transport: Transport, device: str, name: str, text: str) -> str:
    """Why the device did not do it; "" where it did."""
    return _last(plan, transport, device, [Ask(name, text, _LIMIT_S)])[1]


def _last(plan: Plan, transport: Transport, device: str, asks: list[Ask]) -> tuple[str, str]:
    """What it answered to the last of these, and why that is no answer."""
    done, last = gather(plan, transport, {device: asks}), asks[-1]
    frame = next((one for one in done.frames if one.command == last.command), None)
    if frame is None:
        return "", done.errors.get(device, "no answer")
    if not frame.exit_status:
        return frame.payload.decode("utf-8", "replace"), ""
    said = why(frame.errors, ours=last.shell)
    return "", f"`{last.command}` ended with status {frame.exit_status}: {said}"


def end_by_shell(plan: Plan, transport: Transport, device: str, drill_id: str) -> str:
    """End a drill that was cut off; "" once the device shows that nothing of it is left, else why.

    What is refused may have ended before, so only what the device shows counts. A timer that goes
    on where the end was refused is left: it tries once more. DialectError as `intent`.
    """
    how, _, at = drill_id.partition(":")
    same = (one.restore for one in drills(plan, frozenset(plan.devices)) if one.id == drill_id)
    undrain = _undrain(plan, device)
    restore = undrain if how == "drain" else next(same, "")
    end = _END.format(restore=shlex.quote(restore), unit=unit(drill_id))
    shown = (
        Ask("running", f"{undrain.partition(' -c ')[0]} -c 'show running-config'", _LIMIT_S)
        if how == "drain"
        else Ask("sessions", back_text(plan, device), 2 * drilling().restore_s)
    )
    asks = [Ask("end", end, _LIMIT_S), shown] if restore else [shown]
    text, wrong = _last(plan, transport, device, asks)
    if wrong:
        return wrong
    return _drained(text) if how == "drain" else _down(plan, device, at.partition(":")[2], text)


def _undrain(plan: Plan, device: str) -> str:
    """What ends a drain; "" of a switch of the OOB plane, which is in no drill."""
    wanted = intent(plan, device)
    if not isinstance(wanted, SwitchIntent):
        return ""
    return dialect(wanted.switch.dialect).drain_command(wanted, drained=False)


def _drained(text: str) -> str:
    """Why FRR does not show that it is not drained."""
    if not re.search(r"(?m)^router bgp ", text) or text.split()[-1:] != ["end"]:
        return "FRR does not show all that bgpd runs"
    still = re.search(r"(?m)^ *bgp graceful-shutdown *$", text)
    return "it still asks its neighbours to use it last" if still else ""


def _down(plan: Plan, device: str, port: str, text: str) -> str:
    """Which sessions of a port are not up; of a port that the plan has no more, of all."""
    try:
        keys = up(plan, device, text)
    except Unreadable as error:
        return str(error)
    every = plan.switch[device].sessions
    mine = [one for one in every if one.port == port] or every
    down = ", ".join(one.port for one in mine if one.key not in keys)
    return f"no session is up at {down}" if down else ""
