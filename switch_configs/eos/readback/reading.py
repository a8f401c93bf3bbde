"""What the lines of a configuration say, before it is put together.

Words are EOS's own here; `facts.py` turns them into neutral ones.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from switch_configs.readback.facts import AclFacts, Hazard, PermitFacts


@dataclass
class Queue:
    """A transmit queue of a profile. EOS serves a queue strictly unless told otherwise."""

    strict: bool = True
    weight_percent: int | None = None
    cap_percent: int | None = None
    ecn: tuple[int, int, int] | None = None


@dataclass
class Profile:
    """What a `qos profile`, or a port itself, says of QoS."""

    trust: str | None = None
    queues: dict[int, Queue] = field(default_factory=dict)
    pfc: bool = False
    no_drop: set[int] = field(default_factory=set)
    watchdog: bool = False
    policy: str | None = None


@dataclass
class Interface:
    """A port, bond, VLAN or loopback interface."""

    name: str
    description: str = ""
    mtu_bytes: int | None = None
    rate_gbps: float | None = None
    fec: str | None = None
    autoneg: bool | None = None
    routed: bool = False
    tag: int | None = None
    access: int | None = None
    native: int | None = None
    allowed: tuple[int, ...] | None = None
    trunk: bool = False
    outward: dict[int, int] = field(default_factory=dict)
    groups: set[str] = field(default_factory=set)
    vrf: str = ""
    addresses: list[str] = field(default_factory=list)
    gateway: str | None = None
    ipv6: bool = False
    channel: int | None = None
    lacp: bool = False
    waits_for_lacp: bool = False
    mlag: int | None = None
    segment: bool = False
    overlaid: set[int] = field(default_factory=set)
    acl: str | None = None
    isolated: str = ""
    stays_up: bool = False
    edge: bool = False
    tracking: list[tuple[str, str]] = field(default_factory=list)
    service_profile: str | None = None
    own: Profile = field(default_factory=Profile)
    said: bool = False


@dataclass
class Vlan:
    """A VLAN's own block."""

    name: str = ""
    isolated_of: int | None = None
    groups: set[str] = field(default_factory=set)


@dataclass
class Neighbour:
    """A BGP neighbour or peer group, as far as its own lines say."""

    group: str | None = None
    is_port: bool = False
    asn: int | None = None
    bfd: bool | None = None
    bfd_times: tuple[int, int, int] | None = None
    times: tuple[int, int] | None = None
    maximum: tuple[int, bool] | None = None
    communities: bool = False
    active: bool | None = None
    others: bool = False
    policy_in: str | None = None
    policy_out: str | None = None
    ipv6_next_hop: bool = False


@dataclass
class Table:
    """BGP in one routing table."""

    router_id: str | None = None
    paths: tuple[int, int] = (1, 1)
    networks: list[str] = field(default_factory=list)
    neighbours: dict[str, Neighbour] = field(default_factory=dict)


@dataclass
class Entry:
    """One entry of a route map."""

    action: str
    prefix_lists: list[str] = field(default_factory=list)
    communities: list[str] = field(default_factory=list)
    preference: int | None = None
    adds: list[str] = field(default_factory=list)


@dataclass
class Mlag:
    """The pair of leaves."""

    domain: str | None = None
    local: str | None = None
    peer: str | None = None
    heartbeat: str | None = None
    heartbeat_vrf: str = ""
    link: str | None = None


@dataclass
class Services:
    """Servers, with the table that each is in."""

    ntp: list[tuple[str, str]] = field(default_factory=list)
    syslog: list[tuple[str, str]] = field(default_factory=list)
    tacacs: list[tuple[str, str]] = field(default_factory=list)
    tacacs_groups: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    login: list[str] = field(default_factory=list)
    exec_: list[str] = field(default_factory=list)
    snmp_groups: dict[str, str] = field(default_factory=dict)
    snmp_users: dict[str, str] = field(default_factory=dict)
    snmp_vrfs: set[str] = field(default_factory=lambda: {"default"})
    gnmi: list[tuple[str, int]] = field(default_factory=list)
    ssh_vrfs: set[str] = field(default_factory=set)
    ssh_acl: str | None = None


@dataclass
class EosReading:
    """All of one configuration."""

    hostname: str | None = None
    release: str | None = None
    interfaces: dict[str, Interface] = field(default_factory=dict)
    vlans: dict[int, Vlan] = field(default_factory=dict)
    vrfs: set[str] = field(default_factory=set)
    profiles: dict[str, Profile] = field(default_factory=dict)
    class_maps: dict[str, tuple[int, ...] | None] = field(default_factory=dict)
    policy_maps: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    dscps: dict[int, int] = field(default_factory=dict)
    queue_of: dict[int, int] = field(default_factory=dict)
    watchdog: dict[str, str] = field(default_factory=dict)
    acls: dict[str, dict[int, AclFacts]] = field(default_factory=dict)
    prefix_lists: dict[str, dict[int, PermitFacts | None]] = field(default_factory=dict)
    community_lists: dict[str, list[str]] = field(default_factory=dict)
    route_maps: dict[str, dict[int, Entry]] = field(default_factory=dict)
    routes: list[tuple[str, str, str]] = field(default_factory=list)
    routing: set[str] = field(default_factory=set)
    ipv6_next_hops: set[str] = field(default_factory=set)
    ipv6_routing: set[str] = field(default_factory=set)
    asn: int | None = None
    default_ipv4: bool = True
    missing: dict[str, str] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    groups: dict[str, Neighbour] = field(default_factory=dict)
    relaxed: bool = True
    multi_agent: bool | None = None
    mlag: Mlag | None = None
    spanning_tree: bool = True
    tracking: set[str] = field(default_factory=set)
    stp_off: set[int] = field(default_factory=set)
    virtual_mac: str | None = None
    lldp: bool = True
    services: Services = field(default_factory=Services)
    hazards: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def broken(self, sentence: str) -> None:
        """Notes what leads nowhere on the lossless path."""
        self.hazards.append(Hazard(sentence, "lossless"))
