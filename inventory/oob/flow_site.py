"""What the rules of the boundary and its flows read: one site, reduced to words and places."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import wraps
from ipaddress import IPv4Address, IPv4Network

from inventory.load.yaml_positions import Path
from inventory.model import Fabric
from inventory.plan.boundary import Flow
from inventory.problems import Problem
from inventory.schema.boundary import BoundaryFile
from inventory.topology import addressing

from .boundary import Prefixes, balanced, flows_of, has_nat
from .flows import HOSTS, WORDS, ZONES, default_flows, neighbours


@dataclass(frozen=True, slots=True)
class Wrong:
    """A problem of a site, before its line and column are known."""

    path: Path
    found: str
    expected: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Placed:
    """A flow, and where the file says it; None for what every site has."""

    flow: Flow
    path: Path | None


@dataclass(frozen=True)
class FlowSite:
    """A site as its flows see it.

    `present` are the planes and zones that it has; `groups` maps each group of servers to the
    plane it is reached on; `names` tells every device's name, also after growth; `asns` are
    those of switches. `storage_*` are None where the site has no storage plane.
    """

    boundary: BoundaryFile | None
    present: frozenset[str] = frozenset({"compute", "hostmgmt", "netmgmt"})
    groups: Mapping[str, str] = field(default_factory=dict)
    names: Callable[[], frozenset[str]] = frozenset
    asns: tuple[range, ...] = ()
    access: IPv4Address | None = None
    packages_port: int = 8080
    storage_transport: str | None = None
    storage_attach: str | None = None
    default_route: IPv4Address | None = None


Rule = Callable[[FlowSite], Iterator[Wrong]]
FabricRule = Callable[[Fabric], Iterator[Problem]]


def of_fabric(rule: Rule) -> FabricRule:
    """Return a rule of a FlowSite as a rule of a Fabric, with its name and reason."""

    @wraps(rule)
    def asked(fabric: Fabric) -> Iterator[Problem]:
        for wrong in rule(flow_site(fabric)):
            yield fabric.problem(wrong.path, wrong.found, wrong.expected, wrong.hint)

    return asked


def flow_site(fabric: Fabric) -> FlowSite:
    """Return what the rules read of a Fabric."""
    intent = fabric.intent
    storage, business = intent.storage, intent.business
    return FlowSite(
        boundary=intent.boundary,
        present=frozenset(networks(fabric)) - {"oob_server"},
        groups=_groups(fabric),
        names=lambda: fabric.names_at_maxima | {fabric.intent.oob.server},
        asns=tuple(_asns(fabric)),
        access=intent.oob.access,
        packages_port=intent.oob.packages_port,
        storage_transport=storage.transport if storage else None,
        storage_attach=storage.attach if storage else None,
        default_route=business.default_route if business else None,
    )


def networks(fabric: Fabric) -> dict[str, Prefixes]:
    """Return the networks of each plane and zone that the site has, and of the OOB server."""
    intent = fabric.intent
    out: dict[str, Prefixes] = {"compute": intent.compute.pools.rails}
    if intent.storage:
        out["storage"] = intent.storage.addresses
    if intent.business:
        out["business"] = tuple(vlan.addresses for vlan in intent.business.vlans)
    zones = intent.oob.zones
    out |= {name: getattr(zones, name) for name in ZONES if getattr(zones, name) is not None}
    return out | {"oob_server": IPv4Network(intent.oob.access)}


def _groups(fabric: Fabric) -> dict[str, str]:
    """The network that each group is reached on: business, where its servers have a NIC there.

    A group that is named like a plane or zone is not told apart from it.
    """
    out, intent = {}, fabric.intent
    for name, group in intent.servers.items():
        profile = fabric.node_profiles[group.profile]
        if profile.business and intent.business:
            out[name] = "business"
        elif profile.storage and intent.storage:
            out[name] = "storage"
        else:
            out[name] = "hostmgmt"
    return {name: network for name, network in out.items() if name not in WORDS}


def _asns(fabric: Fabric) -> Iterator[range]:
    for one in fabric.fabrics:
        yield from addressing.asn_ranges(one).values()
    for override in fabric.intent.overrides.values():
        if override.asn is not None:
            yield range(override.asn, override.asn + 1)


def words(site: FlowSite) -> frozenset[str]:
    """Return every word that a flow of this site may name."""
    return site.present | frozenset(site.groups) | frozenset(HOSTS)


def placed_flows(site: FlowSite) -> tuple[Placed, ...]:
    """Return all that may pass, with its place; entries that cannot be read are left out.

    What no firewall sees, hosts of one network, is there too.
    """
    section = site.boundary
    if section is None:
        return ()
    known = words(site)
    everywhere = default_flows(known, site.packages_port, nat=has_nat(section))
    out = [Placed(flow, None) for flow in (*everywhere, *neighbours(site.groups))]
    for path, flows in said(section, site.packages_port):
        out += [Placed(flow, path) for flow in flows if {flow.source, flow.target} <= known]
    return tuple(out)


def said(section: BoundaryFile, packages_port: int) -> Iterator[tuple[Path, tuple[Flow, ...]]]:
    """Return what the file allows, entry by entry: flows, then members of load balancers."""
    for index, entry in enumerate(section.flows):
        yield ("boundary", "flows", index), flows_of(entry, packages_port)
    for index, balancer in enumerate(section.load_balancers):
        for place, flows in enumerate(balanced(balancer, packages_port)):
            yield ("boundary", "load_balancers", index, "members", place), flows
