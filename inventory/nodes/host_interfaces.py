"""The interfaces of a node's data planes, one row each: what every network tool is told.

NICs first, then the bonds over them, then the VLANs over both. Each row says all there is
about an interface, so that four tools can print it and none has to compute. The management
port is in no row: it belongs to the installed system.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from typing import Literal
from uuid import NAMESPACE_URL, uuid5

from inventory.plan import AccessNic, AccessVlan, Node, RailNic

from .plan import BOND_WORDS

InterfaceKind = Literal["nic", "bond", "vlan"]

# linux/if.h, IFNAMSIZ less the end.
LONGEST_NAME = 15
# The main table: ip-route(8) calls it `main`, and lists it when nobody asks for another.
MAIN = 254
_ANYWHERE = IPv4Network("0.0.0.0/0")
# Names that systemd gives by slot or path (systemd.net-naming-scheme(7)), and the kernel's own.
_OF_THE_SYSTEM = re.compile(r"(en[opsx]|eth[0-9]).*")


@dataclass(frozen=True, slots=True)
class Route:
    """A route; `metric` 0 is the kernel's own default."""

    to: IPv4Network
    via: IPv4Address
    table: int = MAIN
    metric: int = 0


@dataclass(frozen=True, slots=True)
class Rule:
    """What is sent from `source` looks up `table`."""

    source: IPv4Network
    table: int
    priority: int


@dataclass(frozen=True, slots=True)
class Interface:
    """An interface of a data plane; empty text and 0 for what it has not.

    `pci` is set where we name the NIC. `bond` is the bond that it is in, `ports` are those
    that are in it; `parent` carries a VLAN, `vlans` are those that it carries. `sysctls` are
    below `net.ipv4.conf.NAME`. `uuid` is the name of its profile in NetworkManager.
    """

    name: str
    kind: InterfaceKind
    uuid: str
    ip_mtu_bytes: int
    pci: str = ""
    bond: str = ""
    ports: tuple[str, ...] = ()
    parent: str = ""
    vlan: int = 0
    vlans: tuple[str, ...] = ()
    address: IPv4Interface | None = None
    routes: tuple[Route, ...] = ()
    rules: tuple[Rule, ...] = ()
    sysctls: tuple[tuple[str, int], ...] = ()


def interfaces(node: Node) -> tuple[Interface, ...]:
    """Every interface of a node's data planes: NICs, bonds, VLANs."""
    below = [
        *(_rail(node, nic) for nic in node.rails),
        *(_access(node, nic) for nic in node.nics),
        *_bonds(node),
    ]
    untagged = {vlan.interface: vlan for vlan in node.vlans if not vlan.tagged}
    with_address = [_with(interface, untagged.get(interface.name)) for interface in below]
    tagged = [_vlan(node, vlan) for vlan in node.vlans if vlan.tagged]
    return tuple(
        replace(interface, vlans=_carried(interface.name, tagged))
        for interface in (*with_address, *tagged)
    )


def is_ours(name: str, pci: str | None) -> bool:
    """Whether a NIC has its name from us: it has a PCI address, and no name of the system.

    A name that begins as systemd's own do would come without us. One like eth0 is the
    kernel's, which may give it to another NIC first (systemd.link(5), Name).
    """
    return bool(pci) and not _OF_THE_SYSTEM.fullmatch(name)


# A NIC with a table of its own answers for its own address alone, and asks with one of the
# asking port (ip-sysctl: arp_ignore 1, arp_announce 2). The main table may name another port
# for a sender: loose reverse path filtering (RFC 3704, 2.4).
_APART = (("arp_announce", 2), ("arp_ignore", 1), ("rp_filter", 2))
# A route over a dead link is passed over, so that what is not bound to an address finds the
# other NIC (ip-sysctl, ignore_routes_with_linkdown).
_PASSED_OVER = ("ignore_routes_with_linkdown", 1)


def _rail(node: Node, nic: RailNic) -> Interface:
    """The rest of a rail is reached by its NIC; what it sends leaves by it, whatever it is for."""
    return Interface(
        name=nic.port,
        kind="nic",
        uuid=_uuid(node, nic.port),
        ip_mtu_bytes=nic.ip_mtu_bytes,
        pci=_named_by(nic.port, nic.pci),
        address=nic.address,
        routes=(
            Route(nic.rail_prefix, nic.gateway),
            Route(nic.fabric_prefix, nic.gateway, nic.table),
        ),
        rules=(Rule(IPv4Network(nic.address.ip), nic.table, nic.rule_priority),),
        sysctls=_APART,
    )


def _access(node: Node, nic: AccessNic) -> Interface:
    plain = Interface(
        name=nic.port,
        kind="nic",
        uuid=_uuid(node, nic.port),
        ip_mtu_bytes=nic.ip_mtu_bytes,
        pci=_named_by(nic.port, nic.pci),
        bond=nic.bond or "",
        address=nic.address,
    )
    if nic.address is None or nic.table is None or nic.rule_priority is None:
        return plain
    return replace(
        plain,
        routes=tuple(_access_routes(nic, nic.table, nic.rule_priority)),
        rules=(Rule(IPv4Network(nic.address.ip), nic.table, nic.rule_priority),),
        sysctls=tuple(sorted((*_APART, _PASSED_OVER))),
    )


def _access_routes(nic: AccessNic, table: int, priority: int) -> Iterator[Route]:
    """Peers' NICs of the same number by this one, all others by any that is up.

    In the main table each NIC has the whole plane too, at a metric of its own, for peers
    that have fewer NICs, and for the day when a link is dead.
    """
    assert nic.gateway and nic.prefix and nic.nic_prefix  # noqa: S101, PT018 # they come with a table
    if nic.nic_prefix != nic.prefix:
        yield Route(nic.nic_prefix, nic.gateway)
    yield Route(nic.prefix, nic.gateway, MAIN, priority)
    yield Route(nic.prefix, nic.gateway, table)


def _bonds(node: Node) -> Iterator[Interface]:
    for name in sorted({nic.bond for nic in node.nics if nic.bond}):
        mine = [nic for nic in node.nics if nic.bond == name]
        yield Interface(
            name=name,
            kind="bond",
            uuid=_uuid(node, name),
            ip_mtu_bytes=mine[0].ip_mtu_bytes,
            ports=tuple(nic.port for nic in mine),
        )


def _with(one: Interface, vlan: AccessVlan | None) -> Interface:
    """An interface that is its own untagged VLAN."""
    if vlan is None:
        return one
    return replace(one, address=vlan.address, routes=tuple(_vlan_routes(vlan)))


def _vlan(node: Node, one: AccessVlan) -> Interface:
    name = vlan_name(one)
    return Interface(
        name=name,
        kind="vlan",
        uuid=_uuid(node, name),
        ip_mtu_bytes=one.ip_mtu_bytes,
        parent=one.interface,
        vlan=one.vlan,
        address=one.address,
        routes=tuple(_vlan_routes(one)),
    )


def vlan_name(one: AccessVlan) -> str:
    """`bond-biz.300`; over a NIC whose name leaves no room for the number, `biz.300`."""
    usual = f"{one.interface}.{one.vlan}"
    return usual if len(usual) <= LONGEST_NAME else f"{BOND_WORDS[one.plane]}.{one.vlan}"


def _vlan_routes(one: AccessVlan) -> Iterator[Route]:
    """The VLAN's other subnets; the default route leads there too, where it is here."""
    if one.default_route:
        yield Route(_ANYWHERE, one.gateway)
    elif one.prefix != one.address.network:
        yield Route(one.prefix, one.gateway)


def _carried(name: str, tagged: list[Interface]) -> tuple[str, ...]:
    return tuple(interface.name for interface in tagged if interface.parent == name)


def _named_by(port: str, pci: str | None) -> str:
    return pci if pci and is_ours(port, pci) else ""


def _uuid(node: Node, name: str) -> str:
    """The same in every run, another on each node and interface (RFC 4122, version 5)."""
    return str(uuid5(NAMESPACE_URL, f"railbed:{node.name}/{name}"))
