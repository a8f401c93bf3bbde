"""Expectations: what a plan says must be found, each with a stable id. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from inspect import signature
from pathlib import Path

from inventory.plan import Plan

from .expectation import Expectation
from .ladder import folders, number_of, part
from .pairing.matchings import Matchings


def expectations(
    plan: Plan,
    configured: frozenset[str],
    through: int = 99,
    leave_out: frozenset[int] = frozenset(),
    matchings: Iterable[Matchings] = (),
    own: Path | None = None,
    of: frozenset[str] | None = None,
    words: Iterable[str] = (),
) -> tuple[Expectation, ...]:
    """Everything that must be true once `configured` is in place, sorted by stage and id.

    Stages beyond `through`, and those of `leave_out`, are left out. `matchings` were asked beyond
    the plan: a stage whose `expectations` take `asked` gets them, and one that takes `words` all
    that the run was asked, as evidence keeps it. `own` has a site's own stages. Of the devices `of`
    alone, where they are named: a stage that saves work by it takes `of` as well.
    """
    made, given = list[Expectation](), {"asked": tuple(matchings), "of": of, "words": tuple(words)}
    for folder in folders(own):
        of_stage = getattr(part(folder, "expect"), "expectations", None)
        if of_stage and number_of(folder) <= through and number_of(folder) not in leave_out:
            known = signature(of_stage).parameters
            more = {name: one for name, one in given.items() if name in known}
            made += of_stage(plan, configured, **more)
    if of is not None:
        made = [one for one in made if one.device in of]
    return tuple(sorted(made, key=lambda one: (one.stage, one.id)))
