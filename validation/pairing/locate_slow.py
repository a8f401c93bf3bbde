"""From slow flows to the part to go and look at.

NIC, cable and leaf port are one suspect here: loads cannot tell them apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inventory.plan import Plan, PortRef
from validation.locating.locate import Blame

from .load_result import Measured
from .loads import LoadProbe
from .pairs import PARTNERS, Way, cleared, ways, ways_back

_SAYS = {"sends": "what it sends", "receives": "what it receives"}


def blame(plan: Plan, flow: LoadProbe, found: Sequence[Measured]) -> Blame:
    """The suspect of a slow flow, from all flows that were measured.

    Inside a leaf there is no way but the two NICs'. Across leaves the way between may be slow
    too, so a NIC is blamed there only when it is slow with two good partners. Which uplink a
    TCP flow took cannot be told from its ports: Linux may hash it by socket (skb->l4_hash).
    Acknowledgements take the ways back, which are to blame where the ways there are good.
    """
    good = cleared(found)
    left = _not_in(good, ways(flow)) or _not_in(good, ways_back(flow))
    inside = flow.leaves[0] == flow.leaves[1]
    partners = _good_partners(left[0], found, good) if len(left) == 1 else []
    if len(partners) >= (1 if inside else PARTNERS):
        return _nic(plan, left[0], flow, partners)
    if len(left) == 2 and inside:
        pair = " and ".join(sorted((flow.sender, flow.receiver)))
        return Blame(f"pair {pair} on rail {flow.rail}", "neither is good with anybody else")
    leaves = " and ".join(dict.fromkeys(flow.leaves))
    hint = f"run it again and compare the counters of the uplinks of {leaves}"
    return Blame(f"path {flow.sender} > {flow.receiver}", "", "" if inside else hint)


def _not_in(good: frozenset[Way], some: Iterable[Way]) -> list[Way]:
    return [way for way in some if way not in good]


def _good_partners(way: Way, found: Sequence[Measured], good: frozenset[Way]) -> list[str]:
    """NICs with which this way was slow although their own way is good."""
    mine = [one.flow for one in found if one.slow and way in ways(one.flow)]
    others = {other for flow in mine for other in ways(flow) if other != way}
    return sorted(node for rail, node, does in others if (rail, node, does) in good)


def _nic(plan: Plan, way: Way, flow: LoadProbe, partners: list[str]) -> Blame:
    _, node, does = way
    port = flow.sender_port if node == flow.sender else flow.receiver_port
    cable = plan.cable_at[PortRef(node, port)]
    others = ", ".join(partners)
    found = f"{node}:{port}: {_SAYS[does]} is slow with {others}, which are good with others"
    hint = "NIC, cable and leaf port are one suspect: compare the counters of both ends, swap one"
    return Blame(f"cable {cable}", found, hint)
