"""The compute plane."""

from __future__ import annotations

from pydantic import Field

from .types import Closed, Metres, Name, Network, PrivateAsn


class Pools(Closed):
    """Address space of the compute plane; each pool is split by position within the maxima."""

    loopbacks: Network = Field(description="a /32 of each switch")
    links: Network = Field(description="a /31 of each leaf-spine link, used when numbered")
    rails: Network = Field(description="split by rail, then by pod: one aggregate a leaf")


class Asn(Closed):
    """Private 4-byte AS numbers (RFC 6996). All spines share one (RFC 7938, 5.2.1).

    With three tiers the spines of each pod share one, and all superspines another.
    """

    spines: PrivateAsn = Field(
        description="the one ASN of all spines; with three tiers that of the first pod's"
    )
    leaves: PrivateAsn = Field(description="the ASN of the first leaf; the others follow")
    superspines: PrivateAsn | None = Field(
        default=None, description="three tiers: the one ASN of all superspines"
    )


class CableMetres(Closed):
    """Cable lengths: what headroom is counted from."""

    node_leaf: Metres = Field(description="metres from a node to its leaf")
    leaf_spine: Metres = Field(description="metres from a leaf to a spine")
    spine_superspine: Metres | None = Field(
        default=None, description="three tiers: metres from a spine to a superspine"
    )


class TimersFile(Closed):
    """Fabric timers: BGP in seconds (RFC 4271), BFD in milliseconds (RFC 5880)."""

    bgp_keepalive_s: int = Field(ge=1, le=21845, description="seconds between keepalives")
    bgp_hold_s: int = Field(ge=3, le=65535, description="seconds of silence that end a session")
    bgp_connect_s: int = Field(ge=1, le=65535, description="seconds between connection attempts")
    bfd_interval_ms: int = Field(ge=10, le=60000, description="milliseconds between BFD packets")
    bfd_multiplier: int = Field(ge=2, le=255, description="BFD packets missed until down")


class Compute(Closed):
    """The compute plane: which hardware, which numbers."""

    node_profile: Name = Field(description="a profile of profiles/nodes.yml")
    leaf_profile: Name = Field(description="a profile of profiles/switches.yml")
    spine_profile: Name = Field(description="a profile of profiles/switches.yml")
    superspine_profile: Name | None = Field(
        default=None, description="three tiers: a profile of profiles/switches.yml"
    )
    adaptive_routing: bool = Field(
        default=False,
        description="packets of one flow take several paths: every NIC must take them out of order",
    )
    pools: Pools
    asn: Asn
    cable_m: CableMetres
    timers: TimersFile
