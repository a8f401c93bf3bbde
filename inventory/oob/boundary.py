"""The boundary of a site, from its section of `fabric.yml`: pure, and None where there is none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from inventory.load.yaml_positions import Path
from inventory.plan.boundary import (
    Boundary,
    Dmz,
    EdgeRouter,
    Firewall,
    FirewallSeats,
    Flow,
    LoadBalancer,
    Nat,
    Place,
)
from inventory.schema.boundary import BoundaryFile, FlowFile, LoadBalancerFile, ServiceFile

from .flows import PACKAGES, PROTOCOLS, SERVICES, default_flows, ports_of

_AT = "boundary"
_EVERYWHERE = IPv4Network("0.0.0.0/0")

Prefixes = IPv4Network | tuple[IPv4Network, ...]


def derive_boundary(
    section: BoundaryFile | None, places: Mapping[str, Prefixes], packages_port: int
) -> Boundary | None:
    """Return the boundary with every flow that may pass; None where the site has none.

    `places` are the networks of each plane, zone, group of servers and of the OOB server, by
    word: whatever is not there gets no flow. The section must have passed `check`.
    """
    if section is None:
        return None
    here = {**places, **_own_places(section)}
    flows = {*default_flows(here, packages_port, nat=has_nat(section))}
    for entry in section.flows:
        flows |= {*flows_of(entry, packages_port)}
    for balancer in section.load_balancers:
        flows |= {flow for some in balanced(balancer, packages_port) for flow in some}
    return Boundary(
        edge_routers=_edge_routers(section),
        firewalls=_firewalls(section),
        virtual=_seats(
            section,
            section.firewall.outside.virtual,
            section.firewall.inside.virtual,
            section.firewall.dmz.virtual,
        ),
        nat=_nat(section),
        load_balancers=tuple(
            sorted(
                LoadBalancer(load.name, load.virtual, load.service, tuple(sorted(load.members)))
                for load in section.load_balancers
            )
        ),
        dmz=_dmz(section),
        places=tuple(sorted(Place(word, _prefixes(one)) for word, one in here.items())),
        flows=tuple(sorted(flows)),
    )


def has_nat(section: BoundaryFile) -> bool:
    """Whether the business plane leaves the site by NAT."""
    return section.nat is not None and "business" in section.nat.planes


def flows_of(entry: FlowFile, packages_port: int) -> tuple[Flow, ...]:
    """Return an entry as flows, one for each port; none where its service is not known."""
    return tuple(
        Flow(entry.source, entry.target, protocol, port, entry.service, entry.why)
        for protocol, port in ports(entry, packages_port)
    )


def balanced(entry: LoadBalancerFile, packages_port: int) -> Iterator[tuple[Flow, ...]]:
    """Return for each member what the outside may open there through the load balancer."""
    for member in entry.members:
        why = f"load balancer {entry.name}"
        yield tuple(
            Flow("outside", member, protocol, port, entry.service, why)
            for protocol, port in ports(entry, packages_port)
        )


def ports(entry: ServiceFile, packages_port: int) -> tuple[tuple[str, int], ...]:
    """Return protocol and port of each part of a service; none where it is not known."""
    if entry.service in SERVICES or entry.service == PACKAGES:
        return ports_of(entry.service, packages_port)
    if entry.protocol in PROTOCOLS and entry.port is not None:
        return ((entry.protocol, entry.port),)
    return ()


def boundary_networks(section: BoundaryFile | None) -> dict[Path, IPv4Network]:
    """Return the networks of the boundary by their place in the file: apart from all pools.

    Addresses for NAT and load balancers may lie in the firewalls' outside network, and edge
    routers may share a provider's: those are not named a second time.
    """
    if section is None:
        return {}
    firewall = section.firewall
    out: dict[Path, IPv4Network] = {
        (_AT, "firewall", "outside", "prefix"): firewall.outside.prefix,
        (_AT, "firewall", "inside", "prefix"): firewall.inside.prefix,
        (_AT, "dmz", "prefix"): section.dmz.prefix,
    }
    public: dict[Path, IPv4Network] = {
        (_AT, "edge_routers", index, "provider"): one.provider.network
        for index, one in enumerate(section.edge_routers)
    }
    public |= {path: IPv4Network(address) for path, address in public_addresses(section)}
    for path, network in public.items():
        if network not in out.values() and not network.subnet_of(firewall.outside.prefix):
            out[path] = network
    return out


def public_addresses(section: BoundaryFile) -> Iterator[tuple[Path, IPv4Address]]:
    """Return the addresses that the outside calls or sees, beside those of routers."""
    for index, address in enumerate(section.nat.addresses if section.nat else ()):
        yield (_AT, "nat", "addresses", index), address
    for index, one in enumerate(section.load_balancers):
        yield (_AT, "load_balancers", index, "virtual"), one.virtual


def seated_addresses(section: BoundaryFile) -> Iterator[tuple[Path, IPv4Address, IPv4Network]]:
    """Return each address of the boundary that must lie in one of its networks, and which."""
    firewall, dmz = section.firewall, section.dmz
    for index, one in enumerate(section.edge_routers):
        yield (_AT, "edge_routers", index, "inside"), one.inside, firewall.outside.prefix
    legs = (
        ("outside", firewall.outside, firewall.outside.prefix),
        ("inside", firewall.inside, firewall.inside.prefix),
        ("dmz", firewall.dmz, dmz.prefix),
    )
    for name, leg, prefix in legs:
        for index, address in enumerate(leg.addresses):
            yield (_AT, "firewall", name, "addresses", index), address, prefix
        yield (_AT, "firewall", name, "virtual"), leg.virtual, prefix
    yield (_AT, "dmz", "jump_host", "address"), dmz.jump_host.address, dmz.prefix


def _own_places(section: BoundaryFile) -> dict[str, Prefixes]:
    # The controller is whoever may reach the OOB server's access address: no network of ours.
    return {
        "controller": (),
        "dmz": section.dmz.prefix,
        "jump_host": IPv4Network(section.dmz.jump_host.address),
        "outside": _EVERYWHERE,
    }


def _prefixes(value: Prefixes) -> tuple[IPv4Network, ...]:
    return tuple(sorted(value)) if isinstance(value, tuple) else (value,)


def _in(prefix: IPv4Network, address: IPv4Address) -> IPv4Interface:
    return IPv4Interface((int(address), prefix.prefixlen))


def _edge_routers(section: BoundaryFile) -> tuple[EdgeRouter, ...]:
    return tuple(
        sorted(
            EdgeRouter(
                name=router.name,
                asn=router.asn,
                provider_asn=router.provider_asn,
                provider=router.provider,
                inside=_in(section.firewall.outside.prefix, router.inside),
                uplink_gbps=router.uplink_gbps,
            )
            for router in section.edge_routers
        )
    )


def _firewalls(section: BoundaryFile) -> tuple[Firewall, ...]:
    firewall = section.firewall
    places = zip(
        firewall.outside.addresses, firewall.inside.addresses, firewall.dmz.addresses, strict=True
    )
    return tuple(
        sorted(
            Firewall(name, _seats(section, *seats))
            for name, seats in zip(firewall.names, places, strict=True)
        )
    )


def _seats(
    section: BoundaryFile, outside: IPv4Address, inside: IPv4Address, dmz: IPv4Address
) -> FirewallSeats:
    return FirewallSeats(
        outside=_in(section.firewall.outside.prefix, outside),
        inside=_in(section.firewall.inside.prefix, inside),
        dmz=_in(section.dmz.prefix, dmz),
    )


def _nat(section: BoundaryFile) -> Nat | None:
    if section.nat is None:
        return None
    return Nat(tuple(sorted(section.nat.planes)), tuple(sorted(section.nat.addresses)))


def _dmz(section: BoundaryFile) -> Dmz:
    dmz, host = section.dmz, section.dmz.jump_host
    return Dmz(dmz.prefix, section.firewall.dmz.virtual, host.name, _in(dmz.prefix, host.address))
