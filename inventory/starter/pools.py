"""Address space of a new site: each pool sized for the maxima, all of them apart."""

from __future__ import annotations

from ipaddress import IPv4Network

from inventory.topology.addressing import (
    LOOPBACK_SPLIT_BITS,
    OOB_DEVICE_OFFSET,
    VLAN_NODE_OFFSET,
    bits_for,
)

from .wish import CannotBuildError

# RFC 1918: the largest block for data, the second one for the OOB plane.
DATA, OOB = IPv4Network("10.0.0.0/8"), IPv4Network("172.16.0.0/12")


def routed_bits(nics: int, units: int, nodes_per_unit: int) -> int:
    """Prefix length of a pool that is split by NIC and unit, with a /31 for each node."""
    return 31 - bits_for(nodes_per_unit) - bits_for(nics) - bits_for(units)


def vlan_bits(units: int, nodes_per_unit: int) -> int:
    """Prefix length of a VLAN's pool: a subnet for each unit."""
    return 32 - bits_for(VLAN_NODE_OFFSET + nodes_per_unit + 2) - bits_for(units)


def loopback_bits(most_of_a_tier: int) -> int:
    """Prefix length of loopbacks: a quarter for each tier."""
    return 32 - LOOPBACK_SPLIT_BITS - bits_for(most_of_a_tier + 1)


def link_bits(links: int) -> int:
    """Prefix length of a pool with a /31 for each link."""
    return 31 - bits_for(links)


def zone_bits(devices: int) -> int:
    """Prefix length of a zone; never smaller than a /24, which people can read."""
    return min(32 - bits_for(OOB_DEVICE_OFFSET + devices + 2), 24)


def allocate(space: IPv4Network, lengths: dict[str, int]) -> dict[str, IPv4Network]:
    """Cut pools of these prefix lengths out of a space, the largest first, so without gaps."""
    out: dict[str, IPv4Network] = {}
    at = int(space.network_address)
    for name, length in sorted(lengths.items(), key=lambda one: one[1]):
        size = 1 << (32 - length)
        if length < space.prefixlen or at + size > int(space.broadcast_address) + 1:
            found = f"pools that {space} does not hold"
            raise CannotBuildError("--growth", found, "a smaller factor", f"`{name}`: /{length}")
        out[name] = IPv4Network((at, length))
        at += size
    return out
