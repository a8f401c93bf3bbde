"""Runs rounds of planned loads over the simulated fabric and answers exactly what was asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from inventory.plan import PortRef
from validation.locating.seen import Seen
from validation.pairing.load_result import Measured
from validation.pairing.loads import LoadProbe
from validation.pairing.pairs import ways

from .paths import Fabric, Flow
from .traffic import GOODPUT, Faults, Noise, Traffic

HICCUP = 1e-4  # of all flows: something else was busy for a moment, and nothing is bad
FIRST_UDP, LAST_UDP = 49152, 65535  # RDMA NICs draw the source port (RFC 6335, dynamic ports)


class Healthy:
    """Rounds inside leaves as a good fabric answers them, noise drawn once, and who is in them.

    Every NIC is in one pair of such a round, so nothing is shared and a fault changes only the
    flows of its own NICs: the rest need not be drawn again for each case.
    """

    def __init__(self, rounds: Iterable[Sequence[LoadProbe]], seed: int, noise: Noise) -> None:
        gauss = Random(f"healthy/{seed}").gauss
        self.seen: list[Seen] = []
        self.of_nic: dict[tuple[str, str], list[tuple[int, int]]] = {}
        for number, row in enumerate(rounds):
            got = []
            for at, one in enumerate(row):
                rate = one.rate_gbps * GOODPUT * (1 - abs(gauss(0, noise.spread)))
                got.append(Measured(one, rate))
                self.of_nic.setdefault((one.sender, one.sender_port), []).append((number, at))
                self.of_nic.setdefault((one.receiver, one.receiver_port), []).append((number, at))
            self.seen.append(Seen(tuple(got)))
            assert not self.seen[-1].slow
            assert self.seen[-1].good_ways


class World:
    """One fabric with its faults: flow rates and port counters, nothing else."""

    def __init__(self, fabric: Fabric, faults: Faults, seed: int, *, counted: bool = True) -> None:
        self._dice, self._noise, self._faults = Random(f"world/{seed}"), Noise(), faults
        self._traffic = Traffic(fabric, self._dice.randrange(1 << 30), self._noise, faults)
        self._counted, self._fabric = counted, fabric
        self._hops = [
            (at, port)
            for at, port in enumerate(fabric.ports)
            if port.device in fabric.plan.switch and fabric.plan.cable_at.get(port)
        ]

    def inside(self, healthy: Healthy) -> list[Seen]:
        """The rounds inside leaves, changed where faults and hiccups touch them."""
        changed: dict[int, dict[int, Measured]] = {}
        nics = {self._nic(port) for port in (*self._faults.capacity, *self._faults.drag)}
        for nic in sorted(nics):
            for number, at in healthy.of_nic.get(nic, ()):
                one = healthy.seen[number].flows[at]
                out = PortRef(one.flow.sender, one.flow.sender_port)
                left = self._left(out, self._into(one.flow))
                if left < 1:
                    changed.setdefault(number, {})[at] = Measured(one.flow, one.gbps * left)
        for number, row in enumerate(healthy.seen):
            for at in self._hiccups(len(row.flows)):
                mine = changed.setdefault(number, {})
                mine[at] = self._disturbed(mine.get(at, row.flows[at]))
        return [_with(row, changed.get(number, {})) for number, row in enumerate(healthy.seen)]

    def _nic(self, port: PortRef) -> tuple[str, str]:
        """The NIC that a port is, or is cabled to."""
        cable = self._fabric.plan.cable_at[port]
        nic = cable.a if cable.a.device in self._fabric.plan.node else cable.b
        return nic.device, nic.port

    def _into(self, flow: LoadProbe) -> PortRef:
        cable = self._fabric.plan.cable_at[PortRef(flow.receiver, flow.receiver_port)]
        return cable.a if cable.b.device == flow.receiver else cable.b

    def _left(self, *hops: PortRef) -> float:
        capacity, drag = self._faults.capacity, self._faults.drag
        lost = 1.0
        for hop in hops:
            lost *= drag.get(hop, 1.0)
        return min(capacity.get(hop, 1.0) for hop in hops) * lost

    def run(self, flows: Sequence[LoadProbe], *, judged: bool = True) -> Seen:
        """Any round: each stream draws its UDP port, so its path, anew."""
        draw = self._dice.randrange
        asked = [
            Flow(
                PortRef(one.sender, one.sender_port),
                PortRef(one.receiver, one.receiver_port),
                tuple(draw(FIRST_UDP, LAST_UDP + 1) for _ in range(one.terms.streams)),
                self._fabric.rates[PortRef(one.sender, one.sender_port)],
            )
            for one in flows
        ]
        before = self._traffic._sent[:]
        ran = self._traffic.run(asked, flows[0].terms.seconds)
        after = self._traffic._sent
        got = [Measured(one, gbps) for one, gbps in zip(flows, ran.gbps, strict=True)]
        for at in self._hiccups(len(got)):
            got[at] = self._disturbed(got[at])
        if not judged:
            got = []
        sent = {port: (after[at] - before[at]) * 8e-9 for at, port in self._hops}
        return Seen(tuple(got), sent if self._counted else {}, asked=tuple(flows[:1]))

    def _hiccups(self, count: int) -> list[int]:
        return [at for at in range(count) if self._dice.random() < HICCUP]

    def _disturbed(self, one: Measured) -> Measured:
        return Measured(one.flow, one.gbps * self._dice.uniform(0.4, 0.9))


def _with(row: Seen, changed: dict[int, Measured]) -> Seen:
    """The round with some results changed; its counts are changed with them, not made anew."""
    if not changed:
        return row
    flows = list(row.flows)
    good = row.good_ways.copy()
    for at, one in changed.items():
        for way in ways(one.flow) if not one.good else ():
            good[way] -= 1
            if not good[way]:
                del good[way]
        flows[at] = one
    new = Seen(tuple(flows))
    new.__dict__.update(
        good_ways=good,
        crossing=(),
        slow=tuple(one for _, one in sorted(changed.items()) if one.slow),
    )
    return new
