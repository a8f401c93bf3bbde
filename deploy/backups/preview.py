"""What a rollback would change now, and what it says of each switch. Changes nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from deploy.context import Context
from deploy.differences import Detail, meanings, of_change
from deploy.record.site_key import showing
from deploy.rollout.drain.chosen import DRAINS_FIRST
from deploy.rollout.drain.chosen import preview as first
from deploy.rollout.oob.answering import said_of_way
from deploy.rollout.switch_wave import window_s
from deploy.switches.push_result import DRAINED, is_at_least, worst_impact
from deploy.switches.push_session import PushStopped
from inventory.oob.paths import Behind, behind
from switch_configs import dialect
from switch_configs.errors import DialectError
from switch_configs.intent import Impact, Rendered
from validation.meaning import Meaning

from .changed import configured
from .goal import Goal
from .taken import fetcher

Reach = Mapping[str, tuple[Behind, ...]]
# From this impact on links flap, or sessions begin anew.
_LOSES: Impact = "daemon restart"
GONE = "is not in the plan any more, and stays as it is"


@dataclass(frozen=True, slots=True)
class Back:
    """One switch: what goes back on it, with the impact, and how that ended where it was tried.

    `drain` says whether traffic is led past it first, or whom it cuts off meanwhile.
    """

    device: str
    impact: Impact
    details: tuple[Detail, ...] = ()
    means: tuple[Meaning, ...] = ()
    message: str = ""
    hint: str = ""
    drain: str = ""

    @property
    def loses(self) -> bool:
        """Whether packets of jobs that cross it may be lost."""
        is_drained = self.drain.startswith((DRAINED, DRAINS_FIRST))
        return is_at_least(self.impact, _LOSES) and not is_drained


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


def preview(context: Context, goals: Mapping[str, Goal], most: int = 1) -> RolledBack:
    """What would go back now on each, with its impact, at most so many at once."""
    read, found, reach = fetcher(context), list[Back](), behind(context.plan)
    for name, one in goals.items():
        try:
            running = one.secrets.recognised(read(name).running, one.rendered)
            found.append(_differs(context, running, one.rendered, reach))
        except (PushStopped, DialectError) as error:
            found.append(Back(name, "none", message=error.message, hint=error.hint))
    silent = [one.device for one in found if one.message]
    count = sum(bool(one.details) for one in found)
    how = "one at a time" if most == 1 else f"the first alone, then at most {most} at once"
    outcome = f"dry run: {count} switch{'' if count == 1 else 'es'} would go back, {how}"
    if silent:
        outcome += f"; not known: {', '.join(silent)}"
    return ended(None, outcome, 3 if silent else 0, found, context.plan.oob_switch)


def ended(
    run: int | None, outcome: str, exit_code: int, every: Iterable[Back], own: Collection[str] = ()
) -> RolledBack:
    """With those that are not drained; the OOB plane's `own` carry no packets of jobs."""
    found = tuple(every)
    undrained = tuple(one.device for one in found if one.loses and one.device not in own)
    return RolledBack(run, outcome, exit_code, found, undrained)


def without(found: RolledBack, gone: Sequence[str]) -> RolledBack:
    """The same beside switches that the plan has no more."""
    if not gone:
        return found
    left = tuple(Back(name, "none", message=GONE) for name in gone)
    outcome = f"{found.outcome}; not in the plan any more: {', '.join(gone)}"
    return replace(found, outcome=outcome, switches=(*found.switches, *left))


def _differs(context: Context, running: Rendered, wanted: Rendered, reach: Reach) -> Back:
    plan, name, tongue = context.plan, wanted.device, dialect(wanted.dialect)
    steps = tongue.push_steps(running, wanted, window_s(plan, name))
    if not steps:
        return Back(name, "none")
    changes = configured(running, wanted, context.render(name), showing(context.state_dir))
    impact = worst_impact(step.impact for step in steps)
    if name in reach:
        drain = said_of_way(plan, reach, name)
    else:
        drain = first(plan, name, impact, running, wanted)
    details = tuple(map(of_change, changes))
    return Back(name, impact, details, meanings(running, wanted), drain=drain)
