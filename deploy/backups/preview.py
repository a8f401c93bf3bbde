"""What a rollback would change now, and what it says of each switch. Changes nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from deploy.context import Context
from deploy.differences import Detail, meanings, of_change
from deploy.record.site_key import showing
from deploy.rollout.switch_wave import window_s
from deploy.switches.push_result import is_at_least, worst_impact
from deploy.switches.push_session import PushStopped
from switch_configs import dialect
from switch_configs.errors import DialectError
from switch_configs.intent import Impact, Rendered
from validation.meaning import Meaning

from .changed import configured
from .goal import Goal
from .taken import fetcher

# From this impact on links flap, or sessions begin anew.
_LOSES: Impact = "daemon restart"
GONE = "is not in the plan any more, and stays as it is"


@dataclass(frozen=True, slots=True)
class Back:
    """One switch: what goes back on it, with the impact, and how that ended where it was tried."""

    device: str
    impact: Impact
    details: tuple[Detail, ...] = ()
    means: tuple[Meaning, ...] = ()
    message: str = ""
    hint: str = ""

    @property
    def loses(self) -> bool:
        """Whether packets that cross it may be lost: no rollback drains a switch first."""
        return is_at_least(self.impact, _LOSES)


@dataclass(frozen=True, slots=True)
class RolledBack:
    """How a rollback ended; `run` is its own number, None where nothing was to be changed.

    `undrained` are the switches that lose, or lost, packets of jobs that go on.
    """

    run: int | None
    outcome: str
    exit_code: int
    switches: tuple[Back, ...]
    undrained: tuple[str, ...] = ()


def preview(context: Context, goals: Mapping[str, Goal]) -> RolledBack:
    """What would go back now on each, with its impact."""
    read, found = fetcher(context), list[Back]()
    for name, one in goals.items():
        try:
            running = one.secrets.recognised(read(name).running, one.rendered)
            found.append(_differs(context, running, one.rendered))
        except (PushStopped, DialectError) as error:
            found.append(Back(name, "none", message=error.message, hint=error.hint))
    silent = [one.device for one in found if one.message]
    count = sum(bool(one.details) for one in found)
    outcome = f"dry run: {count} switch{'' if count == 1 else 'es'} would go back, one at a time"
    if silent:
        outcome += f"; not known: {', '.join(silent)}"
    return ended(None, outcome, 3 if silent else 0, found, context.plan.oob_switch)


def ended(
    run: int | None, outcome: str, exit_code: int, found: Sequence[Back], own: Collection[str] = ()
) -> RolledBack:
    """With those that are not drained; the OOB plane's `own` carry no packets of jobs."""
    undrained = tuple(one.device for one in found if one.loses and one.device not in own)
    return RolledBack(run, outcome, exit_code, tuple(found), undrained)


def without(found: RolledBack, gone: Sequence[str]) -> RolledBack:
    """The same beside switches that the plan has no more."""
    if not gone:
        return found
    left = tuple(Back(name, "none", message=GONE) for name in gone)
    outcome = f"{found.outcome}; not in the plan any more: {', '.join(gone)}"
    return replace(found, outcome=outcome, switches=(*found.switches, *left))


def _differs(context: Context, running: Rendered, wanted: Rendered) -> Back:
    name, tongue = wanted.device, dialect(wanted.dialect)
    steps = tongue.push_steps(running, wanted, window_s(context.plan))
    shown = showing(context.state_dir)
    changes = configured(running, wanted, context.render(name), shown) if steps else ()
    impact = worst_impact(step.impact for step in steps)
    details = tuple(map(of_change, changes))
    return Back(name, impact, details, meanings(running, wanted) if steps else ())
