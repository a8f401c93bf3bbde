"""The acts of a rehearsal: a rollout, timed by wave, and what flowed meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from deploy.errors import RailbedError
from deploy.record.timing import lasted
from deploy.rollout.change import apply_site
from deploy.session import Selection
from inventory.plan import Plan
from inventory.problems import ExpectedError
from validation.evidence.store import EvidenceStore
from validation.judging.gate import Word

from .flapped import flapped, look
from .flows import Traffic, flows
from .staged import Leads
from .traffic_run import started

NOTHING = "nothing of this change can be rehearsed: the twin is the same before and after"
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ActWave:
    """A wave of an act's rollout, its times as the record has them, and its gate's word."""

    name: str
    began: str
    ended: str | None
    took_s: float
    decision: str


@dataclass(frozen=True, slots=True)
class Act:
    """One part of a rehearsal: what was done, how it ended, and how long it took.

    `run` is that of the twin's record, None without one; `traffic` is what flowed meanwhile, None
    where nothing was asked to. `leads` says from which plan a rollout goes to which, alike in all
    runs of one rollout; None where it is none.
    """

    title: str
    passed: bool
    outcome: str
    took_s: float
    changed: tuple[str, ...] = ()
    waves: tuple[ActWave, ...] = ()
    traffic: Traffic | None = None
    run: int | None = None
    leads: Leads | None = None

    @property
    def held(self) -> bool:
        """Whether its rollout ended at a gate that holds."""
        return bool(self.waves) and self.waves[-1].decision == Word.HOLD


def applied(selection: Selection, title: str, say: Say, *, every_role: bool = False) -> Act:
    """The site's whole rollout, by the code that does so on the site.

    `every_role` also runs roles that already are as planned.
    """
    began = time.monotonic()
    try:
        result = apply_site(
            selection, "", dry_run=False, say=say, every_role=every_role, loads=False
        )
    except RailbedError as error:  # what a rollout refuses before it begins
        said = "; ".join(filter(None, (error.message, error.hint)))
        return Act(title, False, said, time.monotonic() - began)
    took = time.monotonic() - began
    waves = tuple(
        ActWave(
            one.name, one.started, one.ended, lasted(one.started, one.ended) or 0.0,
            one.decision or "not reached",
        )
        for one in result.waves
    )  # fmt: skip
    passed = result.exit_code == 0
    return Act(title, passed, result.outcome, took, result.changed, waves, run=result.run)


def under_traffic(selection: Selection, plan: Plan, title: str, say: Say) -> Act:
    """The same while packets flow between the nodes of `plan`, which the rollout begins with.

    What stands in the way of traffic is told with the act, which is done once, whatever it is.
    """
    store = EvidenceStore()
    try:
        mine = flows(plan)
        say(f"{title}, under {len(mine)} flows between nodes ...")
        look(selection, plan, "before", store)
        streams = started(selection.lab, mine)
    except ExpectedError as error:
        return replace(applied(selection, title, say), traffic=Traffic(none=error.message))
    try:
        act = applied(selection, title, say)
    finally:
        found = streams.ended()
    return replace(act, traffic=Traffic(found, _flapped(selection, plan, store)))


def _flapped(selection: Selection, plan: Plan, store: EvidenceStore) -> tuple[str, ...]:
    """By a second look, which finds devices where the act has left them."""
    try:
        look(selection, plan, "after", store)
    except ExpectedError as error:
        return (f"not known: {error.message}",)
    return flapped(plan, store)


def changes_something(act: Act) -> Act:
    """A change of which the twin sees nothing has shown nothing."""
    return replace(act, passed=False, outcome=NOTHING) if act.passed and not act.changed else act


def nothing_changed(act: Act) -> Act:
    """A second run that changes something did not find what the first one left."""
    if not act.changed or not act.passed:
        return act
    said = f"the second run changed {', '.join(act.changed)}"
    return replace(act, passed=False, outcome=said)
