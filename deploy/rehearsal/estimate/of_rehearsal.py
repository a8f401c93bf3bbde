"""The estimates of a rehearsal: each rollout that ended well on the twin, on the whole site."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from deploy.record.runs import opened
from deploy.session import Selection
from inventory import open_site
from inventory.load.site import existing_folder
from inventory.plan import Plan
from inventory.problems import ExpectedError
from validation.evidence.aside import scratch

from ..staged import stages
from .arithmetic import Estimate
from .estimate import LAB, Known, estimated, known_of, loads_of
from .measured import Samples, measured


@dataclass(frozen=True, slots=True)
class Rolled:
    """A rollout on the twin: its run on record, and from which plan it `leads` to which.

    -1 is nothing at all, 0 the site as it is, from 1 the plans of a change.
    """

    title: str
    run: int
    leads: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Real:
    """How long the real rollouts would take; `why` says what stood in the way, "" where nothing."""

    estimates: tuple[Estimate, ...] = ()
    why: str = ""


def real_times(
    site: str,
    change: str,
    twin: tuple[Selection, Plan],
    rolled: Sequence[Rolled],
    others: Sequence[str],
    say: Callable[[str], None],
) -> Real:
    """Of every rollout of `rolled`; what stands in the way is told, and fails no rehearsal.

    `twin` is where its record lies, and its latest plan; `others` are sites whose records count.
    """
    if not rolled:
        return Real()
    say("how long the real site would take ...")
    try:
        return Real(tuple(_each(site, change, twin, rolled, others)))
    except ExpectedError as error:
        return Real(why=error.message)


def _each(
    site: str,
    change: str,
    twin: tuple[Selection, Plan],
    rolled: Sequence[Rolled],
    others: Sequence[str],
) -> list[Estimate]:
    selection, plan = twin
    with opened(selection) as record:
        samples = {one.run: measured(record, plan, {one.run}) for one in rolled}
    every = sum(samples.values(), Samples())
    lab = [Selection(one, LAB) for one in others]
    real = known_of(Selection(site, LAB), lab)
    plans = _plans(site, change)
    loads = loads_of(plans[0], recorded=bool(real.record.last))
    made = []
    for one in rolled:
        known = Known(site, real.record, samples[one.run].over(every), loads, real.tried)
        was, will = one.leads
        made.append(estimated(one.title, known, plans[will], plans[was] if was >= 0 else None))
    return made


def _plans(site: str, change: str) -> list[Plan]:
    """The site's plan, and those of its change, one after another."""
    now = open_site(site)
    if not change:
        return [now]
    with scratch("change") as place:
        folder = place / "after"
        shutil.copytree(existing_folder(change), folder)
        return [now, *(one.plan for one in stages(now, open_site(change), folder))]
