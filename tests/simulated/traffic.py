"""What flows get and what ports count while they run at once: shares, headers, noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from inventory.plan import PortRef

from .paths import Fabric, Flow, Path

GOODPUT = 0.98  # of the line rate at an RDMA MTU of 4096: the rest is headers
_BYTES_PER_GBIT = 1e9 / 8


@dataclass(frozen=True, slots=True)
class Noise:
    """What no measurement is free of; nobody who plans or judges is told.

    `spread` is how far results fall below their true value (half-normal, a share), `jobs` the
    share of a port's rate that other traffic adds to its counters, at random up to this.
    """

    spread: float = 0.01
    jobs: float = 0.02


@dataclass(frozen=True)
class Faults:
    """What is wrong, by egress port: both directions of a cable are two entries.

    `capacity` multiplies what a port carries; `drag` multiplies the rate of each stream that
    crosses it, however idle it is (loss and its retransmissions).
    """

    capacity: Mapping[PortRef, float] = field(default_factory=dict)
    drag: Mapping[PortRef, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Ran:
    """Flows that ran together: the Gb/s that each receiver got, and the streams' paths."""

    gbps: tuple[float, ...]
    paths: tuple[tuple[Path, ...], ...]


class Traffic:
    """Runs flows over a fabric. Port counters go on from run to run, as real ones do."""

    def __init__(
        self, fabric: Fabric, seed: int, noise: Noise | None = None, faults: Faults | None = None
    ) -> None:
        self.fabric, self._random = fabric, Random(seed)
        self._noise, self._faults = noise or Noise(), faults or Faults()
        self._carries = [
            rate * self._faults.capacity.get(port, 1.0) for port, rate in fabric.rates.items()
        ]
        self._drag = {fabric.number[one]: drag for one, drag in self._faults.drag.items()}
        self._sent = [self._random.randrange(1 << 40) for _ in fabric.ports]

    def run(self, flows: Sequence[Flow], seconds: float) -> Ran:
        """All flows at once for so long. Each asks an even part on each of its streams.

        Where a port is asked for more than it carries, every stream there gets the same part of
        what it asks; a stream gets the part of its tightest port. (Less than max-min fairness
        would give: a healthy fabric looks a little worse than it is.)
        """
        paths = [self.fabric.paths(one) for one in flows]
        each = [one.gbps / max(1, len(one.udp_ports)) for one in flows]
        shares = self._shares(each, paths)
        sent = [0.0] * len(shares)
        got: list[float] = []
        for gbps, ways in zip(each, paths, strict=True):
            total = 0.0
            for way in ways:
                part = gbps * self._part(way, shares)
                total += part
                for hop in way:
                    sent[hop] += part
            spread = abs(self._random.gauss(0, self._noise.spread))
            got.append(total * GOODPUT * (1 - spread))
        self._count(sent, seconds)
        return Ran(tuple(got), tuple(paths))

    def sent_bytes(self) -> dict[PortRef, int]:
        """The counter of bytes sent of every port, as it stands. What a port receives is what
        its peer sends."""
        return dict(zip(self.fabric.ports, self._sent, strict=True))

    def _shares(self, each: Sequence[float], paths: Sequence[tuple[Path, ...]]) -> list[float]:
        asked = [0.0] * len(self._carries)
        for gbps, ways in zip(each, paths, strict=True):
            for way in ways:
                for hop in way:
                    asked[hop] += gbps
        both = zip(asked, self._carries, strict=True)
        return [min(1.0, has / wanted) if wanted else 1.0 for wanted, has in both]

    def _part(self, way: Path, shares: Sequence[float]) -> float:
        if not way:
            return 0.0
        least = min([shares[hop] for hop in way])
        if self._drag:
            for hop in way:
                least *= self._drag.get(hop, 1.0)
        return least

    def _count(self, sent: Sequence[float], seconds: float) -> None:
        draw, jobs = self._random.random, self._noise.jobs
        for hop, rate in enumerate(self.fabric.rates.values()):
            gbps = min(rate, sent[hop] + rate * jobs * draw())
            self._sent[hop] += int(gbps * seconds * _BYTES_PER_GBIT)
