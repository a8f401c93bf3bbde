"""Rules for what flows allow together: nothing reaches further than it may.

A login on a host that may go on is a way for whoever holds it, so chains of flows are judged
as well as each flow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

from inventory.load.yaml_positions import Path
from inventory.oob.flow_site import FlowSite, Placed, Rule, Wrong, placed_flows
from inventory.oob.flows import SERVICES, WORDS, ZONES, goes_on, spoken, ways
from inventory.plan.boundary import Flow

# Who may reach whom, directly or from place to place. The controller may reach all, and nobody
# reaches it. Compute and storage have no way but to each other: all else is hostmgmt's.
_ALL_BUT_CONTROLLER = frozenset(WORDS) - {"controller"}
MAY_REACH: Mapping[str, frozenset[str]] = {
    "bmc": frozenset({"oob_server"}),
    "business": frozenset({"dmz", "jump_host", "outside", "storage"}),
    "collectors": frozenset({*ZONES, "oob_server"}),
    "compute": frozenset({"storage"}),
    "controller": frozenset(WORDS),
    "dmz": frozenset({"business", "jump_host", "outside"}),
    "hostmgmt": frozenset({"collectors", "oob_server"}),
    "jump_host": _ALL_BUT_CONTROLLER,
    "netmgmt": frozenset({"collectors", "oob_server"}),
    "oob_server": frozenset(ZONES),
    "outside": frozenset({"business", "dmz", "jump_host"}),
    "power": frozenset({"oob_server"}),
    "storage": frozenset({"compute"}),
}
_CLOSED_PLANES = ("compute", "storage")
_OOB = (*ZONES, "oob_server")
_OPEN = ("business", "dmz", "jump_host", "outside")
# A node's operating system runs in each of these.
_NODES = ("business", "compute", "hostmgmt", "storage")


def closed_planes_stay_closed(site: FlowSite) -> Iterator[Wrong]:
    """Compute and storage carry memory of jobs, in clear and without a firewall's checks.

    They reach each other at most, and never the outside, not even from place to place.
    """
    yield from _leaks(site, _CLOSED_PLANES)


def zones_talk_as_named(site: FlowSite) -> Iterator[Wrong]:
    """Who holds a BMC, a PDU or a switch holds the site: zones are shut to each other.

    A node's operating system never reaches `bmc`: one container escape would reach every BMC.
    Source: NVIDIA DGX H100/H200 User Guide, "Securing the BMC Port".
    """
    yield from _leaks(site, _OOB)


def outsiders_stay_out(site: FlowSite) -> Iterator[Wrong]:
    """The outside ends in the DMZ, in business, or at the jump host, where people are checked.

    Also from place to place: a login in the DMZ that may go on to a node is a way to the node.
    """
    yield from _leaks(site, _OPEN)


def is_allowed(source: str, target: str, groups: Mapping[str, str]) -> bool:
    """Whether one place may reach another; a group of servers is judged as its plane."""
    one, other = groups.get(source, source), groups.get(target, target)
    return one == other or other in MAY_REACH[one]


def _leaks(site: FlowSite, sources: Iterable[str]) -> Iterator[Wrong]:
    placed = placed_flows(site)
    places = _places(placed)
    for source in sources:
        for target, way in sorted(ways(places, source).items()):
            if is_allowed(source, target, site.groups) or _has_shorter(way, site.groups):
                continue
            path = next(filter(None, (places[flow] for flow in reversed(way))), ("boundary",))
            expected = f"no way from `{source}` to `{target}`"
            yield Wrong(path, _chain(way), expected, _why_not(source, target, way))


def _places(placed: Iterable[Placed]) -> dict[Flow, Path | None]:
    places: dict[Flow, Path | None] = {}
    for one in placed:
        places.setdefault(one.flow, one.path)
    return places


def _has_shorter(way: tuple[Flow, ...], groups: Mapping[str, str]) -> bool:
    """Whether a part of this way is forbidden itself, and so is told already."""
    ends = combinations(range(len(way) + 1), 2)
    parts = (way[start:end] for start, end in ends if end - start < len(way))
    return any(
        part[0].source in MAY_REACH and not is_allowed(part[0].source, part[-1].target, groups)
        for part in parts
    )


def _chain(way: tuple[Flow, ...]) -> str:
    return way[0].source + "".join(f" -> {flow.target} ({spoken(flow)})" for flow in way)


def _why_not(source: str, target: str, way: tuple[Flow, ...]) -> str:
    if any(goes_on(flow) and flow.service not in SERVICES for flow in way[:-1]):
        return "a service of the site's own may be a login, and who logs in can go on"
    if target == "outside":
        return "compute, storage and the OOB plane have no way out"
    if target == "bmc" and source in _NODES:
        return "a node's operating system must not reach BMCs: one escape would reach all of them"
    if target in ZONES:
        return "zones are entered from the jump host, the OOB server and the collectors"
    if target in _CLOSED_PLANES:
        return "compute and storage reach each other, and business may ask storage"
    return f"it may reach {', '.join(sorted(MAY_REACH[source]))}"


REACH_RULES: tuple[Rule, ...] = (
    closed_planes_stay_closed,
    zones_talk_as_named,
    outsiders_stay_out,
)
