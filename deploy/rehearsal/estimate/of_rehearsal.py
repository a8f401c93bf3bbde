"""The estimates of a rehearsal: each rollout that ended well on the twin, on the whole site."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import yaml

from deploy.record.runs import opened
from deploy.session import Selection
from inventory import open_site
from inventory.load.site import existing_folder
from inventory.own_yaml import own_yaml
from inventory.plan import Plan
from inventory.problems import ExpectedError
from validation.evidence.aside import scratch
from validation.manifest.device import Manifests

from ..acts import Act
from ..staged import AT_SITE, Leads, Standing, with_lines
from .arithmetic import Estimate
from .estimate import LAB, estimated, known_of, loads_of
from .measured import Samples, measured

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Rolled:
    """A rollout on the twin: its runs on record, and from which plan it `leads` to which."""

    title: str
    runs: tuple[int, ...]
    leads: Leads


@dataclass(frozen=True, slots=True)
class Real:
    """How long the real rollouts would take; `why` says what stood in the way, "" where nothing."""

    estimates: tuple[Estimate, ...] = ()
    why: str = ""


def rolled_of(acts: Iterable[Act]) -> tuple[Rolled, ...]:
    """The rollouts of a rehearsal that changed something and ended well, each with all its runs.

    One that waited for nodes to boot anew has several.
    """
    rollouts: dict[Leads, list[Act]] = {}
    for act in acts:
        if act.leads is not None:
            rollouts.setdefault(act.leads, []).append(act)
    return tuple(
        Rolled(some[0].title, runs, leads)
        for leads, some in rollouts.items()
        if all(one.passed for one in some) and any(one.changed for one in some)
        and not some[-1].held and (runs := tuple(one.run for one in some if one.run is not None))
    )  # fmt: skip


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
    except Exception as error:  # whatever it was, a rehearsal that ended is not lost for it
        LOG.debug("no estimate", exc_info=True)
        return Real(why=f"{type(error).__name__}: {error}")


def _each(
    site: str,
    change: str,
    twin: tuple[Selection, Plan],
    rolled: Sequence[Rolled],
    others: Sequence[str],
) -> list[Estimate]:
    selection, plan = twin
    with opened(selection) as record:
        samples = [measured(record, plan, one.runs) for one in rolled]
    every = sum(samples, Samples())
    lab = [Selection(one, LAB) for one in others]
    real = known_of(Selection(site, LAB), lab)
    plans = _plans(site, change, rolled)
    loads = loads_of(plans[AT_SITE], recorded=real.record.loaded)
    made, manifests = [], dict[str, Manifests]()
    for one, mine in zip(rolled, samples, strict=True):
        known = replace(real, twin=mine.over(every), loads=loads, manifests=manifests)
        was, will = one.leads
        made.append(estimated(one.title, known, plans[will], plans.get(was)))
    return made


def _plans(site: str, change: str, rolled: Iterable[Rolled]) -> dict[Standing, Plan]:
    """The site's plan, and each of its change that a rollout begins or ends with.

    Those between are what the twin went through: who of the site is not there yet has no say.
    """
    found = {AT_SITE: open_site(site)}
    for at in dict.fromkeys(at for one in rolled for at in one.leads):
        if at.at == "change":
            found[at] = _with(change, at.lines)
    return found


def _with(change: str, lines: Sequence[str]) -> Plan:
    """The plan of a change in whose `fabric.yml` these lines are said."""
    if not lines:
        return open_site(change)
    with scratch("change") as place:
        folder = place / "between"
        shutil.copytree(existing_folder(change), folder)
        fabric = folder / "fabric.yml"
        said = yaml.safe_dump(with_lines(own_yaml(fabric), lines), sort_keys=False)
        fabric.write_text(said, encoding="utf-8")
        return open_site(folder)
