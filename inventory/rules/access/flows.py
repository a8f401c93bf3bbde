"""Rules for flows: what may pass is named, once, between places that exist.

Default deny: a flow that neither every site has nor the file names does not exist. What flows
allow together is judged in `check_reach`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inventory.load.yaml_positions import Path, dotted
from inventory.oob.boundary import ports
from inventory.oob.flow_site import (
    FabricRule,
    FlowSite,
    Placed,
    Rule,
    Wrong,
    of_fabric,
    placed_flows,
    said,
    words,
)
from inventory.oob.flows import ANY, PACKAGES, PROTOCOLS, SERVICES, WORDS, goes_on, spoken
from inventory.plan.boundary import Flow
from inventory.problems import close_to, one_of, shown
from inventory.schema.boundary import ServiceFile

from .boundary import BOUNDARY_RULES
from .reach import REACH_RULES


def flow_ends_are_known(site: FlowSite) -> Iterator[Wrong]:
    """A flow between names that nobody has would allow nothing, and hide what was meant."""
    known = words(site)
    expected = one_of(sorted(known))
    for path, word in _ends(site):
        if word not in known:
            absent = f"this site has no `{word}`" if word in WORDS else ""
            hint = absent or close_to(word, known.union(WORDS))
            yield Wrong(path, shown(word), expected, hint)


def flow_services_are_known(site: FlowSite) -> Iterator[Wrong]:
    """A known name with another port would read as one thing and allow another."""
    known = {*SERVICES, PACKAGES}
    for path, entry in _services(site):
        given = entry.protocol is not None or entry.port is not None
        if entry.service in known:
            if given:
                which = ", ".join(f"{one}/{port}" for one, port in ports(entry, site.packages_port))
                found = f"protocol or port beside `{entry.service}`"
                yield Wrong(path, found, f"the name alone, which is {which}, or a name of your own")
        elif not given:
            expected = "a known service, or protocol and port beside a name of your own"
            hint = close_to(entry.service, known) or f"known: {', '.join(sorted(known))}"
            yield Wrong((*path, "service"), shown(entry.service), expected, hint)
        elif entry.protocol not in PROTOCOLS or entry.port is None:
            found = f"{shown(entry.service)} without a protocol and port that belong together"
            yield Wrong(path, found, f"protocol {one_of(PROTOCOLS)}, and a port")


def flows_cross_a_border(site: FlowSite) -> Iterator[Wrong]:
    """Hosts of one network do not pass the firewall, so nothing there can allow or deny them."""
    network, known = _networks(site.groups), words(site)
    for index, one in enumerate(site.boundary.flows if site.boundary else ()):
        if one.source in known and network.get(one.source, one.source) == network.get(
            one.target, one.target
        ):
            hint = "hosts of one zone are kept apart by port isolation on its switches"
            path: Path = ("boundary", "flows", index)
            found = f"`{one.source}` to `{one.target}`, which share a network"
            yield Wrong(path, found, "two different networks", hint)


def outside_asks_by_name(site: FlowSite) -> Iterator[Wrong]:
    """The outside is everybody: it may call one service, not a host, and never an open proxy.

    A login into `business` would be one into every node; people come in by a group of servers
    that is there for it, by the DMZ, or by the jump host.
    """
    for path, flows in _readable(site):
        for flow in flows:
            if flow.source == "outside" and flow.service in (ANY, "proxy"):
                yield Wrong(path, _said(flow), "a service by name, and no proxy")
            elif (flow.source, flow.target) == ("outside", "business") and goes_on(flow):
                hint = "every node has a NIC there, and who logs in can go on"
                yield Wrong(path, _said(flow), "a group of servers, or the jump host", hint)


def balancers_serve_servers(site: FlowSite) -> Iterator[Wrong]:
    """A load balancer passes people by the jump host's checks, or calls itself from outside."""
    section = site.boundary
    for index, balancer in enumerate(section.load_balancers if section else ()):
        for place, member in enumerate(balancer.members):
            if member in ("controller", "jump_host", "outside"):
                path = ("boundary", "load_balancers", index, "members", place)
                yield Wrong(path, f"`{member}`", "a group of servers of `business`, or `dmz`")


def flows_are_not_repeated(site: FlowSite) -> Iterator[Wrong]:
    """Of two flows that allow the same, taking one away changes nothing: a trap for later.

    Of two that are equal the later one is told.
    """
    network = _networks(site.groups)
    everywhere = [
        placed for placed in placed_flows(site) if not placed.path and placed.flow.protocol != ANY
    ]
    entries = list(_readable(site))
    left = [*everywhere, *(Placed(one, path) for path, flows in entries for one in flows)]
    for path, flows in reversed(entries):
        others = [placed for placed in left if placed.path != path]
        wider = [_wider(flow, others, network) for flow in flows]
        if wider[0] and all(wider):
            left = others
            place, flow = wider[0].path, wider[0].flow
            hint = f"{dotted(place) if place else 'every site has'} {_said(flow)}"
            yield Wrong(path, _said(flows[0]), "a flow that nothing else allows", hint)


def nat_is_for_business(site: FlowSite) -> Iterator[Wrong]:
    """Behind NAT a GPU's or a BMC's network is on the Internet, one way: enough to leak all."""
    nat = site.boundary.nat if site.boundary else None
    for index, word in enumerate(nat.planes if nat else ()):
        if word != "business" and word in words(site):
            path: Path = ("boundary", "nat", "planes", index)
            yield Wrong(path, f"`{word}`", "`business` alone", "other planes have no way out")


def _wider(flow: Flow, others: list[Placed], network: Mapping[str, str]) -> Placed | None:
    return next((placed for placed in others if _covers(placed.flow, flow, network)), None)


def _covers(wide: Flow, narrow: Flow, network: Mapping[str, str]) -> bool:
    ends = ((wide.source, narrow.source), (wide.target, narrow.target))
    service = wide.protocol == ANY or (wide.protocol, wide.port) == (narrow.protocol, narrow.port)
    return service and all(one == other or network.get(other) == one for one, other in ends)


def _readable(site: FlowSite) -> Iterator[tuple[Path, tuple[Flow, ...]]]:
    """The entries whose words and service are known; the others are told elsewhere."""
    known = words(site)
    for path, flows in said(site.boundary, site.packages_port) if site.boundary else ():
        if flows and {flows[0].source, flows[0].target} <= known:
            yield path, flows


def _networks(groups: Mapping[str, str]) -> dict[str, str]:
    """The place that each host or group stands in."""
    return {**groups, "jump_host": "dmz"}


def _said(flow: Flow) -> str:
    return f"{flow.source} -> {flow.target} ({spoken(flow)})"


def _ends(site: FlowSite) -> Iterator[tuple[Path, str]]:
    """Every word for a place that the file names, with its own place."""
    if site.boundary is None:
        return
    for index, one in enumerate(site.boundary.flows):
        yield ("boundary", "flows", index, "from"), one.source
        yield ("boundary", "flows", index, "to"), one.target
    for index, balancer in enumerate(site.boundary.load_balancers):
        for place, member in enumerate(balancer.members):
            yield ("boundary", "load_balancers", index, "members", place), member
    for index, plane in enumerate(site.boundary.nat.planes if site.boundary.nat else ()):
        yield ("boundary", "nat", "planes", index), plane


def _services(site: FlowSite) -> Iterator[tuple[Path, ServiceFile]]:
    if site.boundary is None:
        return
    for index, one in enumerate(site.boundary.flows):
        yield ("boundary", "flows", index), one
    for index, balancer in enumerate(site.boundary.load_balancers):
        yield ("boundary", "load_balancers", index), balancer


SITE_RULES: tuple[Rule, ...] = (
    *BOUNDARY_RULES,
    flow_ends_are_known,
    flow_services_are_known,
    flows_cross_a_border,
    outside_asks_by_name,
    balancers_serve_servers,
    flows_are_not_repeated,
    nat_is_for_business,
    *REACH_RULES,
)
FLOW_RULES: tuple[FabricRule, ...] = tuple(map(of_fabric, SITE_RULES))
