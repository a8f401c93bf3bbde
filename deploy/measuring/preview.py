"""`validate --dry-run`: what each loading stage would run, from its own planner. Sends nothing.

Each stage says its own (`validation/probes/planned_load.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from inspect import signature

from deploy.rollout.preconditions import by_people, deployable
from deploy.session import Selection, open_plan
from inventory.plan import Plan
from validation.ladder import ladder, stage_part
from validation.pairing.matchings import Matchings
from validation.probes.planned_load import CannotLoadError, Part

from .requested import refuse_empty
from .stages import loading


@dataclass(frozen=True, slots=True)
class Preview:
    """One loading stage; `refused` says why it would not run."""

    stage: int
    title: str
    parts: tuple[Part, ...]
    refused: str = ""


def preview(
    plan: Plan,
    configured: frozenset[str],
    through: int,
    only: Iterable[int] = (),
    asked: Matchings | None = None,
    more: frozenset[str] = frozenset(),
) -> tuple[Preview, ...]:
    """The loading stages up to `through`, of `only` where that names any, in order.

    `asked` are random matchings beyond the planned rounds, `more` words of stages.
    """
    given = {"asked": (asked,) if asked else (), "words": tuple(sorted(more))}
    return tuple(_stage(plan, configured, number, given) for number in loading(through, only))


@dataclass(frozen=True, slots=True)
class SitePreview:
    """What would run now, and how many of the planned devices have an as-built row."""

    stages: tuple[Preview, ...]
    deployable: int
    devices: int


def preview_of_site(
    selection: Selection,
    through: int,
    only: Iterable[int],
    asked: Matchings | None = None,
    more: frozenset[str] = frozenset(),
) -> SitePreview:
    """The same for a site, with its devices that can be reached; no lab need be up."""
    plan = open_plan(selection)
    mine = deployable(plan)
    if asked:
        refuse_empty(plan, mine, asked)
    every = len(set(plan.devices) - set(by_people(plan)))
    return SitePreview(preview(plan, mine, through, only, asked, more), len(mine), every)


def _stage(
    plan: Plan, configured: frozenset[str], number: int, asked: Mapping[str, tuple[object, ...]]
) -> Preview:
    title, parts = ladder()[number].title, stage_part(number, "preview").parts
    known = signature(parts).parameters
    more = {name: one for name, one in asked.items() if one and name in known}
    try:
        return Preview(number, title, parts(plan, configured, **more))
    except CannotLoadError as error:
        return Preview(number, title, (), str(error))
