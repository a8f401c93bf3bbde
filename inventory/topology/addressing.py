"""Who has which address and AS number: pure functions of a position within the maxima."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from inventory.model import Fabric
from inventory.plan import Tier

from .clos import LeafAt, SpineAt
from .fabrics import Service, SwitchFabric

# Loopbacks: a quarter of the pool for each tier, the last one kept free.
_TIER_QUARTER: dict[Tier, int] = {"leaf": 0, "spine": 1, "superspine": 2}
LOOPBACK_SPLIT_BITS = 2
# OOB: .0 is the network, .1 the server, .2 to .10 are for people; ports follow.
OOB_SERVER_OFFSET = 1
OOB_DEVICE_OFFSET = 10
# A VLAN's subnet: .1 is the gateway that both leaves answer for, .2 and .3 are their own.
GATEWAY_OFFSET = 1
VLAN_NODE_OFFSET = 10
# Every NIC of a rail names the same few networks; making one is the slow part.
_remembered = lru_cache(maxsize=1 << 16)


def bits_for(count: int) -> int:
    """How many bits tell `count` things apart."""
    return max(count - 1, 0).bit_length()


@_remembered
def part(pool: IPv4Network, bits: int, index: int) -> IPv4Network:
    """Part `index` of a pool cut in 2**bits equal parts; the pool must have room."""
    length = pool.prefixlen + bits
    start = int(pool.network_address) + (index << (32 - length))
    return IPv4Network((start, length))


def block_bits(fabric: SwitchFabric) -> int:
    """Bits that number the units of a fabric, grown as far as it may."""
    return bits_for(fabric.clos.max_pods * fabric.clos.max_units)


def aggregate_bits(fabric: SwitchFabric, service: Service) -> int:
    """Prefix length of a leaf's aggregate: the pool cut by NIC, then by unit."""
    return service.pool.prefixlen + bits_for(service.nic_count) + block_bits(fabric)


def nic_prefix(service: Service, nic: int) -> IPv4Network:
    """Every NIC `nic` of a service: in the compute plane, every NIC of a rail."""
    return part(service.pool, bits_for(service.nic_count), nic)


def aggregate(fabric: SwitchFabric, service: Service, nic: int, pod: int, unit: int) -> IPv4Network:
    """All node links of one NIC number in one unit: the route that their leaf announces."""
    index = fabric.clos.unit_index(pod, unit)
    return part(nic_prefix(service, nic), block_bits(fabric), index)


def node_link(prefix: IPv4Network, place: int) -> tuple[IPv4Interface, IPv4Interface]:
    """Return the /31 of a node's NIC (RFC 3021): the leaf's even address, the NIC's odd one.

    `prefix` is the aggregate, `place` the node's in its unit, from 1.
    """
    return pair(prefix, place - 1)


def pair(pool: IPv4Network, index: int) -> tuple[IPv4Interface, IPv4Interface]:
    """Return /31 number `index` of a pool: the even address, then the odd one."""
    even = int(pool.network_address) + 2 * index
    return IPv4Interface((even, 31)), IPv4Interface((even + 1, 31))


def vlan_subnet(fabric: SwitchFabric, pool: IPv4Network, pod: int, unit: int) -> IPv4Network:
    """The subnet of a VLAN on the leaves of one unit."""
    return part(pool, block_bits(fabric), fabric.clos.unit_index(pod, unit))


@_remembered
def gateway(subnet: IPv4Network) -> IPv4Address:
    """The address that all leaves of a unit answer for."""
    return subnet.network_address + GATEWAY_OFFSET


def leaf_in_vlan(subnet: IPv4Network, slot: int) -> IPv4Interface:
    """A leaf's own address in a VLAN, after the gateway's."""
    address = int(subnet.network_address) + GATEWAY_OFFSET + 1 + slot
    return IPv4Interface((address, subnet.prefixlen))


def node_in_vlan(subnet: IPv4Network, place: int) -> IPv4Interface:
    """A node's address in a VLAN, by its place in the unit."""
    return IPv4Interface((int(subnet.network_address) + VLAN_NODE_OFFSET + place, subnet.prefixlen))


def loopback_at(fabric: SwitchFabric, tier: Tier, index: int) -> IPv4Address:
    """Return the loopback of switch `index` (from 0) of a tier, before overrides."""
    pool = part(fabric.loopbacks, LOOPBACK_SPLIT_BITS, _TIER_QUARTER[tier])
    return pool.network_address + 1 + index


def leaf_asn(fabric: SwitchFabric, at: LeafAt) -> int:
    """Return a leaf's ASN, before overrides."""
    return fabric.asn.leaves + fabric.clos.leaf_index(at)


def spine_asn(fabric: SwitchFabric, at: SpineAt) -> int:
    """Return a spine's ASN, before overrides: one for all, or one a pod (RFC 7938, 5.2.1)."""
    return fabric.asn.spines + max(at.pod, 1) - 1


def superspine_asn(fabric: SwitchFabric) -> int:
    """Return the superspines' ASN, before overrides."""
    return fabric.asn.superspines or fabric.asn.spines


def asn_ranges(fabric: SwitchFabric) -> dict[str, range]:
    """The ASNs that a fabric may give out within its maxima, by the key that begins each range."""
    clos, asn = fabric.clos, fabric.asn
    out = {
        "leaves": range(asn.leaves, asn.leaves + clos.max_leaves),
        "spines": range(asn.spines, asn.spines + (clos.max_pods if clos.three_tier else 1)),
    }
    if clos.three_tier and asn.superspines is not None:
        out["superspines"] = range(asn.superspines, asn.superspines + 1)
    return out


def loopback_of(fabric: Fabric, device: str, formula: IPv4Address) -> IPv4Address:
    """Return the formula's loopback, or the device's override."""
    override = fabric.intent.overrides.get(device)
    return override.loopback if override and override.loopback else formula


def asn_of(fabric: Fabric, device: str, formula: int) -> int:
    """Return the formula's ASN, or the device's override."""
    override = fabric.intent.overrides.get(device)
    return override.asn if override and override.asn else formula


@_remembered
def oob_server_address(zone: IPv4Network) -> IPv4Interface:
    """Return the OOB server's own address in a zone: the gateway of the devices there."""
    return IPv4Interface((int(zone.network_address) + OOB_SERVER_OFFSET, zone.prefixlen))


def oob_address_at(zone: IPv4Network, port_index: int) -> IPv4Address:
    """Return the address that belongs to port `port_index` (from 1) of a zone, before overrides."""
    return zone.network_address + OOB_DEVICE_OFFSET + port_index
