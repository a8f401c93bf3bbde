"""A drain from the shell of a switch, held while its ports are counted.

Its way back is a timer of systemd on the switch, set before it is drained: a push would restart
routing there, and what goes away with that is no drain.
"""

from __future__ import annotations

import logging
import secrets
import shlex
from collections.abc import Callable

from inventory.plan import Plan
from switch_configs import is_typed
from switch_configs.shown.said import why
from validation.evidence.gather import Ask, Transport, gather
from validation.stages.s80_soak.drills import Drill
from validation.stages.s80_soak.terms import guard

from .guarded_drill import NOT_BACK

LOG = logging.getLogger(__name__)
_LIMIT_S = 60.0
_BEGIN = """\
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
    unit, restore = f"railbed-drill-{secrets.token_hex(4)}", shlex.quote(drill.restore)
    back = _END.format(restore=restore, unit=unit)
    begin = _BEGIN.format(
        window_s=guard().window_s, unit=unit, restore=restore, pull=drill.pull, end=back
    )
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
    done = gather(plan, transport, {device: [Ask(name, text, _LIMIT_S)]})
    frame = next(iter(done.frames), None)
    if frame is None:
        return done.errors.get(device, "no answer")
    said = why(frame.errors, ours=text)
    return f"`{name}` ended with status {frame.exit_status}: {said}" if frame.exit_status else ""
