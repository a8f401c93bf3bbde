"""What differs on a switch, section by section, with impact and cause."""

from __future__ import annotations

from switch_configs import dialect, render
from switch_configs.changes import Change, changes
from switch_configs.changes.commands import BrokenText
from switch_configs.intent import Rendered
from switch_configs.shown.foreign import Showing

from . import effects
from .detail import Detail
from .inventory import Causes

Sections = frozenset[tuple[str, str]]


def of_switch(
    running: Rendered,
    asked: Rendered,
    strays: tuple[str, ...],
    causes: Causes,
    showing: Showing,
) -> tuple[Detail, ...]:
    """The details of what runs beside what the plan asks for; `strays` are sentences.

    Of a text that nobody can read as commands there are none: its unified diff is all there is.
    """
    tongue = dialect(asked.dialect)
    try:
        found = changes(running, asked, tongue, asked, showing)
        earlier = _earlier(running, asked, causes)
    except BrokenText:
        return ()
    made = [of_change(change, causes, earlier) for change in found]
    return (*made, *(Detail("the switch's own", one, *effects.OF_NOBODY) for one in strays))


def of_change(one: Change, causes: Causes | None = None, earlier: Sections | None = None) -> Detail:
    """One section, as details have it; `earlier` are those that differ from the earlier plan."""
    impact, reason = effects.of_switch(one.impact)
    cause = _cause(one, causes, earlier) if causes else ""
    return Detail(one.path, one.section, impact, reason, lines=one.lines, cause=cause)


def _earlier(running: Rendered, asked: Rendered, causes: Causes) -> Sections | None:
    """The sections in which what runs is not what the earlier plan asks for; None: not known."""
    plan = causes.plan
    if plan is None or asked.device not in plan.any_switch:
        return None
    before = render(plan, asked.device)
    if before.dialect != asked.dialect:
        return None
    found = changes(running, before, dialect(before.dialect), asked)
    return frozenset((change.path, change.section) for change in found)


def _cause(one: Change, causes: Causes, earlier: Sections | None) -> str:
    is_earlier = None if earlier is None else (one.path, one.section) not in earlier
    gone = [line for line in one.lines if line.startswith("- ")]
    come = [line for line in one.lines if line.startswith("+ ")]
    return causes.of(gone, come, is_earlier)
