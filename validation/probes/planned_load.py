"""What a stage that loads would run, as its own planner has it: for a preview that sends nothing.

A stage says it by `parts(plan, configured)` in its `preview.py`. Minutes are of the planned rounds;
rounds that only results can ask for are named in `more`, and not in the minutes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from inventory.problems import ExpectedError
from validation.pairing.latency import LatencyProbe
from validation.pairing.loads import LoadProbe

from .work import Step

Impact = Literal["none", "slows", "link flap"]
Flow = LoadProbe | LatencyProbe
# A round's three trips over SSH connections that are kept open. An assumption, not measured here.
TRIPS_S = 3.0
MINUTE_S = 60.0


class CannotLoadError(ExpectedError):
    """A stage that would not run: the sentence says why."""


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


def flows(what: str, rounds: Sequence[Sequence[Flow]], more: str = "") -> Part:
    """Rounds of flows that all begin at once; a round takes as long as its longest flow."""
    every = [flow for sequence in rounds for flow in sequence]
    longest = [max(flow.terms.seconds for flow in sequence) for sequence in rounds]
    slack = [max(flow.terms.slack_s for flow in sequence) for sequence in rounds]
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
        expected_min=expected_s / MINUTE_S,
        at_most_min=(expected_s + sum(slack)) / MINUTE_S,
        more=more,
    )


def jobs(what: str, steps: Sequence[Step]) -> Part:
    """Steps of jobs: those of one device follow each other, devices work at once."""
    limits_s = 0.0
    for step in steps:
        by_device = dict[str, float]()
        for job in step:
            by_device[job.device] = by_device.get(job.device, 0.0) + job.limit_s
        limits_s += max(by_device.values(), default=0.0)
    every = [job for step in steps for job in step]
    nodes = len({job.device for job in every})
    return Part(what, len(every), len(steps), nodes, 0, 0, None, limits_s / MINUTE_S)
