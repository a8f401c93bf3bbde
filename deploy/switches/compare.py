"""`railbed diff FOLDER [FOLDER]`: configurations in folders, against each other or the plan.

A folder holds what `railbed render --out` writes (a folder a switch), or one file a switch,
named after it: leaf-p1-r0.cfg, as a collector of running configurations saves them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.text import Text

from deploy.differences import Causes, Detail, meanings, of_change
from deploy.show.changes import print_details, print_means
from deploy.show.words import print_line
from inventory.plan import Plan, SwitchAccount
from inventory.visible import one_line
from switch_configs import dialect, render
from switch_configs.changes import (
    IMPACTS,
    SECRET_CHANGED,
    Change,
    changes,
    of_accounts,
    of_own,
    secret_changed,
    unshipped,
    worst,
)
from switch_configs.changes.commands import BrokenText
from switch_configs.intent import Impact, Rendered
from switch_configs.readback.accounts import otherwise, unnamed
from switch_configs.readback.accounts import planned as planned_logins
from switch_configs.shown.foreign import Showing
from validation.meaning import Meaning

from .folders import Side, broken_in, of_folder, of_plan

_SHOWN = 6


@dataclass(frozen=True, slots=True)
class Compared:
    """One switch: its changes, and what was not compared (`unseen`, a sentence each).

    `details` are the changes with the reason of their impact and their cause, `means` what they do
    to traffic: of two systems that is all that can be compared.
    """

    device: str
    changes: tuple[Change, ...]
    unseen: tuple[str, ...]
    details: tuple[Detail, ...] = ()
    means: tuple[Meaning, ...] = ()


def compare(
    plan: Plan,
    old: Path,
    new: Path | None,
    shown: Showing | None = None,
    causes: Causes | None = None,
) -> tuple[Compared, ...]:
    """Every switch that either side has; without `new` the plan is the other side.

    A switch or file that only one side has is no difference and no agreement: it is unseen. Two
    folders may be of any switches. Lines that the plan has not are shown as `shown` says. `causes`
    say why a switch differs from the plan.
    """
    before = of_folder(plan, old, with_strangers=new is not None)
    after: Mapping[str, Side | None]
    if new is not None:
        after = of_folder(plan, new, with_strangers=True)
    else:
        every = sorted(plan.any_switch)
        after = {name: of_plan(render(plan, name)) for name in every}
    found = (_compared(plan, name, before, after, shown) for name in sorted({*before, *after}))
    why = causes if new is None else None
    return tuple(
        replace(one, details=tuple(of_change(each, why) for each in one.changes)) for one in found
    )


_Sides = Mapping[str, Side | None]


def _compared(
    plan: Plan, name: str, before: _Sides, after: _Sides, shown: Showing | None
) -> Compared:
    one, other = before.get(name), after.get(name)
    if one is None or other is None:
        has_not, which = (before, "first") if one is None else (after, "second")
        what = "of no system that is known, in" if name in has_not else "not in"
        return Compared(name, (), (f"{what} the {which} folder",))
    if one.rendered.dialect != other.rendered.dialect:
        systems = f"{one.rendered.dialect}, then {other.rendered.dialect}"
        means = meanings(one.rendered, other.rendered)
        return Compared(name, (), (f"lines, as of two systems: {systems}",), means=means)
    unsaid = {*one.unsaid, *other.unsaid}
    old, new = (_without(side.rendered, unsaid) for side in (one, other))
    planned = other.planned or one.planned or replace(new, files=())
    try:
        found = changes(old, new, dialect(new.dialect), planned, shown)
    except BrokenText:
        broken = (broken_in(side.rendered, side.sources) for side in (one, other))
        raise next(filter(None, broken)) from None
    logins = () if other.saved else planned_logins(plan, name)
    found = (*found, *_own(one, other, logins))
    told = any(SECRET_CHANGED in each.lines for each in found)
    if one.saved and other.saved and not told and secret_changed(one.saved, other.saved):
        found = (*found, Change("secrets", "all files", "none", (SECRET_CHANGED,)))
    missing = tuple(f"{path} is not there" for path in sorted(unsaid))
    return Compared(name, found, missing, means=meanings(old, new) if found else ())


def _own(before: Side, after: Side, logins: tuple[SwitchAccount, ...]) -> tuple[Change, ...]:
    """What both sides keep; beside a plan, without what systems are shipped with.

    `logins` are those that the plan names for the switch.
    """
    if after.saved or before.saved is None:
        return of_own(before.own, after.own)
    held = dialect(before.saved.dialect).accounts(before.saved)
    kept = unshipped(unnamed(before.own, held, logins))
    return (*of_own(kept, unshipped(after.own)), *of_accounts(otherwise(held, logins)))


def _without(rendered: Rendered, paths: set[str]) -> Rendered:
    return replace(rendered, files=tuple(file for file in rendered.files if file.path not in paths))


def compared_text(found: tuple[Compared, ...], out: Console) -> None:
    """Device by device, section by section, each with its impact and why; a sum at the end."""
    for one in found:
        if one.changes or one.means:
            title = one_line(f"{one.device}  {worst(one.changes)}")
            out.rule(Text(title, "rule.text"), align="left")
        print_means(one.means, out)
        print_details(one.details, out)
    unseen = [f"{one.device}: {', '.join(one.unseen)}" for one in found if one.unseen]
    if unseen:
        print_line(out, f"not compared: {len(unseen)}")
    for line in unseen[:_SHOWN]:
        print_line(out, f"  {line}")
    print_line(out, _sum(found))


def exit_status(found: tuple[Compared, ...]) -> int:
    """1 when anything differs, else 3 when something was not compared, else 0."""
    if any(one.changes or one.means for one in found):
        return 1
    return 3 if any(one.unseen for one in found) else 0


def _sum(found: tuple[Compared, ...]) -> str:
    impacts: dict[Impact, int] = {}
    for one in found:
        for change in one.changes:
            impacts[change.impact] = impacts.get(change.impact, 0) + 1
    differ = sum(bool(one.changes or one.means) for one in found)
    compared = sum(not one.unseen or bool(one.changes or one.means) for one in found)
    parts = [f"{impacts[one]} {one}" for one in IMPACTS if one in impacts]
    said = f": {', '.join(parts)}" if parts else ""
    return f"{differ} of {compared} compared switches differ{said}"


def compared_json(found: tuple[Compared, ...]) -> object:
    """The same for machines."""
    return [
        {
            "device": one.device,
            "unseen": list(one.unseen),
            "impact": worst(one.changes),
            "means": [asdict(mean) for mean in one.means],
            "changes": [
                {
                    "file": change.place,
                    "section": change.what,
                    "impact": change.impact,
                    "reason": change.reason,
                    "cause": change.cause,
                    "lines": list(change.lines),
                }
                for change in one.details
            ],
        }
        for one in found
    ]
