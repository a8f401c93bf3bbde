"""What the readers of this folder put together, before it becomes `SwitchFacts`."""

from __future__ import annotations

from dataclasses import dataclass, field

from switch_configs.readback.facts import Hazard, PermitFacts

MANAGEMENT = "management"
DEFAULT_CLASS = "class-default"


@dataclass
class Port:
    """An interface as its own lines say."""

    name: str
    description: str = ""
    switched: bool | None = None
    says_layer: bool = False
    mode: str = "access"
    access: int | None = None
    native: int | None = None
    allowed: tuple[int, ...] | None = None
    private: bool = False
    host: tuple[int, int] | None = None
    mapped: list[tuple[int, int]] = field(default_factory=list)
    edge: str = ""
    pfc: str = ""
    watchdog: bool = False
    mtu: int | None = None
    speed_mbps: int | None = None
    fec: str | None = None
    qos_in: str = ""
    queuing_in: str = ""
    queuing_out: str = ""
    tag: int | None = None
    untagged_cos: int | None = None
    vrf: str = ""
    echo: bool = True
    redirects: set[str] = field(default_factory=lambda: {"ip", "ipv6"})
    bfd: tuple[int, int] | None = None
    forwards: bool = False
    link_local: bool = False
    own_link_local: bool = False
    addresses: list[str] = field(default_factory=list)
    acl_in: str = ""
    hsrp_version: int = 1
    hsrp: dict[int, str] = field(default_factory=dict)
    channel: int | None = None
    lacp: bool = False
    waits: bool = False
    vpc: str = ""
    segment: bool = False
    anycast: bool = False
    up: bool = False

    @property
    def kind(self) -> str:
        """`Ethernet`, `Vlan`, `port-channel`, `loopback` or `mgmt`."""
        return self.name.rstrip("0123456789/.")

    @property
    def index(self) -> int | None:
        """The number of a VLAN or of a port-channel."""
        word = self.name[len(self.kind) :]
        return int(word) if word.isdecimal() else None


@dataclass
class Vlan:
    """A VLAN as its own lines say; `isolated` is its private one."""

    name: str = ""
    kind: str = ""
    isolated: int | None = None


@dataclass
class Table:
    """A `vrf context`, or the default one."""

    discards: list[str] = field(default_factory=list)
    gateway: str | None = None


@dataclass
class Entry:
    """An entry of a route map."""

    action: str
    community_lists: list[str] = field(default_factory=list)
    prefix_lists: list[str] = field(default_factory=list)
    adds: list[str] = field(default_factory=list)
    replaces: bool = False
    preference: int | None = None


@dataclass
class Queue:
    """A class of a queuing policy."""

    level: int | None = None
    weight: int | None = None
    of_link: bool = False
    cap_mbps: int | None = None
    ecn: tuple[int, int, int] | None = None
    buffer: tuple[int, int, int] | None = None


@dataclass
class Pause:
    """A class of a network policy."""

    cos: int | None = None
    mtu: int = 1500
    no_drop: bool = False


@dataclass
class NxosReading:
    """All of a configuration, as it reads."""

    hostname: str | None = None
    release: str | None = None
    features: set[str] = field(default_factory=set)
    grpc_port: int | None = None
    ports: dict[str, Port] = field(default_factory=dict)
    breakouts: dict[int, float] = field(default_factory=dict)
    vlans: dict[int, Vlan] = field(default_factory=dict)
    listed: set[int] = field(default_factory=set)
    tables: dict[str, Table] = field(default_factory=lambda: {"": Table()})
    acls: dict[str, list[list[str]]] = field(default_factory=dict)
    prefix_lists: dict[str, dict[int, PermitFacts]] = field(default_factory=dict)
    community_lists: dict[str, list[str]] = field(default_factory=dict)
    maps: dict[str, dict[int, Entry]] = field(default_factory=dict)
    class_maps: dict[str, tuple[int, ...]] = field(default_factory=dict)
    by_tag: dict[str, frozenset[int]] = field(default_factory=dict)
    group_of: dict[str, int] = field(default_factory=dict)
    port_mode: bool = False
    groups: dict[str, dict[str, int]] = field(default_factory=dict)
    marks: dict[str, dict[str, int]] = field(default_factory=dict)
    network: dict[str, dict[str, Pause]] = field(default_factory=dict)
    queuing: dict[str, dict[str, Queue]] = field(default_factory=dict)
    system_network: str = ""
    system_output: str = ""
    system_input: str = ""
    dog_on: bool = False
    dog_ms: int | None = None
    dog_shutdown: int | None = None
    dog_restore: int | None = None
    hash_seed: int | None = None
    bfd: tuple[int, int] = (50, 3)
    ing_sup: int | None = None
    shut_by_default: bool = False
    jumbo_mtu: int = 9216
    domain: int | None = None
    peer_management: str | None = None
    peer_source: str | None = None
    peer_gateway: bool = False
    ntp: list[str] = field(default_factory=list)
    syslog: list[str] = field(default_factory=list)
    tacacs: list[str] = field(default_factory=list)
    aaa: dict[str, list[str]] = field(default_factory=dict)
    aaa_vrfs: dict[str, str] = field(default_factory=dict)
    logins: list[str] = field(default_factory=list)
    vty_acl: str = ""
    vty_acl_ipv6: str = ""
    acls_ipv6: dict[str, list[list[str]]] = field(default_factory=dict)
    snmp_users: list[str] = field(default_factory=list)
    lldp_timer_s: int = 30
    lldp_hold_s: int = 120
    hazards: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def broken(self, sentence: str) -> None:
        """Notes what leads nowhere on the lossless path."""
        self.hazards.append(Hazard(sentence, "lossless"))
