"""What the site asks of the lossless class, the same for every switch."""

from __future__ import annotations

from ..model import Fabric
from ..plan import EcnMarking, HeadroomPolicy, Lossless, TrafficClass, Watchdog
from ..schema import LosslessFile
from .headroom import roce_packet_bytes


def lossless(fabric: Fabric) -> Lossless:
    """Return the one class that carries RoCE data, and its CNP class."""
    return lossless_of(fabric.intent.lossless)


def lossless_of(said: LosslessFile) -> Lossless:
    """As `lossless`, from the section of `fabric.yml`; marking-only asks for no numbers.

    `ecn` asks for classes and marks only: watchdog and headroom are for what is paused.
    """
    full, classed = said.mode == "full", said.mode != "marking-only"
    return Lossless(
        mode=said.mode,
        dscp=said.dscp,
        priority=said.priority,
        cnp_dscp=said.cnp.dscp,
        cnp_priority=said.cnp.priority,
        host_ip_mtu_bytes=said.ip_mtu_bytes.hosts,
        switch_ip_mtu_bytes=said.ip_mtu_bytes.switches,
        classes=traffic_classes(said) if classed else (),
        ecn=_ecn(said) if classed else None,
        watchdog=_watchdog(said) if full else None,
        headroom=_headroom(said) if full else None,
        also_dscps=tuple(sorted(said.also_dscps)),
        cnp_also_dscps=tuple(sorted(said.cnp.also_dscps)),
    )


def traffic_classes(said: LosslessFile) -> tuple[TrafficClass, ...]:
    """Return the classes, best effort first, by priority then.

    A queue has the number of its priority. CNPs and best effort share the lossy priority group
    0: a priority group is for pausing, and only RoCE data may be paused. Every DSCP that no
    class names is best effort: any container may send any DSCP. Only PFC makes a class lossless.
    """
    paused = said.mode == "full"
    roce = TrafficClass(
        name="roce",
        dscps=tuple(sorted((said.dscp, *said.also_dscps))),
        priority=said.priority,
        queue=said.priority,
        priority_group=said.priority if paused else 0,
        lossless=paused,
        strict=False,
        weight_percent=said.weights.lossless,
        rate_cap_percent=None,
    )
    cnp = TrafficClass(
        name="cnp",
        dscps=tuple(sorted((said.cnp.dscp, *said.cnp.also_dscps))),
        priority=said.cnp.priority,
        queue=said.cnp.priority,
        priority_group=0,
        lossless=False,
        strict=True,
        weight_percent=None,
        rate_cap_percent=said.cnp.rate_cap_percent,
    )
    weight = said.weights.best_effort
    rest = TrafficClass(
        "best-effort", (), 0, 0, 0, lossless=False, strict=False,
        weight_percent=weight, rate_cap_percent=None,
    )  # fmt: skip
    return tuple(sorted((rest, roce, cnp), key=lambda one: (one.priority, one.name)))


def _ecn(said: LosslessFile) -> EcnMarking | None:
    if said.ecn is None:
        return None
    ecn = said.ecn
    source = "fabric.yml, lossless.ecn"
    return EcnMarking(ecn.kmin_bytes, ecn.kmax_bytes, ecn.probability_percent, source)


def _watchdog(said: LosslessFile) -> Watchdog:
    timers = said.watchdog
    return Watchdog(
        detect_ms=timers.detect_ms,
        restore_ms=timers.restore_ms,
        poll_ms=timers.poll_ms,
        action=timers.action,
    )


def _headroom(said: LosslessFile) -> HeadroomPolicy:
    return HeadroomPolicy(
        form=said.headroom,
        over_subscription=said.over_subscription,
        small_packet_percentage=said.small_packet_percentage,
        packet_bytes=roce_packet_bytes(said.ip_mtu_bytes.hosts),
        congested_ports=said.congested_ports,
    )
