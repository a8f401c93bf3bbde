"""From late pairs to the part to go and look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inventory.plan import Plan, PortRef
from validation.judging.limits import judge
from validation.locating.locate import Blame

from .latency import PARTNERS, LatencyProbe
from .latency_result import Waited

Nic = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Opinion:
    """Why a pair is late, in numbers; empty where it is not."""

    why: tuple[str, ...]


def opinion(one: Waited, found: Sequence[Waited]) -> Opinion:
    """Against its bounds, and against the pairs of the fleet with as many switches between."""
    probe = one.probe
    limit = probe.terms.limit
    alike = [
        other
        for other in found
        if (other.probe.switches, other.probe.terms) == (probe.switches, probe.terms)
    ]
    median = judge(one.median_us, limit, probe.most_us, [other.median_us for other in alike])
    p99 = judge(one.p99_us, limit, probe.most_p99_us, [other.p99_us for other in alike])
    told = [f"the median is {why}" for why in median.bad]
    return Opinion((*told, *(f"the 99th percentile is {why}" for why in p99.bad)))


def blame(plan: Plan, probe: LatencyProbe, found: Sequence[Waited]) -> Blame:
    """The suspect of a late pair: the NIC that is late with all its partners, if it is one.

    A NIC that was in time with anybody is not to blame. Across leaves the way between may be.
    """
    late = {one.probe.id for one in found if opinion(one, found).why}
    good = {nic for one in found if one.probe.id not in late for nic in _nics(one.probe)}
    left = [nic for nic in _nics(probe) if nic not in good]
    inside = probe.leaves[0] == probe.leaves[1]
    if len(left) == 1:
        mine = [one.probe for one in found if left[0] in _nics(one.probe)]
        partners = sorted({nic[1] for one in mine for nic in _nics(one) if nic in good})
        if len(partners) >= (1 if inside else PARTNERS):
            return _nic(plan, left[0], probe, partners)
    if len(left) == 2 and inside:
        pair = " and ".join(sorted((probe.sender, probe.receiver)))
        return Blame(f"pair {pair} on rail {probe.rail}", "neither is in time with anybody else")
    leaves = " and ".join(dict.fromkeys(probe.leaves))
    hint = "" if inside else f"compare the queues and counters of the uplinks of {leaves}"
    return Blame(f"path {probe.sender} > {probe.receiver}", "", hint)


def _nics(probe: LatencyProbe) -> tuple[Nic, Nic]:
    return (probe.rail, probe.sender), (probe.rail, probe.receiver)


def _nic(plan: Plan, nic: Nic, probe: LatencyProbe, partners: list[str]) -> Blame:
    _, node = nic
    port = probe.sender_port if node == probe.sender else probe.receiver_port
    found = f"{node}:{port} is late with {', '.join(partners)}, which are in time with others"
    hint = "NIC, cable and leaf port are one suspect: compare CPU states, PCIe and counters of it"
    return Blame(f"cable {plan.cable_at[PortRef(node, port)]}", found, hint)
