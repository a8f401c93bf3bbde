"""What a configuration says, in words of no switch OS: the form in which all are compared.

A readback fills it from rendered, running or foreign text; `wanted` fills it from the plan.
None is "not known" or "left to the system": it never counts as agreement. What is local to a
box (traffic class, queue, priority group) is left out on purpose: only DSCP and PFC priority
cross the wire (RFC 2474, IEEE 802.1Qbb), so a readback follows its chain and says the result.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Self

from switch_configs.shown.unread import Unread

LOOPBACK = "lo"
"""What the switch's loopback is called here, whatever its system calls it."""


@dataclass(frozen=True, slots=True, order=True)
class EcnFacts:
    """Marking of a queue: bytes at which it begins and from which all is marked."""

    kmin_bytes: int
    kmax_bytes: int
    probability_percent: int


@dataclass(frozen=True, slots=True)
class ClassFacts:
    """What a port does with packets of these DSCPs, in and out.

    `pfc_priority` is the priority that is paused for them without loss, None where they are
    dropped instead. `weight_percent` is None for a strict class.
    """

    dscps: tuple[int, ...]
    pfc_priority: int | None
    strict: bool
    weight_percent: int | None
    rate_cap_percent: int | None
    ecn: EcnFacts | None


@dataclass(frozen=True, slots=True)
class HeadroomFacts:
    """Bytes of one lossless priority of a port, as `inventory.plan.Headroom`."""

    xon_bytes: int
    xoff_bytes: int
    size_bytes: int
    xon_offset_bytes: int = 0


@dataclass(frozen=True, slots=True)
class WatchdogFacts:
    """PFC watchdog of a port; None is a time that the configuration does not say."""

    detect_ms: int | None
    restore_ms: int | None
    poll_ms: int | None
    action: str | None


@dataclass(frozen=True, slots=True)
class QosFacts:
    """What a port does with each DSCP: every one of the 64 is in exactly one class.

    `classes` are sorted by their DSCPs. `pfc_priorities` are those that the port pauses and
    obeys. A port that trusts no DSCP has one class. `by_tag` has the priorities in VLAN tags
    by which packets are sorted, each with the PFC priority of its class, None where none is paused.
    """

    classes: tuple[ClassFacts, ...]
    pfc_priorities: tuple[int, ...]
    watchdog: WatchdogFacts | None
    cable_m: float | None
    headroom: HeadroomFacts | None
    by_tag: tuple[tuple[int, int | None], ...] = ()


@dataclass(frozen=True, slots=True)
class PortFacts:
    """A port, subinterface (`swp1.300`) or loopback; `addresses` are `address/bits`, sorted.

    `vlans` are those it carries, the untagged one first; `bond` the bond that it is in. `qos`
    is None where the box does nothing by DSCP, `autoneg` (whether it negotiates, IEEE 802.3 clause
    73) where the system's own way stands. On a `trunk` all VLANs are tagged. Ports between
    the leaves of a pair carry every VLAN: only `PairFacts` says so, and `vlans` is empty there.
    """

    name: str
    ip_mtu_bytes: int | None
    addresses: tuple[str, ...]
    description: str
    rate_gbps: float | None = None
    fec: str | None = None
    autoneg: bool | None = None
    vrf: str = ""
    vlans: tuple[int, ...] = ()
    trunk: bool = False
    bond: int | None = None
    adaptive_routing: bool = False
    qos: QosFacts | None = None


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """A BGP neighbour as configured; `key` is an address or a port name.

    Times are those in force, defaults included; None is not known. `over_maximum` is what
    happens when the neighbour sends more than `maximum_prefix`. `carries_ipv4` is False where it
    is activated for other families alone: EVPN, VPNs, IPv6.
    """

    key: str
    peer_asn: int | Literal["external", "internal"] | None
    description: str
    policy_in: str | None
    policy_out: str | None
    keepalive_s: int | None
    hold_s: int | None
    connect_s: int | None
    bfd: bool
    bfd_interval_ms: int | None
    bfd_multiplier: int | None
    maximum_prefix: int | None
    over_maximum: Literal["warn", "reset"] | None
    vrf: str = ""
    carries_ipv4: bool = True


@dataclass(frozen=True, slots=True, order=True)
class PermitFacts:
    """Prefixes within `prefix`, from `shortest_bits` to `longest_bits` long."""

    prefix: str
    shortest_bits: int
    longest_bits: int


@dataclass(frozen=True, slots=True)
class PolicyFacts:
    """A routing policy: what it lets pass; all else is dropped.

    `adds` are communities put on what passes, `refuses` those whose routes are dropped.
    `drained_last` says that routes with GRACEFUL_SHUTDOWN (RFC 8326) are used last.
    """

    name: str
    permits: tuple[PermitFacts, ...]
    adds: tuple[str, ...] = ()
    refuses: tuple[str, ...] = ()
    drained_last: bool = False


@dataclass(frozen=True, slots=True)
class TableFacts:
    """A routing table beside the default one."""

    vrf: str
    originates: tuple[str, ...]
    ecmp_width: int | None


@dataclass(frozen=True, slots=True)
class AclFacts:
    """One rule of an access list; what no rule permits is denied."""

    action: str
    protocol: str
    source: str
    destination: str
    port: int | None


@dataclass(frozen=True, slots=True)
class VlanFacts:
    """A VLAN; without a gateway it is switched only. `address` is the switch's own in it."""

    id: int
    name: str
    vrf: str = ""
    gateway: str | None = None
    address: str | None = None
    ip_mtu_bytes: int | None = None
    acl: tuple[AclFacts, ...] = ()


@dataclass(frozen=True, slots=True)
class BondFacts:
    """A bond by LACP (IEEE 802.1AX); `shared` when the other leaf of the pair is in it too."""

    number: int
    ports: tuple[str, ...]
    shared: bool


@dataclass(frozen=True, slots=True)
class PairFacts:
    """The pair of leaves that share bonds."""

    domain: int | None
    ports: tuple[str, ...]
    peer_management: str | None


@dataclass(frozen=True, slots=True)
class BufferFacts:
    """What the box says of its buffer as a whole; all None where it finds that itself."""

    alpha: float | None = None
    over_subscription: int | None = None
    headroom_pool_bytes: int | None = None


Way = Literal["ingress", "egress"]


@dataclass(frozen=True, slots=True)
class PoolFacts:
    """A part of the packet buffer: for packets on their way in, out, or both.

    In a `dynamic` one a threshold follows what is free, in a `static` one it stays. Bytes that
    the text does not say are None; `headroom_bytes` are beside its size.
    """

    name: str
    way: str | None
    mode: str | None
    size_bytes: int | None
    headroom_bytes: int | None


@dataclass(frozen=True, slots=True)
class ShareFacts:
    """What one may take of a pool: bytes of its own, then `alpha` times what is free, or so many.

    None is what the text does not say: the box finds it, or there is nothing of it.
    """

    pool: str
    own_bytes: int | None = None
    alpha: float | None = None
    most_bytes: int | None = None
    headroom: HeadroomFacts | None = None


@dataclass(frozen=True, slots=True)
class UserFacts:
    """Who takes it: on one way of a port the paused classes, all others, or the port as a whole."""

    port: str
    way: Way
    who: Literal["lossless", "lossy", "port"]
    share: ShareFacts


@dataclass(frozen=True, slots=True)
class ReservedFacts:
    """What a configuration says of the buffer: in bytes, or what the box is to find it from.

    `users` are each said once, in the order of the text. None is what the text does not say.
    """

    pools: tuple[PoolFacts, ...] = ()
    users: tuple[UserFacts, ...] = ()
    over_subscription: int | None = None
    packet_bytes: int | None = None
    small_packet_percentage: int | None = None

    @property
    def rooms(self) -> tuple[tuple[str, HeadroomFacts], ...]:
        """Headroom in bytes by port, each of its lossless priorities by itself."""
        paused = [user for user in self.users if (user.way, user.who) == ("ingress", "lossless")]
        return tuple((user.port, user.share.headroom) for user in paused if user.share.headroom)


@dataclass(frozen=True, slots=True)
class ServiceFacts:
    """Servers in the management table, and what the switch answers itself.

    Of those for logins the first is asked first. All of those for time and logs are used, and
    some systems keep them in an order of their own, so they are sorted here.
    """

    management_address: str | None = None
    management_gateway: str | None = None
    management_vrf: bool = False
    ntp: tuple[str, ...] = ()
    syslog: tuple[str, ...] = ()
    tacacs: tuple[str, ...] = ()
    snmp_users: tuple[str, ...] = ()
    gnmi_port: int | None = None

    def __post_init__(self) -> None:
        """Sorts what has no order."""
        for one in ("ntp", "syslog"):
            object.__setattr__(self, one, tuple(sorted(getattr(self, one))))


HazardKind = Literal[
    "lossless",  # a map, profile, queue, pool or watchdog of the lossless path leads nowhere
    "no-watchdog",  # a port has PFC and nothing ends a storm of pauses
    "planned",  # only who planned it may ask for it: others have reasons of their own
    "of-pair",  # a number that is meant where both leaves of a pair say it
    "no-policy-in",  # everything passes the session `about`
    "no-policy-out",
    "lacks-policy",  # the session `about` has no policy, and nothing else closes it
    "undefined-policy",  # sessions ask the policy `about`
    "idle-list",  # nothing that is read asks the access list `about`
    "static-default",  # packets leave past what BGP says
    "no-communities",  # sessions do not carry the marks of policies
    "trunk-to-switch",  # the port `about` would be wrong if it leads to a switch
    "name-in-lldp",  # a port announces another name than its own
    "not-private",  # a VLAN beside private ones is none
    "routing-beside",  # what routes is said in another file than this, and may be elsewhere
    "two-switches",  # files of one place are of two switches
    "lines-lost",  # the port `about` says a line twice, as where lines between two ports are gone
    "paths-not-shared",  # of paths over different ASNs one is used
    "other",
]
"""What a hazard is of; all but the first two are beside the lossless path."""


class Hazard(str):
    """A sentence on what will not work as it reads, its kind, and the name that it is about.

    `about` is "" where the kind needs no name. Sentences are for people: who decides anything
    asks the kind.
    """

    __slots__ = ("about", "kind")
    kind: HazardKind
    about: str

    def __new__(cls, sentence: str, kind: HazardKind = "other", about: str = "") -> Self:
        """A hazard of this kind."""
        made = super().__new__(cls, sentence)
        made.kind, made.about = kind, about
        return made

    @property
    def is_lossless(self) -> bool:
        """Whether it is of the lossless path."""
        return self.kind in ("lossless", "no-watchdog")


def hazards_of(sentences: Iterable[str], kind: HazardKind = "other") -> tuple[Hazard, ...]:
    """Each once; a sentence to which its reader gave no kind is of this one."""
    return tuple(
        one if isinstance(one, Hazard) else Hazard(one, kind) for one in dict.fromkeys(sentences)
    )


@dataclass(frozen=True, slots=True)
class SwitchFacts:
    """What a configuration says, in words that no switch OS owns.

    `originates`, `discards` and `ecmp_width` are those of the default table; `discards` are
    prefixes whose packets are dropped unless a longer one is known. `isolated_ports` neither
    send to nor receive from any other isolated port; `lldp_hold_s` is how long a neighbour
    believes the last LLDP frame. `hazards` say what will not work as it reads, a broken chain of
    the lossless class among it; `unread` is what may be known of the lines that
    readback does not understand. Ports, sessions (by table, then key), policies and tables are
    sorted by name.
    """

    hostname: str | None
    release: str | None
    asn: int | None
    router_id: str | None
    ports: tuple[PortFacts, ...]
    sessions: tuple[SessionFacts, ...]
    policies: tuple[PolicyFacts, ...]
    originates: tuple[str, ...]
    discards: tuple[str, ...]
    ecmp_width: int | None
    ebgp_requires_policy: bool
    isolated_ports: tuple[str, ...]
    lldp_hold_s: int | None
    hazards: tuple[Hazard, ...]
    unread: tuple[Unread, ...]
    drained: bool = False
    tables: tuple[TableFacts, ...] = ()
    hash_seed: int | None = None
    vlans: tuple[VlanFacts, ...] = ()
    bonds: tuple[BondFacts, ...] = ()
    pair: PairFacts | None = None
    buffers: BufferFacts = BufferFacts()
    services: ServiceFacts = ServiceFacts()
