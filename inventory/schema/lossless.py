"""The lossless class of a site: one priority that carries RoCE data, and its CNPs.

Everything but DSCP, priority and MTU has a default with a source: a site names only what it
wants otherwise.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..plan import HeadroomForm, LosslessMode, WatchdogAction
from .types import Closed, Dscp, Gbps, IpMtu, Metres, Name, Priority, Text

Percent = Annotated[int, Field(ge=1, le=100)]
# No switch buffer is near it (the largest, with memory off the chip, hold a few GB).
BufferBytes = Annotated[int, Field(ge=1, le=16_000_000_000)]
Milliseconds = Annotated[int, Field(ge=5, le=60_000)]


class Cnp(Closed):
    """The class of congestion notification packets: strict, capped, lossy."""

    dscp: Dscp = Field(description="DSCP of CNPs, 0 to 63 (RFC 2474)")
    priority: Priority = Field(description="switch priority of CNPs, 0 to 7")
    also_dscps: list[Dscp] = Field(
        default_factory=list, description="more DSCPs that are taken as CNPs: while theirs changes"
    )
    # Juniper's validated design gives CNPs 5 % of a port, strict-high (Juniper/jvd,
    # data_center/aidc/aiml_multitenancy_backend).
    rate_cap_percent: Percent = Field(
        default=5, description="most of a port's rate that CNPs may take, percent"
    )


class IpMtuBytes(Closed):
    """IP MTU, so without Ethernet header: frame sizes are the dialects' business."""

    hosts: IpMtu = Field(description="IP MTU of rail NICs, bytes")
    switches: IpMtu = Field(description="IP MTU of switch ports, bytes")


class EcnFile(Closed):
    """ECN thresholds of every lossless queue, instead of the rule by rate."""

    kmin_bytes: BufferBytes = Field(description="queue length at which marking begins, bytes")
    kmax_bytes: BufferBytes = Field(description="queue length from which all is marked, bytes")
    # SONiC, sonic-buildimage files/build_templates/qos_config.j2, WRED_PROFILE.
    probability_percent: Percent = Field(
        default=5, description="share of packets marked just below Kmax, percent"
    )


class WatchdogFile(Closed):
    """PFC watchdog. The defaults lie in the ranges of every dialect that has one."""

    detect_ms: Milliseconds = Field(
        default=200, description="pause of a queue that counts as a storm, ms"
    )
    restore_ms: Milliseconds = Field(
        default=400, description="quiet time after which the queue is used again, ms"
    )
    poll_ms: Milliseconds = Field(default=100, description="time between looks at a queue, ms")
    action: WatchdogAction = Field(
        default="drop", description="what happens to packets of a stuck queue"
    )


class WeightsFile(Closed):
    """Shares of a port when all classes want it (IEEE 802.1Qaz, ETS); CNPs are strict."""

    # NVIDIA Cumulus Linux, "RDMA over Converged Ethernet": TC 3 and TC 0 have 50 % each.
    lossless: Percent = Field(default=50, description="share of RoCE data, percent")
    best_effort: Percent = Field(default=50, description="share of all else, percent")


class HeadroomFile(Closed):
    """Headroom that a site supplies itself, where its switches' ASIC publishes none."""

    profile: Name = Field(description="the switch profile it holds for")
    rate_gbps: Gbps = Field(description="port rate, Gb/s")
    cable_m: Metres = Field(description="longest cable it holds for, metres")
    xon_bytes: int = Field(ge=0, le=1_000_000_000, description="below it the peer may send again")
    xoff_bytes: BufferBytes = Field(description="room for what arrives after the pause, bytes")
    size_bytes: BufferBytes = Field(description="reserved for the priority group alone, bytes")
    source: Text = Field(description="where these numbers come from")


class LosslessFile(Closed):
    """The one class that carries RoCE data."""

    mode: LosslessMode = Field(
        default="full",
        description="full; ecn where switches have no PFC; marking-only where they have neither",
    )
    dscp: Dscp = Field(description="DSCP of RoCE data, 0 to 63 (RFC 2474)")
    priority: Priority = Field(description="PFC priority of RoCE data, 0 to 7 (IEEE 802.1Qbb)")
    also_dscps: list[Dscp] = Field(
        default_factory=list,
        description="more DSCPs that are taken as RoCE data: while the DSCP of it changes",
    )
    cnp: Cnp
    ip_mtu_bytes: IpMtuBytes
    ecn: EcnFile | None = Field(
        default=None, description="thresholds of every queue, instead of the rule by rate"
    )
    congested_ports: int = Field(
        default=16, ge=1, le=1024, description="ports that hold packets back at the same time"
    )
    watchdog: WatchdogFile = Field(
        default_factory=WatchdogFile, description="timers of the PFC watchdog"
    )
    weights: WeightsFile = Field(
        default_factory=WeightsFile, description="shares of a port when all classes want it"
    )
    # 100 is what reproduces the published tables, and the worst that can happen.
    small_packet_percentage: int = Field(
        default=100, ge=0, le=100, description="share of 64-byte packets to be ready for, percent"
    )
    headroom: HeadroomForm = Field(
        default="dedicated", description="each port has its own, or all draw on one pool"
    )
    over_subscription: int = Field(
        default=1, ge=1, le=64, description="shared headroom: how often its bytes are promised"
    )
    overrides: list[HeadroomFile] = Field(
        default_factory=list, description="headroom that no published source gives"
    )
