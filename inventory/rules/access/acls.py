"""Rules for the access lists of VLANs: what users' packets may not be let into.

A VLAN without a list is kept apart by its routing table alone; a list that is there is believed,
so it may open nothing that the flows do not name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from ipaddress import IPv4Network

from inventory.model import Fabric
from inventory.oob.flow_site import flow_site, networks, placed_flows
from inventory.oob.flows import ANY, ZONES
from inventory.problems import Problem
from inventory.schema.access import AclRule, Vlan

_CLOSED = ("compute", "storage", *ZONES)


def acls_open_no_other_plane(fabric: Fabric) -> Iterator[Problem]:
    """The first line that fits decides: a permit before its deny opens the plane behind it.

    Compute, storage and the OOB zones are opened by a flow of the boundary alone, as `business`
    to `storage` may be, and by its protocol and port.
    """
    business = fabric.intent.business
    if business is None:
        return
    known, flows = networks(fabric), _named(fabric)
    closed = [(word, pool) for word in _CLOSED if isinstance(pool := known.get(word), IPv4Network)]
    for at, vlan in enumerate(business.vlans):
        for word, pool in closed:
            number = _opened_by(vlan, pool, flows.get(word, set()))
            if number is not None:
                path = ("business", "vlans", at, "acl", number)
                found = f"a permit of what reaches `{word}`, {pool}"
                hint = (
                    f"before it: {{action: deny, protocol: ip, source: any, destination: {pool}}}"
                )
                yield fabric.problem(path, found, f"no way from `business` to `{word}`", hint)
                break


def _named(fabric: Fabric) -> dict[str, set[tuple[str, int]]]:
    """Protocol and port of each flow from the business plane, by the plane it goes to."""
    site = flow_site(fabric)
    out: dict[str, set[tuple[str, int]]] = {}
    for flow in (placed.flow for placed in placed_flows(site)):
        if site.groups.get(flow.source, flow.source) == "business":
            target = site.groups.get(flow.target, flow.target)
            out.setdefault(target, set()).add((flow.protocol, flow.port))
    return out


def _opened_by(vlan: Vlan, pool: IPv4Network, named: set[tuple[str, int]]) -> int | None:
    """The first rule that permits a packet from the VLAN into what no rule before it denies."""
    left = [pool]
    for number, rule in enumerate(vlan.acl):
        destination = _network(rule.destination)
        if rule.action == "deny":
            if _denies_all(rule, vlan):
                left = [part for one in left for part in _without(one, destination)]
        elif any(one.overlaps(destination) for one in left) and _opens(rule, vlan, named):
            return number
    return None


def _denies_all(rule: AclRule, vlan: Vlan) -> bool:
    everybody = vlan.addresses.subnet_of(_network(rule.source))
    return everybody and rule.protocol == "ip"


def _opens(rule: AclRule, vlan: Vlan, named: set[tuple[str, int]]) -> bool:
    """Whether a permit lets somebody of the VLAN do more than the flows name.

    A port of what has none is told by another rule.
    """
    if rule.port is not None and rule.protocol not in ("tcp", "udp"):
        return False
    mine = _network(rule.source).overlaps(vlan.addresses)
    return mine and (ANY, 0) not in named and (rule.protocol, rule.port) not in named


def _network(said: IPv4Network | str) -> IPv4Network:
    return IPv4Network("0.0.0.0/0") if isinstance(said, str) else said


def _without(one: IPv4Network, gone: IPv4Network) -> Iterator[IPv4Network]:
    if not one.overlaps(gone):
        yield one
    elif not one.subnet_of(gone):
        yield from one.address_exclude(gone)


ACL_RULES: tuple[Callable[[Fabric], Iterator[Problem]], ...] = (acls_open_no_other_plane,)
