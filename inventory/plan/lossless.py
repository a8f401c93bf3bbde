"""The class that carries RoCE data, and what each switch needs to carry it without loss.

Sizes are bytes of buffer. A field is None where nothing is computed: in a marking-only fabric,
or where the switch OS finds the number itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from .words import HeadroomForm, LosslessMode, WatchdogAction


@dataclass(frozen=True, slots=True)
class TrafficClass:
    """A class in neutral form: what crosses the wire, and a place for it inside a box.

    Only DSCP and PFC priority cross the wire (RFC 2474, IEEE 802.1Qbb). Queue and priority
    group are local to a box, so a dialect may number them otherwise. `dscps` is empty for the
    class of every DSCP that no other class names.
    """

    name: str
    dscps: tuple[int, ...]
    priority: int
    queue: int
    priority_group: int
    lossless: bool
    strict: bool
    weight_percent: int | None
    rate_cap_percent: int | None


@dataclass(frozen=True, slots=True)
class EcnMarking:
    """Marking of one egress queue: from `kmin_bytes` on, all of it from `kmax_bytes` on."""

    kmin_bytes: int
    kmax_bytes: int
    probability_percent: int
    source: str


@dataclass(frozen=True, slots=True)
class Watchdog:
    """PFC watchdog: a queue paused for `detect_ms` is taken out for `restore_ms`."""

    detect_ms: int
    restore_ms: int
    poll_ms: int
    action: WatchdogAction


@dataclass(frozen=True, slots=True)
class HeadroomPolicy:
    """How headroom is counted. `packet_bytes` is the largest RoCE packet on the wire."""

    form: HeadroomForm
    over_subscription: int
    small_packet_percentage: int
    packet_bytes: int
    congested_ports: int


@dataclass(frozen=True, slots=True)
class Headroom:
    """Room for what still arrives after a pause was asked for, of one port and priority.

    `size_bytes` is reserved for the priority group alone; where headroom is shared,
    `xoff_bytes` is drawn from the common pool. `xon_offset_bytes` is how far the queue must
    fall before the peer may send again, where an ASIC counts it so.
    """

    xon_bytes: int
    xoff_bytes: int
    size_bytes: int
    xon_offset_bytes: int
    source: str


@dataclass(frozen=True, slots=True)
class PortBuffers:
    """What ports of one rate, cable length and count of lanes need.

    `headroom` is None if left to the system.
    """

    rate_gbps: float
    cable_m: float
    lanes: int
    ports: int
    headroom: Headroom | None
    ecn: EcnMarking


@dataclass(frozen=True, slots=True)
class SwitchBuffers:
    """The buffer of one switch, divided; sizes are None if left to the system.

    `headroom_bytes` is reserved for priority groups alone, `headroom_pool_bytes` is what they
    share, `shared_bytes` is left for the lossless class, and `xoff_point_bytes` is where one
    of `congested_ports` congested ports asks its peer to pause.
    """

    profile: str
    asic: str
    port_mtu_bytes: int
    total_bytes: int | None
    headroom_bytes: int | None
    headroom_pool_bytes: int | None
    shared_bytes: int | None
    alpha: float | None
    congested_ports: int
    xoff_point_bytes: int | None
    ports: tuple[PortBuffers, ...]


@dataclass(frozen=True, slots=True)
class Lossless:
    """The one class that carries RoCE data, and the strict class of its CNPs.

    `mode` "marking-only" is a fabric without PFC, ECN and buffers: only that the DSCP
    survives, the MTU and the counters may be asked of it. "ecn" has classes, their shares and
    marks, and no PFC: none of its classes is lossless. `ecn` is what the site asks of every
    queue; None means the rule by rate, found for each switch. What is sent has `dscp` and
    `cnp_dscp`; the `also` ones are taken like them, while one of these changes.
    """

    mode: LosslessMode
    dscp: int
    priority: int
    cnp_dscp: int
    cnp_priority: int
    host_ip_mtu_bytes: int
    switch_ip_mtu_bytes: int
    classes: tuple[TrafficClass, ...] = ()
    ecn: EcnMarking | None = None
    watchdog: Watchdog | None = None
    headroom: HeadroomPolicy | None = None
    also_dscps: tuple[int, ...] = ()
    cnp_also_dscps: tuple[int, ...] = ()

    @property
    def tos(self) -> int:
        """The IPv4 TOS byte of RoCE data: DSCP with ECT(0) (RFC 3168), e.g. 26 -> 106."""
        return self.dscp << 2 | 0b10
