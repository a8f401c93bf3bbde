"""`validate --dry-run`: what each loading stage would run, from its own planner. Sends nothing.

Minutes are of the planned rounds. Rounds that only results can ask for (top-ups of uplinks, repeats
of slow flows, the search for stragglers) are named in `more`, and not in the minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from deploy.rollout.preconditions import deployable
from deploy.session import Selection, open_plan
from inventory.plan import Plan
from validation.collectives.runs import steps as collective_steps
from validation.congestion.incast import incasts
from validation.congestion.phases import phases
from validation.ladder import ladder
from validation.pairing.latency import LatencyProbe, latencies
from validation.pairing.loads import LoadProbe
from validation.pairing.matchings import Matchings
from validation.pairing.matchings import rounds as matchings
from validation.pairing.schedule import loads
from validation.probes.work import Step
from validation.single.ramp import RampError
from validation.single.work import steps as single_steps
from validation.soak.drills import drills
from validation.soak.terms import drilling, soak
from validation.soak.work import soaked, streamed_s
from validation.storage.work import steps as storage_steps

from .asked import refuse_empty
from .stages import LOADED_STAGE, loading

Impact = Literal["none", "slows", "link flap"]
# A round's three trips over SSH connections that are kept open. An assumption, not measured here.
TRIPS_S = 3.0
_MINUTE_S = 60.0


@dataclass(frozen=True, slots=True)
class Part:
    """Something that a stage would run: `count` of `what` in `rounds`, on `nodes` nodes.

    `streams` are those of one pair (QPs where RDMA is measured), `ports` the source ports that
    ECMP spreads them by; 0 where there are none to say. `expected_min` is None where only a limit
    is planned: the tool works until it is done. `at_most_min` is when all is ended.
    """

    what: str
    count: int
    rounds: int
    nodes: int
    streams: int
    ports: int
    expected_min: float | None
    at_most_min: float
    more: str = ""
    does: Impact = "slows"

    @property
    def impact(self) -> Impact:
        """What jobs on these nodes, or over their links, notice."""
        return self.does if self.count else "none"


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
) -> tuple[Preview, ...]:
    """The loading stages up to `through`, of `only` where that names any, in order.

    `asked` are random matchings beyond the planned rounds.
    """
    found = (_stage(plan, configured, number) for number in loading(through, only))
    if asked is None:
        return tuple(found)
    more = _matched(plan, configured, asked)
    return tuple(
        replace(one, parts=(*one.parts, more)) if one.stage == LOADED_STAGE else one
        for one in found
    )


@dataclass(frozen=True, slots=True)
class SitePreview:
    """What would run now, and how many of the planned devices have an as-built row."""

    stages: tuple[Preview, ...]
    deployable: int
    devices: int


def preview_of_site(
    selection: Selection, through: int, only: Iterable[int], asked: Matchings | None = None
) -> SitePreview:
    """The same for a site, with its devices that can be reached; no lab need be up."""
    plan = open_plan(selection)
    mine = deployable(plan)
    if asked:
        refuse_empty(plan, mine, asked)
    every = len(set(plan.devices) - set(plan.oob_switch))
    return SitePreview(preview(plan, mine, through, only, asked), len(mine), every)


def _stage(plan: Plan, configured: frozenset[str], number: int) -> Preview:
    title = ladder()[number].title
    try:
        return Preview(number, title, PARTS[number](plan, configured))
    except RampError as error:
        return Preview(number, title, (), f"single nodes cannot be burnt: {error}")


Flow = LoadProbe | LatencyProbe


def _flows(what: str, rounds: Sequence[Sequence[Flow]], more: str = "") -> Part:
    """Rounds of flows that all begin at once; a round takes as long as its longest flow."""
    every = [flow for one in rounds for flow in one]
    longest = [max(flow.terms.seconds for flow in one) for one in rounds]
    slack = [max(flow.terms.slack_s for flow in one) for one in rounds]
    pairs = {frozenset(((flow.sender, flow.rail), (flow.receiver, flow.rail))) for flow in every}
    streams = [flow.terms.streams for flow in every if isinstance(flow, LoadProbe)]
    expected_s = sum(longest) + TRIPS_S * len(rounds)
    return Part(
        what=what,
        count=len(pairs),
        rounds=len(rounds),
        nodes=len({node for flow in every for node in (flow.sender, flow.receiver)}),
        streams=max(streams, default=0),
        ports=max(streams, default=0),  # each connection or QP has its own
        expected_min=expected_s / _MINUTE_S,
        at_most_min=(expected_s + sum(slack)) / _MINUTE_S,
        more=more,
    )


def _jobs(what: str, steps: Sequence[Step]) -> Part:
    """Steps of jobs: those of one device follow each other, devices work at once."""
    limits_s = 0.0
    for step in steps:
        by_device = dict[str, float]()
        for job in step:
            by_device[job.device] = by_device.get(job.device, 0.0) + job.limit_s
        limits_s += max(by_device.values(), default=0.0)
    every = [job for step in steps for job in step]
    nodes = len({job.device for job in every})
    return Part(what, len(every), len(steps), nodes, 0, 0, None, limits_s / _MINUTE_S)


def _single(plan: Plan, configured: frozenset[str]) -> tuple[Part, ...]:
    return (_jobs("jobs", single_steps(plan, configured)),)


def _pairs(plan: Plan, configured: frozenset[str]) -> tuple[Part, ...]:
    rounds = loads(plan, configured)
    top_ups = max((flow.terms.top_up_rounds for one in rounds for flow in one), default=0)
    more = f"{top_ups} rounds at most for uplinks not loaded, and repeats of slow flows"
    timed = latencies(plan, configured)
    load = _flows("pairs, both ways", rounds, more if rounds else "")
    return (load, _flows("pairs, timed", timed)) if timed else (load,)


def _matched(plan: Plan, configured: frozenset[str], asked: Matchings) -> Part:
    """Two NICs may meet in several matchings, and count each time."""
    rounds = [flows for _, flows in matchings(plan, configured, (asked,)) if flows]
    made = _flows("random pairs, both ways", rounds, f"{asked.words}; again: {asked.again}")
    return replace(made, count=sum(map(len, rounds)) // 2)


def _congestion(plan: Plan, configured: frozenset[str]) -> tuple[Part, ...]:
    """The receivers change with each run's turn; how many there are does not."""
    rounds = incasts(plan, configured, 0)
    made = [one.flows for n, row in enumerate(rounds) for one in phases(plan, n, row) if one.flows]
    more = "three more of each incast in which a sender starves" if made else ""
    return (_flows("pairs, many to one", made, more),)


def _collectives(plan: Plan, configured: frozenset[str]) -> tuple[Part, ...]:
    steps = collective_steps(plan, configured)
    every = [one for step in steps for one in step]
    nodes = len({node for one in every for node in one.nodes})
    limit_s = sum(max(one.launch.limit_s for one in step) for step in steps)
    more = "the search for who is slow or damages data, where one is" if steps else ""
    return (Part("launches", len(every), len(steps), nodes, 0, 0, None, limit_s / _MINUTE_S, more),)


def _storage(plan: Plan, configured: frozenset[str]) -> tuple[Part, ...]:
    return (_jobs("jobs on mounts", storage_steps(plan, configured)),)


def _soak(plan: Plan, configured: frozenset[str]) -> tuple[Part, ...]:
    streams, asked, pull = soaked(plan, configured), soak(), drilling()
    nodes = len({node for one in streams for node in (one.sender, one.receiver)})
    minutes = (asked.seconds + TRIPS_S) / _MINUTE_S
    watched = Part(
        "flows, paced", len(streams), 1, nodes, 1, asked.source_ports, minutes, minutes + 1
    )
    mine = [one for one in drills(plan, configured) if not one.refusal]
    each_s = streamed_s() + TRIPS_S
    drilled = Part(
        "drills under streams",
        len(mine),
        len(mine),
        nodes if mine else 0,
        1,
        pull.source_ports,
        len(mine) * each_s / _MINUTE_S,
        len(mine) * (each_s + 2 * pull.restore_s) / _MINUTE_S,
        "`railbed drill` says what would be pulled",
        "link flap",
    )
    return watched, drilled


PARTS: Mapping[int, Callable[[Plan, frozenset[str]], tuple[Part, ...]]] = {
    45: _single,
    50: _pairs,
    60: _congestion,
    70: _collectives,
    75: _storage,
    80: _soak,
}
