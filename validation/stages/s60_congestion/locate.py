"""Where a flow loses its packets, from what was counted on its way while it was alone."""

from __future__ import annotations

from itertools import pairwise

from inventory.plan import Plan, PortRef
from validation.counters.rules import Counted
from validation.locating.locate import Blame
from validation.pairing.loads import LoadProbe

from .phases import levels, links

_LEFT = 0.9  # of the sender's bytes: a load that loses a tenth is no matter of counting


def slow_alone(plan: Plan, flow: LoadProbe, counted: Counted | None) -> Blame:
    """The port that dropped most, or the first device or cable that let too little through.

    Other traffic on the same ports only adds to what they let through, so it may hide a loss, and
    never makes one.
    """
    path = Blame(f"path {flow.sender} > {flow.receiver}")
    if counted is None:
        return path
    return _dropping(plan, flow, counted) or leaking(plan, flow, counted) or path


def _dropping(plan: Plan, flow: LoadProbe, counted: Counted) -> Blame | None:
    outs = [out for out, _ in links(plan, flow)]
    drops = {place: _drops(counted, place) for place in outs}
    worst = max(drops, key=lambda one: (drops[one], one), default=None)
    if worst is None or not drops[worst]:
        return None
    cable = plan.cable_at[worst]
    hint = f"see the rate and queues of {worst}, and the NIC, cable and port of {cable}"
    return Blame(f"cable {cable}", f"{worst} dropped {drops[worst]} packets", hint)


def _drops(counted: Counted, place: PortRef) -> int:
    nic, port = counted.nics.get(place), counted.ports.get(place)
    if nic is not None:
        return nic.link.tx_dropped + (nic.queue.drops if nic.queue else 0)
    if port is None:
        return 0
    return (port.drops or 0) + sum((port.queue_drops or {}).values())


def leaking(plan: Plan, flow: LoadProbe, counted: Counted) -> Blame | None:
    """The first device or cable that lets less through than the flow's sender sent."""
    way = levels(plan, flow)
    first = counted.nics.get(way[0][0][0])
    if first is None:
        return None
    least = _LEFT * (first.nic.tx_bytes if first.nic else first.link.tx_bytes)
    for into, onward in pairwise(way):
        entered, left = [there for _, there in into], [here for here, _ in onward]
        if _sum(counted, entered, "rx_bytes") < least:
            cables = " and ".join(sorted({str(plan.cable_at[end]) for end in entered}))
            said = f"{_names(entered)} got less than was sent"
            return Blame(f"cable {cables}", said, "see the error counters of its ends")
        if _sum(counted, left, "tx_bytes") < least:
            hint = f"what comes in does not go out: see filters and policers of {_names(left)}"
            said = f"{_names(left)} passes on less than it gets"
            return Blame(f"device {_names(left)}", said, hint)
    return None


def _names(places: list[PortRef]) -> str:
    return " or ".join(sorted({end.device for end in places}))


def _sum(counted: Counted, places: list[PortRef], name: str) -> float:
    """Bytes at all these ports; endless where one does not tell."""
    found = [counted.ports.get(end) for end in places]
    return sum(float("inf") if counters is None else getattr(counters, name) for counters in found)
