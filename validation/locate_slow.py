"""From slow flows to the part to go and look at.

NIC, cable and leaf port are one suspect here: loads cannot tell them apart.
"""

from __future__ import annotations

from collections.abc import Sequence

from inventory.plan import Plan, PortRef

from .load_result import Measured
from .loads import LoadProbe
from .locate import Blame
from .pairs import PARTNERS, Way, cleared, ways

_SAYS = {"sends": "what it sends", "receives": "what it receives"}


def blame(plan: Plan, flow: LoadProbe, found: Sequence[Measured]) -> Blame:
    """The suspect of a slow flow, from all flows that were measured."""
    good = cleared(found)
    left = [way for way in ways(flow) if way not in good]
    if len(left) == 1 and (partners := _good_partners(left[0], found, good)):
        inside = flow.leaves[0] == flow.leaves[1]
        if inside or len(partners) >= PARTNERS:
            return _nic(plan, left[0], flow, partners)
    if len(left) == 2 and flow.leaves[0] == flow.leaves[1]:
        pair = " and ".join(sorted((flow.sender, flow.receiver)))
        return Blame(f"pair {pair} on rail {flow.rail}", "neither is good with anybody else")
    return Blame(f"path {flow.sender} > {flow.receiver}", "", "look at the uplinks between them")


def _good_partners(way: Way, found: Sequence[Measured], good: frozenset[Way]) -> list[str]:
    """NICs with which this way was slow although their own way is good."""
    mine = [one.flow for one in found if one.slow and way in ways(one.flow)]
    others = {other for flow in mine for other in ways(flow) if other != way}
    return sorted(node for rail, node, does in others if (rail, node, does) in good)


def _nic(plan: Plan, way: Way, flow: LoadProbe, partners: list[str]) -> Blame:
    _, node, does = way
    port = flow.sender_port if does == "sends" else flow.receiver_port
    cable = plan.cable_at[PortRef(node, port)]
    found = f"{node}:{port}: {_SAYS[does]} is slow with {', '.join(partners)}, good with others"
    hint = "NIC, cable and leaf port are one suspect: compare the counters of both ends, swap one"
    return Blame(f"cable {cable}", found, hint)
