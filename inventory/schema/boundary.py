"""The boundary: what stands between the site and the outside, and what may pass it."""

from __future__ import annotations

from ipaddress import IPv4Interface
from typing import Annotated

from pydantic import BeforeValidator, Field

from .types import Address, Closed, Gbps, Name, Network, Text

# RFC 6793: 4 bytes; RFC 7300 keeps the last number free. An edge router may have a public one.
Asn = Annotated[int, Field(ge=1, le=4_294_967_294)]
PortNumber = Annotated[int, Field(ge=1, le=65535)]


def _interface(value: object) -> object:
    try:
        # Without a prefix length IPv4Interface would take a /32, which reaches nobody.
        return IPv4Interface(value if isinstance(value, str) and "/" in value else "")
    except ValueError:
        raise ValueError("an IPv4 address and its prefix length, like 203.0.113.1/31") from None


def _reason(value: object) -> object:
    # Firewalls carry it as a comment, between quotes.
    fits = isinstance(value, str) and 0 < len(value) <= 200 and value.isprintable()
    if not fits or set(str(value)) & {'"', "\\"}:
        raise ValueError('a line of at most 200 characters, without `"` and `\\`')
    return value


Interface = Annotated[IPv4Interface, BeforeValidator(_interface)]
Reason = Annotated[str, BeforeValidator(_reason)]


class EdgeRouter(Closed):
    """A router that peers with a provider."""

    name: Name = Field(description="name of the router")
    asn: Asn = Field(description="its AS number")
    provider_asn: Asn = Field(description="the provider's AS number")
    provider: Interface = Field(description="its address on the provider's link")
    inside: Address = Field(description="its address in firewall.outside.prefix")
    uplink_gbps: Gbps = Field(description="rate of the provider's link, Gb/s")


class Seats(Closed):
    """One network's addresses of the firewall pair; `virtual` follows the active one."""

    addresses: Annotated[list[Address], Field(min_length=2, max_length=2)] = Field(
        description="one address for each firewall, in the order of `names`"
    )
    virtual: Address = Field(description="the address that routes point to (RFC 9568)")


class Leg(Seats):
    """A network that the firewall pair has to itself and its neighbours."""

    prefix: Network = Field(description="the network of this leg")


class FirewallFile(Closed):
    """Two firewalls, one of them active; nothing enters or leaves but through them."""

    names: Annotated[list[Name], Field(min_length=2, max_length=2)] = Field(
        description="names of the two firewalls"
    )
    outside: Leg = Field(description="towards the edge routers")
    inside: Leg = Field(description="towards the business plane")
    dmz: Seats = Field(description="in dmz.prefix")


class NatFile(Closed):
    """Which planes leave the site, and under which addresses (RFC 3022)."""

    planes: Annotated[list[Text], Field(min_length=1, max_length=3)] = Field(
        description="planes that may leave by NAT: business and no other"
    )
    addresses: Annotated[list[Address], Field(min_length=1, max_length=64)] = Field(
        description="addresses that the outside sees"
    )


class ServiceFile(Closed):
    """A service: one of the table by name, or one of your own with protocol and port."""

    service: Name = Field(description="a known service, or a new name with protocol and port")
    protocol: Text | None = Field(default=None, description="tcp or udp, for a service of your own")
    port: PortNumber | None = Field(default=None, description="port of a service of your own")


class LoadBalancerFile(ServiceFile):
    """An address of the outside that is spread over the servers of some groups."""

    name: Name = Field(description="name of the load balancer")
    virtual: Address = Field(description="the address that the outside calls")
    members: Annotated[list[Text], Field(min_length=1, max_length=32)] = Field(
        description="groups of servers in the business plane, or `dmz`"
    )


class JumpHost(Closed):
    """Where people log in before they go anywhere else."""

    name: Name = Field(description="name of the jump host")
    address: Address = Field(description="its address in dmz.prefix")


class DmzFile(Closed):
    """What the outside may call, apart from everything else."""

    prefix: Network = Field(description="the network of the DMZ")
    jump_host: JumpHost = Field(description="where people log in first")


class FlowFile(ServiceFile):
    """One allowed flow, from who opens it; all that is not named is denied."""

    source: Text = Field(alias="from", description="who opens it: a plane, zone, group or host")
    target: Text = Field(alias="to", description="who answers: a plane, zone, group or host")
    why: Reason = Field(description="the reason, for whoever reads the rule later")


class BoundaryFile(Closed):
    """The boundary of a site that has an outside. The lab has none."""

    edge_routers: Annotated[list[EdgeRouter], Field(min_length=1, max_length=8)] = Field(
        description="routers towards providers"
    )
    firewall: FirewallFile = Field(description="the pair that all must pass")
    nat: NatFile | None = Field(default=None, description="none: nobody leaves the site")
    load_balancers: Annotated[list[LoadBalancerFile], Field(max_length=64)] = Field(
        default_factory=list, description="services that the outside calls"
    )
    dmz: DmzFile = Field(description="what the outside may call")
    flows: Annotated[list[FlowFile], Field(max_length=256)] = Field(
        default_factory=list, description="allowed flows beside those that every site has"
    )
