"""Rules for the devices of the boundary: names, AS numbers, addresses and the way out."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address

from inventory.load.yaml_positions import Path, dotted
from inventory.oob.boundary import public_addresses, seated_addresses
from inventory.oob.flow_site import FlowSite, Rule, Wrong
from inventory.schema.boundary import BoundaryFile

# Ansible gives these names a meaning of its own.
_RESERVED_NAMES = frozenset({"all", "localhost", "ungrouped"})
# So begin the names that the plan gives to racks and to what hangs in them.
_PLANNED_NAMES = ("oob-", "pdu-", "rack-")


def boundary_names_are_free(site: FlowSite) -> Iterator[Wrong]:
    """Names are identities in DNS, SSH and reports: none may mean two devices, also later."""
    if site.boundary is None:
        return
    devices, seen = site.names(), dict[str, Path]()
    for path, name in _names(site.boundary):
        first = seen.setdefault(name, path)
        if name in devices or name in _RESERVED_NAMES or name.startswith(_PLANNED_NAMES):
            hint = "a device of this site has that name, now or after growth"
            yield Wrong(path, f"`{name}`", "a name of its own", hint)
        elif first != path:
            yield Wrong(path, f"`{name}`", "a name of its own", f"{dotted(first)} has it")


def edge_asns_are_apart(site: FlowSite) -> Iterator[Wrong]:
    """A router drops routes that carry its own ASN (RFC 4271, 9.1.2), so none is used twice.

    With the provider's own number the session would be internal BGP, without its safeguards.
    """
    if site.boundary is None:
        return
    for index, one in enumerate(site.boundary.edge_routers):
        at: Path = ("boundary", "edge_routers", index, "asn")
        if one.asn == one.provider_asn:
            yield Wrong(at, str(one.asn), "an ASN other than the provider's")
        if any(one.asn in numbers for numbers in site.asns):
            yield Wrong(at, str(one.asn), "an ASN that no switch has, now or after growth")


def boundary_addresses_are_inside(site: FlowSite) -> Iterator[Wrong]:
    """An address outside its network is reached by nobody on it."""
    for path, address, network in seated_addresses(site.boundary) if site.boundary else ():
        ends = (network.network_address, network.broadcast_address)
        if address not in network or address in ends:
            yield Wrong(path, str(address), f"an address inside {network}")


def boundary_addresses_are_unique(site: FlowSite) -> Iterator[Wrong]:
    """Two devices of one address answer in turn, and a firewall's state is lost between them."""
    if site.boundary is None:
        return
    seen: dict[IPv4Address, Path] = {site.access: ("oob", "access")} if site.access else {}
    for path, address in _addresses(site.boundary):
        first = seen.setdefault(address, path)
        if first != path:
            yield Wrong(path, str(address), "an address of its own", f"{dotted(first)} has it")


def business_has_a_way_out(site: FlowSite) -> Iterator[Wrong]:
    """What may leave needs a route to the firewalls, by the address that outlives one of them.

    A default route without a boundary leads out past every rule.
    """
    if site.boundary is None and site.default_route is not None:
        path: Path = ("business", "default_route")
        yield Wrong(path, str(site.default_route), "a `boundary`, which says what may leave")
    if site.boundary is None or "business" not in site.present:
        return
    virtual = site.boundary.firewall.inside.virtual
    asks = [
        ("boundary", "flows", index)
        for index, one in enumerate(site.boundary.flows)
        if (one.source, one.target) == ("business", "outside")
    ]
    asked: list[Path] = [("boundary", "nat", "planes")] if site.boundary.nat else [*asks]
    if asked and site.default_route is None:
        hint = f"business.default_route: {virtual}"
        yield Wrong(asked[0], "a way out for `business`", "a default route in that plane", hint)
    elif site.default_route not in (None, virtual):
        expected = f"the firewalls' virtual address inside, {virtual}"
        yield Wrong(("business", "default_route"), str(site.default_route), expected)


def lossless_storage_is_not_on_mlag(site: FlowSite) -> Iterator[Wrong]:
    """A bond over two leaves needs their peer link, which then has to carry PFC too.

    After lost uplinks traffic goes leaf, other leaf, spine, leaf: buffers that wait for each
    other in a ring, so one pause can stop them all for ever. Sources: NVIDIA Onyx User Manual,
    MLAG (PFC on the inter-peer link); Hu et al., Tagger, CoNEXT 2017 (cyclic buffer dependency).
    """
    if (site.storage_transport, site.storage_attach) == ("roce", "lacp"):
        expected = "`l3` with transport `roce`: a routed link for each NIC"
        hint = "PFC over the peer link of two leaves can deadlock after uplinks fail"
        yield Wrong(("storage", "attach"), "`lacp`, so lossless storage on MLAG", expected, hint)


def _names(section: BoundaryFile) -> Iterator[tuple[Path, str]]:
    for index, router in enumerate(section.edge_routers):
        yield ("boundary", "edge_routers", index, "name"), router.name
    for index, name in enumerate(section.firewall.names):
        yield ("boundary", "firewall", "names", index), name
    for index, balancer in enumerate(section.load_balancers):
        yield ("boundary", "load_balancers", index, "name"), balancer.name
    yield ("boundary", "dmz", "jump_host", "name"), section.dmz.jump_host.name


def _addresses(section: BoundaryFile) -> Iterator[tuple[Path, IPv4Address]]:
    for index, one in enumerate(section.edge_routers):
        yield ("boundary", "edge_routers", index, "provider"), one.provider.ip
    yield from ((path, address) for path, address, _ in seated_addresses(section))
    yield from public_addresses(section)


BOUNDARY_RULES: tuple[Rule, ...] = (
    boundary_names_are_free,
    edge_asns_are_apart,
    boundary_addresses_are_inside,
    boundary_addresses_are_unique,
    business_has_a_way_out,
    lossless_storage_is_not_on_mlag,
)
