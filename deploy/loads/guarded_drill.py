"""A drill by a push: a port goes off, or a switch is drained, by what nobody confirms.

So the way back is the push's own: the timer of the switch brings it back where this process is
killed, its session is lost, or the switch refuses to be asked; else it is asked at once. It is
pulled only where the switch runs its plan, so that nothing else changes with it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from deploy.context import Context
from deploy.switches.push_flow import Push
from deploy.switches.push_session import Pace
from inventory.plan import Plan
from switch_configs import dialect, intent
from switch_configs.errors import DialectError
from switch_configs.intent import Rendered
from validation.stages.s80_soak.drills import Drill
from validation.stages.s80_soak.terms import guard

LOG = logging.getLogger(__name__)
PACE = Pace(window_s=guard().window_s)
OVER = "the drill is over"
NOT_BACK = "was not seen to go back"
# Makes the push of a context to a switch: dry or not, at a pace, held by a proof.
Pushing = Callable[[Context, str, bool, Pace, "Held"], Push]


@dataclass
class Held:
    """What a push asks before it is confirmed: here it looks at the drill, and never says yes."""

    look: Callable[[], None]
    was_off: bool = field(default=False, init=False)

    def __call__(self, deadline: float, *, whole: bool) -> tuple[str, ...]:  # noqa: ARG002
        """Look while the port is off; then the switch must go back."""
        try:
            self.look()
            self.was_off = True
        except Exception:  # whatever it was, the port must not stay off for it
            LOG.exception("the look at a drill failed")
        return (OVER,)


def pull(
    context: Context,
    drill: Drill,
    look: Callable[[], None],
    pushing: Pushing,
    pace: Pace = PACE,
) -> str:
    """Pull, `look` while it is off, see it back; "" or why it was not pulled, or is not back."""
    name = drill.device
    try:
        planned = context.render(name)
        off = _pulled(context.plan, drill, planned)
    except DialectError as error:
        return str(error)
    if off is None:
        return f"nobody has tried to pull this at {name}"
    as_planned = pushing(context, name, True, pace, Held(lambda: None)).run()
    if not as_planned.ok or as_planned.changed:
        return f"not pulled: {name} does not run its plan: {as_planned.message}"
    held = Held(look)
    done = pushing(replace(context, rendered={name: off}), name, False, pace, held).run()
    applied = any(step.phase == "apply" for step in done.steps)
    if applied and not done.rolled_back:
        return f"{name} {NOT_BACK}: {done.message}"
    return "" if held.was_off else f"not pulled: {done.message}"


def _pulled(plan: Plan, drill: Drill, planned: Rendered) -> Rendered | None:
    """What the switch runs while it is pulled."""
    tongue = dialect(planned.dialect)
    if drill.how != "drain":
        return tongue.shut(planned, drill.port)
    return tongue.render(intent(plan, drill.device, drained=True))


def over_ssh(context: Context, name: str, dry_run: bool, pace: Pace, held: Held) -> Push:
    """A push to the real switch."""
    from deploy.switches.switch_push import push_of  # netmiko takes a second to load

    return push_of(context, name, dry_run, lambda _: (), pace, held)
