"""Latency of pairs: which NICs ask each other how long a small message takes, as data.

Only pairs whose NICs both have an RDMA device, and one message at a time: half of a round trip.
The rounds are those of the schedule, thinned: each NIC with two others of its leaf, and every
two leaves once. A round runs when nothing else loads the rails.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cache
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any, ClassVar, Literal

from inventory.own_yaml import own_yaml
from inventory.plan import Plan, PortRef, RailNic
from validation.judging.limits import Limit
from validation.routing.paths import ports_towards

from .loads import SOFTWARE_BELOW_GBPS
from .schedule import FIRST_PORT, MOST_RAILS, Pair, Seat, schedule

THRESHOLDS = Path(__file__).with_name("latency.yml")
PARTNERS = 2  # of its leaf, so that a slow NIC is told from a slow partner
Kind = Literal["ib_write_lat", "soft_roce"]


@dataclass(frozen=True, slots=True, order=True)
class LatencyTerms:
    """The settings and limits of one kind of NIC; `latency.yml` says what they mean."""

    tool: ClassVar[Literal["ib_write_lat"]] = "ib_write_lat"
    seconds: int
    slack_s: int
    qp_timeout: int
    size_bytes: int
    iterations: int
    nics_us: float
    switch_us: float
    fibre_us_per_m: float
    p99_share: float
    gap: float
    mads: float
    source: str

    @property
    def limit(self) -> Limit:
        """The bound as a share of itself, and the distance from the fleet."""
        return Limit(self.source, 1.0, None, self.gap, self.mads, higher_is_better=False)


@dataclass(frozen=True, slots=True, order=True)
class LatencyProbe:
    """One pair of NICs. `switches` and `cable_m` are those of the shortest planned way.

    `port` is the server's. The frame of the result lies with the sender, under `command`.
    """

    id: str
    rail: int
    leaves: tuple[str, str]
    sender: str
    sender_port: str
    sender_device: str
    source: IPv4Address
    receiver: str
    receiver_port: str
    receiver_device: str
    target: IPv4Address
    port: int
    switches: int
    cable_m: float
    dscp: int
    terms: LatencyTerms

    @property
    def command(self) -> str:
        """The name of the evidence frame; it changes with everything that is asked."""
        asked = self.terms
        return (
            f"probe lat {asked.tool} {self.id} {self.source}>{self.target}:{self.port} "
            f"size={asked.size_bytes} iterations={asked.iterations} dscp={self.dscp}"
        )

    @property
    def most_us(self) -> float:
        """The bound on the median."""
        asked = self.terms
        return asked.nics_us + asked.switch_us * self.switches + self.fibre_us

    @property
    def most_p99_us(self) -> float:
        """The bound on the 99th percentile."""
        return self.most_us * self.terms.p99_share

    @property
    def fibre_us(self) -> float:
        """What light needs for the cables: less was measured somewhere else."""
        return self.cable_m * self.terms.fibre_us_per_m


@cache
def latency_terms(kind: Kind) -> LatencyTerms:
    """The settings and limits of a kind. ValueError where the file lacks or adds one."""
    said: dict[str, dict[str, Any]] = own_yaml(THRESHOLDS)
    found = said.get(kind, {})
    expected = {field.name for field in fields(LatencyTerms)}
    if set(found) != expected:
        wrong = ", ".join(sorted(set(found) ^ expected))
        raise ValueError(f"{THRESHOLDS.name}: {kind}: {wrong}: missing or unknown")
    return LatencyTerms(**found)


def latencies(plan: Plan, configured: frozenset[str]) -> tuple[tuple[LatencyProbe, ...], ...]:
    """The probes of each round that can run once `configured` is in place."""
    ways = _Ways(plan, configured)
    rounds = (
        tuple(_probe(plan, ways, pair, number) for pair in pairs if ways.way(pair) is not None)
        for number, pairs in enumerate(_thinned(plan))
    )
    return tuple(round_ for round_ in rounds if round_)


def _thinned(plan: Plan) -> Iterator[list[Pair]]:
    met: Counter[Seat] = Counter()
    joined = set[tuple[int, str, str]]()
    for pairs in schedule(plan):
        kept: list[Pair] = []
        for pair in pairs:
            ends, leaves = (pair.a, pair.b), (pair.a.rail, pair.a.leaf, pair.b.leaf)
            new = leaves not in joined
            wanted = new if pair.crosses else min(met[seat] for seat in ends) < PARTNERS
            if wanted and all(_nic(plan, seat).rdma_device for seat in ends):
                kept.append(pair)
                joined.update([leaves] if pair.crosses else ())
                met.update(() if pair.crosses else ends)
        yield kept


class _Ways:
    """The shortest planned ways between leaves, as (switches, metres of cable)."""

    def __init__(self, plan: Plan, configured: frozenset[str]) -> None:
        self.plan, self.configured = plan, configured
        self._towards: dict[str, dict[str, tuple[str, ...]]] = {}

    def way(self, pair: Pair) -> tuple[int, float] | None:
        """From NIC to NIC; None while something on it is not configured."""
        ends = ((pair.a.node, pair.a.port), (pair.b.node, pair.b.port))
        if not {pair.a.node, pair.b.node, pair.a.leaf, pair.b.leaf} <= self.configured:
            return None
        between = self._between(pair.a.leaf, pair.b.leaf)
        if between is None:
            return None
        last_m = sum(self.plan.cable_at[PortRef(*end)].cable_m for end in ends)
        return between[0], between[1] + last_m

    def _between(self, here: str, there: str) -> tuple[int, float] | None:
        if here != there and there not in self._towards:
            self._towards[there] = ports_towards(self.plan, there, self.configured)
        switches, metres = 1, 0.0
        while here != there:
            ports = self._towards[there].get(here)
            if not ports:
                return None
            cable = self.plan.cable_at[PortRef(here, ports[0])]
            here = cable.b.device if cable.a.device == here else cable.a.device
            switches, metres = switches + 1, metres + cable.cable_m
        return switches, metres


def _nic(plan: Plan, seat: Seat) -> RailNic:
    return next(nic for nic in plan.node[seat.node].rails if nic.index == seat.rail)


def _probe(plan: Plan, ways: _Ways, pair: Pair, number: int) -> LatencyProbe:
    here, there = _nic(plan, pair.a), _nic(plan, pair.b)
    found = ways.way(pair)
    assert found  # noqa: S101 # `latencies` asked before
    rate_gbps = plan.cable_at[PortRef(pair.a.node, pair.a.port)].rate_gbps
    return LatencyProbe(
        id=f"rail{pair.a.rail}:{pair.a.node}>{pair.b.node}",
        rail=pair.a.rail,
        leaves=(pair.a.leaf, pair.b.leaf),
        sender=pair.a.node,
        sender_port=pair.a.port,
        sender_device=here.rdma_device or "",
        source=here.address.ip,
        receiver=pair.b.node,
        receiver_port=pair.b.port,
        receiver_device=there.rdma_device or "",
        target=there.address.ip,
        port=FIRST_PORT + number * MOST_RAILS + pair.a.rail,
        switches=found[0],
        cable_m=found[1],
        dscp=plan.lossless.dscp,
        terms=latency_terms("soft_roce" if rate_gbps < SOFTWARE_BELOW_GBPS else "ib_write_lat"),
    )
