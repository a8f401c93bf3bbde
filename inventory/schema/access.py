"""The planes beside compute: storage and business, and the switches that carry them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .acceptance import MountFile
from .compute import Asn, CableMetres, TimersFile
from .lossless import IpMtuBytes
from .topology import BreakoutUse, Oversubscription
from .types import Address, Closed, Count, Key, Name, Network, NetworkOrAny

VlanId = Annotated[int, Field(ge=2, le=4094)]


class AccessPools(Closed):
    """Address space of the switches of a plane, split by position within the maxima."""

    loopbacks: Network = Field(description="a /32 of each switch")
    links: Network = Field(description="a /31 of each leaf-spine link, used when numbered")


class AccessMaxima(Closed):
    """What the plane's switches may grow to; blocks follow the pods and server groups."""

    spines: Count = Field(description="most spines the leaves leave uplinks for")
    nics_per_node: Annotated[int, Field(ge=1, le=8)] = Field(
        default=2, description="most NICs of a node in one plane: ports of a leaf, parts of a pool"
    )


class AccessSwitches(Closed):
    """Leaves and spines of a plane: a set of leaves for each block of nodes."""

    leaf_profile: Name = Field(description="a profile of profiles/switches.yml")
    spine_profile: Name = Field(description="a profile of profiles/switches.yml")
    spines: Count = Field(description="spines built")
    uplinks_per_spine: Count = Field(description="links from each leaf to each spine")
    leaves_per_block: Literal[1, 2] = Field(
        default=2, description="leaves that the NICs of a node are spread over"
    )
    pods_per_block: Count = Field(default=1, description="pods that share a set of leaves")
    fabric_links: Literal["unnumbered", "numbered"] = Field(
        default="unnumbered",
        description="unnumbered: RFC 5549 next hops; numbered: a /31 on each (RFC 3021)",
    )
    pools: AccessPools
    asn: Asn
    cable_m: CableMetres
    timers: TimersFile
    breakout: BreakoutUse = Field(default_factory=BreakoutUse)
    oversubscription: Oversubscription = Field(default_factory=Oversubscription)
    maxima: AccessMaxima


class Storage(Closed):
    """The storage plane: RoCE or TCP, over routed NICs or over a bond."""

    transport: Literal["roce", "tcp"] = Field(description="roce (lossless) or tcp")
    attach: Literal["l3", "lacp"] = Field(
        description="l3: a /31 for each NIC; lacp: one bond over both leaves"
    )
    addresses: Network = Field(description="NICs of the plane, split by position")
    vlan: VlanId | None = Field(default=None, description="the VLAN of a bond, 2 to 4094")
    ip_mtu_bytes: IpMtuBytes
    mounts: Annotated[list[MountFile], Field(max_length=16)] = Field(
        default_factory=list, description="file systems whose throughput is measured"
    )
    switches: AccessSwitches


class AclRule(Closed):
    """One rule of an access list; what no rule permits is denied."""

    action: Literal["permit", "deny"]
    protocol: Literal["ip", "tcp", "udp", "icmp"] = Field(description="ip, tcp, udp or icmp")
    source: NetworkOrAny = Field(description="a network, or any")
    destination: NetworkOrAny = Field(description="a network, or any")
    port: Annotated[int, Field(ge=1, le=65535)] | None = Field(
        default=None, description="destination port, for tcp and udp"
    )


class Vlan(Closed):
    """A VLAN of the business plane, with a gateway on the leaves of each block."""

    id: VlanId = Field(description="VLAN number, 2 to 4094")
    name: Key = Field(description="its name")
    vrf: Key = Field(description="the routing table that it belongs to")
    addresses: Network = Field(description="split by block: one subnet for each")
    acl: list[AclRule] = Field(default_factory=list, description="what may come in, in order")


class Business(Closed):
    """The business plane: users, the scheduler, and the way out."""

    attach: Literal["lacp", "single"] = Field(
        description="lacp: one bond over both leaves; single: one NIC on one leaf"
    )
    vlans: Annotated[list[Vlan], Field(min_length=1, max_length=16)]
    default_route: Address | None = Field(
        default=None, description="next hop to the outside, on the firewall"
    )
    ip_mtu_bytes: IpMtuBytes
    switches: AccessSwitches | Literal["storage"] = Field(
        description="switches of its own, or `storage`: it shares those"
    )
