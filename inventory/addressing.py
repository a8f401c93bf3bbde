"""Who has which address and AS number: pure functions of a position within the maxima."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from .model import Fabric
from .plan import Tier
from .shape import LeafAt

# Loopbacks: a quarter of the pool for each tier, the last one kept free.
_TIER_QUARTER: dict[Tier, int] = {"leaf": 0, "spine": 1, "superspine": 2}
LOOPBACK_SPLIT_BITS = 2
# OOB: .0 is the network, .1 the server, .2 to .10 are for people; ports follow.
OOB_SERVER_OFFSET = 1
OOB_DEVICE_OFFSET = 10


def bits_for(count: int) -> int:
    """How many bits tell `count` things apart."""
    return max(count - 1, 0).bit_length()


def part(pool: IPv4Network, bits: int, index: int) -> IPv4Network:
    """Part `index` of a pool cut in 2**bits equal parts; the pool must have room."""
    length = pool.prefixlen + bits
    start = int(pool.network_address) + (index << (32 - length))
    return IPv4Network((start, length))


def rail_bits(fabric: Fabric) -> int:
    """Bits of the rail pool that number the rail."""
    return bits_for(fabric.shape.rails)


def aggregate_bits(fabric: Fabric) -> int:
    """Prefix length of a leaf's aggregate: the pool cut by rail, then by pod."""
    pool = fabric.intent.compute.pools.rails
    return pool.prefixlen + rail_bits(fabric) + bits_for(fabric.shape.max_pods)


def rail_prefix(fabric: Fabric, rail: int) -> IPv4Network:
    """Every NIC of one rail."""
    return part(fabric.intent.compute.pools.rails, rail_bits(fabric), rail)


def aggregate(fabric: Fabric, at: LeafAt) -> IPv4Network:
    """All node links of one leaf: the one route it announces for them."""
    return part(rail_prefix(fabric, at.rail), bits_for(fabric.shape.max_pods), at.pod - 1)


def node_link(prefix: IPv4Network, number: int) -> tuple[IPv4Interface, IPv4Interface]:
    """Return the /31 of a node's NIC (RFC 3021): the leaf's even address, the NIC's odd one.

    `prefix` is the leaf's aggregate, `number` the node's in its pod.
    """
    return _pair(prefix, number - 1)


def fabric_link(
    fabric: Fabric, leaf: LeafAt, spine: int, uplink: int
) -> tuple[IPv4Interface, IPv4Interface] | tuple[None, None]:
    """Return the /31 of a leaf-spine link: the spine's even address, then the leaf's odd one.

    Two None where the site's fabric links are unnumbered.
    """
    if fabric.intent.topology.fabric_links == "unnumbered":
        return None, None
    index = fabric.shape.link_index(leaf, spine, uplink)
    return _pair(fabric.intent.compute.pools.links, index)


def _pair(pool: IPv4Network, index: int) -> tuple[IPv4Interface, IPv4Interface]:
    even = int(pool.network_address) + 2 * index
    return IPv4Interface((even, 31)), IPv4Interface((even + 1, 31))


def loopback_at(fabric: Fabric, tier: Tier, index: int) -> IPv4Address:
    """Return the loopback of switch `index` (from 0) of a tier, before overrides."""
    pool = part(fabric.intent.compute.pools.loopbacks, LOOPBACK_SPLIT_BITS, _TIER_QUARTER[tier])
    return pool.network_address + 1 + index


def leaf_asn(fabric: Fabric, at: LeafAt) -> int:
    """Return a leaf's ASN, before overrides."""
    return fabric.intent.compute.asn.leaves + fabric.shape.leaf_index(at)


def loopback_of(fabric: Fabric, device: str, formula: IPv4Address) -> IPv4Address:
    """Return the formula's loopback, or the device's override."""
    override = fabric.intent.overrides.get(device)
    return override.loopback if override and override.loopback else formula


def asn_of(fabric: Fabric, device: str, formula: int) -> int:
    """Return the formula's ASN, or the device's override."""
    override = fabric.intent.overrides.get(device)
    return override.asn if override and override.asn else formula


def oob_server_address(zone: IPv4Network) -> IPv4Interface:
    """Return the OOB server's own address in a zone: the gateway of the devices there."""
    return IPv4Interface((int(zone.network_address) + OOB_SERVER_OFFSET, zone.prefixlen))


def oob_address_at(zone: IPv4Network, port_index: int) -> IPv4Address:
    """Return the address that belongs to port `port_index` (from 1) of a zone, before overrides."""
    return zone.network_address + OOB_DEVICE_OFFSET + port_index
