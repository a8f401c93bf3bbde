"""The estimates of a rehearsal: each rollout that ended well on the twin, on the whole site."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from deploy.record.runs import opened
from deploy.session import Selection
from inventory import open_site
from inventory.plan import Plan
from inventory.problems import ExpectedError

from .arithmetic import Estimate
from .estimate import LAB, Known, estimated, known_of, loads_of
from .measured import Samples, measured


@dataclass(frozen=True, slots=True)
class Rolled:
    """A rollout on the twin: its run on record, and whether it led to the change or back."""

    title: str
    run: int
    to_change: bool = False
    back: bool = False


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
    now, then = open_site(site), open_site(change) if change else None
    loads = loads_of(now, recorded=bool(real.record.last))
    made = []
    for one in rolled:
        known = Known(site, real.record, samples[one.run].over(every), loads, real.tried)
        after, before = now, None
        if then and (one.to_change or one.back):
            after, before = (now, then) if one.back else (then, now)
        made.append(estimated(one.title, known, after, before))
    return made
