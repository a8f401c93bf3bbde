"""What pairs must reach, flow by flow, and which uplinks they must have loaded. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from inventory.plan import Plan
from validation.expectation import Expectation
from validation.pairing import matchings
from validation.pairing.coverage import coverages
from validation.pairing.latency import LatencyProbe, latencies
from validation.pairing.loads import LoadProbe
from validation.pairing.matchings import Matchings
from validation.pairing.schedule import loads


@dataclass(frozen=True, slots=True)
class BandwidthExpected(Expectation):
    """A flow between two NICs of a rail gets its share of the planned rate.

    `matching` names the random matching that it is of; empty: of a planned round.
    """

    stage: ClassVar[int] = 50
    check: ClassVar[str] = "bw"
    probe: LoadProbe
    matching: str = ""


@dataclass(frozen=True, slots=True)
class LatencyExpected(Expectation):
    """A small message between two RDMA NICs of a rail arrives in time."""

    stage: ClassVar[int] = 50
    check: ClassVar[str] = "lat"
    probe: LatencyProbe


def expectations(
    plan: Plan, configured: frozenset[str], asked: Iterable[Matchings] = ()
) -> Iterator[Expectation]:
    """Every flow and latency of every round that runs with `configured`, and their uplinks.

    `asked` are random matchings beyond the planned rounds.
    """
    rounds, more = loads(plan, configured), tuple(matchings.rounds(plan, configured, asked))
    yield from (_bandwidth(flow) for row in rounds for flow in row)
    yield from (_bandwidth(flow, name) for name, row in more for flow in row)
    for one in (probe for row in latencies(plan, configured) for probe in row):
        most = f"{one.most_us:.1f} us, {one.most_p99_us:.1f} us in 99 of 100"
        says = f"{one.receiver} is {most} at most from {one.sender} on rail {one.rail}"
        yield LatencyExpected(f"lat:{one.id}", one.sender, says, one)
    yield from coverages(plan, configured, rounds, (name for name, _ in more))


def _bandwidth(flow: LoadProbe, matching: str = "") -> BandwidthExpected:
    least = f"{flow.least_gbps:g} of {flow.rate_gbps:g} Gb/s"
    says = f"{flow.receiver} gets {least} from {flow.sender} over rail {flow.rail}"
    says += ", as matched at random" if matching else ""
    return BandwidthExpected(expectation_of(flow), flow.sender, says, flow, matching)


def expectation_of(flow: LoadProbe) -> str:
    """The expectation that a flow answers, whichever round it ran in."""
    return f"bw:{flow.id}"
