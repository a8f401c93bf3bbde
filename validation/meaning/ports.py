"""A port: which packets pass, and what it does with each DSCP."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from switch_configs.readback.facts import (
    ClassFacts,
    HeadroomFacts,
    PortFacts,
    QosFacts,
    WatchdogFacts,
)

from .form import Field, Path, Said, fields_said, told

_FLAP = "the link is down until both ends say the same (IEEE 802.3)"
_ROWS = {
    "addresses": Field("addresses", "sessions and routes over the port begin anew", "forwarding"),
    "description": Field("another description", "nothing", "none", quoted=False),
    "rate_gbps": Field("rate in Gb/s", _FLAP, "forwarding"),
    "fec": Field("FEC", _FLAP, "forwarding"),
    "autoneg": Field("autonegotiation", _FLAP, "forwarding"),
    "vrf": Field("table", "its routes are in another table: the old one loses them", "forwarding"),
    "vlans": Field("VLANs", "frames of VLANs that it no longer carries are dropped", "forwarding"),
    "trunk": Field("VLANs all tagged", "frames without a tag are dropped, or kept", "forwarding"),
    "bond": Field("bond", "LACP begins anew; until then the port carries nothing", "forwarding"),
    "adaptive_routing": Field(
        "adaptive routing", "packets of one flow are spread, or stay on one path", "forwarding"
    ),
}


def ports(before: Iterable[PortFacts], after: Iterable[PortFacts]) -> Iterator[Said]:
    """What differs of every port."""
    old, new = ({port.name: port for port in side} for side in (before, after))
    for name in sorted({*old, *new}):
        if name not in new:
            yield Said(name, "is no longer configured", "it carries nothing", "forwarding")
        elif name not in old:
            yield Said(name, "is configured", "it may carry traffic", "forwarding")
        else:
            yield from _port(name, old[name], new[name])


def _port(name: str, old: PortFacts, new: PortFacts) -> Iterator[Said]:
    if old.ip_mtu_bytes != new.ip_mtu_bytes:
        yield Said(name, *_mtu(old.ip_mtu_bytes, new.ip_mtu_bytes))
    yield from fields_said(name, old, new, _ROWS)
    if old.qos and new.qos:
        yield from _qos(name, old.qos, new.qos)
    elif old.qos:
        effect = "every packet is best effort: RoCE is dropped under congestion"
        yield Said(name, "no longer does anything by DSCP", effect, "lossless")
    elif new.qos:
        yield Said(name, "does something by DSCP", "packets are sorted by their marks", "lossless")


def _mtu(old: int | None, new: int | None) -> tuple[str, str, Path]:
    what = f"IP MTU: {told(old)} -> {told(new)} bytes"
    if old is None or new is None:
        return what, "the system's own MTU stands on one side, which is not known", "forwarding"
    effect = (
        f"packets of more than {new} bytes are dropped, and no error says so"
        if new < old
        else f"packets of up to {new} bytes pass; hosts may send them once all hops do"
    )
    return what, effect, "forwarding"


def _qos(name: str, old: QosFacts, new: QosFacts) -> Iterator[Said]:
    yield from _dscps(name, old, new)
    gone = sorted(set(old.pfc_priorities) - set(new.pfc_priorities))
    come = sorted(set(new.pfc_priorities) - set(old.pfc_priorities))
    if gone:
        effect = "the neighbour is no longer held, nor obeyed: packets of it are dropped when full"
        yield Said(name, f"no longer pauses priority {told(tuple(gone))}", effect, "lossless")
    if come:
        effect = "what is in it waits instead of being dropped, and can stop its neighbours"
        yield Said(name, f"pauses priority {told(tuple(come))}", effect, "lossless")
    if old.by_tag != new.by_tag:
        effect = "packets with a VLAN tag come into another class, whatever their DSCP"
        was, now = (told(tuple(map(_tag, one.by_tag))) for one in (old, new))
        what = f"priorities of VLAN tags with a class: {was} -> {now}"
        yield Said(name, what, effect, "lossless")
    if old.watchdog != new.watchdog:
        yield _watchdog(name, old.watchdog, new.watchdog)
    if old.cable_m != new.cable_m:
        effect = "headroom that the system finds from it is another: too short a cable loses"
        what = f"cable length: {told(old.cable_m)} -> {told(new.cable_m)} m"
        yield Said(name, what, effect, "lossless")
    if old.headroom != new.headroom:
        yield _headroom(name, old.headroom, new.headroom)


def _dscps(name: str, old: QosFacts, new: QosFacts) -> Iterator[Said]:
    """DSCPs whose packets are treated otherwise, those with one change together."""
    before, after = _by_dscp(old), _by_dscp(new)
    moved: dict[tuple[ClassFacts | None, ClassFacts | None], list[int]] = defaultdict(list)
    for dscp in sorted({*before, *after}):
        pair = before.get(dscp), after.get(dscp)
        if pair[0] != pair[1]:
            moved[pair].append(dscp)
    for (was, now), dscps in moved.items():
        which = f"DSCP {_ranges(dscps)}"
        if was is None or now is None:
            gone = f"{which} is in {'no' if now is None else 'a'} class"
            yield Said(name, gone, "the system's own way stands on one side", "lossless")
            continue
        for what, effect, path in _class(was, now):
            yield Said(name, f"{which}: {what}", effect, path)


def _by_dscp(qos: QosFacts) -> dict[int, ClassFacts]:
    return {dscp: replace(one, dscps=()) for one in qos.classes for dscp in one.dscps}


def _class(old: ClassFacts, new: ClassFacts) -> Iterator[tuple[str, str, Path]]:
    touched: Path = "lossless" if _is_lossless(old) or _is_lossless(new) else "forwarding"
    if old.pfc_priority != new.pfc_priority:
        what = f"{_loss(old)} -> {_loss(new)}"
        if not _is_lossless(new):
            effect = "its packets are dropped when a queue is full; RDMA sends whole windows again"
        elif not _is_lossless(old):
            effect = "its packets wait when a queue is full, and hold up what else is in the class"
        else:
            effect = "where a neighbour still pauses the old priority, packets are lost between"
        yield what, effect, "lossless"
    if (old.strict, old.weight_percent) != (new.strict, new.weight_percent):
        what = f"{_share(old)} -> {_share(new)}"
        yield what, "classes get other shares of a full port (IEEE 802.1Qaz)", touched
    if old.rate_cap_percent != new.rate_cap_percent:
        what = f"at most {told(old.rate_cap_percent)} -> {told(new.rate_cap_percent)} %"
        yield what, "the class is held back, or may take the port from others", touched
    if old.ecn != new.ecn:
        yield _ecn(old, new)


def _ecn(old: ClassFacts, new: ClassFacts) -> tuple[str, str, Path]:
    was, now = old.ecn, new.ecn
    if now is None:
        effect = "senders do not slow down until they are paused"
        return "no longer marked by ECN", effect, "lossless"
    if was is None:
        return f"marked by ECN from {now.kmin_bytes} bytes", "DCQCN slows its senders", "lossless"
    what = (
        f"ECN {was.kmin_bytes} to {was.kmax_bytes} bytes at {was.probability_percent} % -> "
        f"{now.kmin_bytes} to {now.kmax_bytes} bytes at {now.probability_percent} %"
    )
    later = now.kmin_bytes > was.kmin_bytes or now.kmax_bytes > was.kmax_bytes
    effect = (
        "senders slow down later: longer queues, more pauses"
        if later
        else "senders slow down earlier: shorter queues, fewer pauses, maybe less rate"
    )
    return what, effect, "lossless"


def _tag(one: tuple[int, int | None]) -> str:
    tag, priority = one
    return f"{tag} (lossy)" if priority is None else f"{tag} (paused as {priority})"


def _watchdog(name: str, old: WatchdogFacts | None, new: WatchdogFacts | None) -> Said:
    if new is None:
        effect = "a NIC that sends pauses for ever stops the fabric hop by hop"
        return Said(name, "no PFC watchdog any more", effect, "lossless")
    if old is None:
        effect = "a queue that is paused too long is emptied: packets of a storm are dropped"
        return Said(name, "a PFC watchdog", effect, "lossless")
    times = " -> ".join(
        f"{told(one.detect_ms)}/{told(one.restore_ms)} ms, {told(one.action)}" for one in (old, new)
    )
    return Said(
        name,
        f"PFC watchdog: {times}",
        "storms are ended sooner, later or in another way",
        "lossless",
    )


def _headroom(name: str, old: HeadroomFacts | None, new: HeadroomFacts | None) -> Said:
    what = f"headroom: {_room(old)} -> {_room(new)}"
    smaller = old and new and new.size_bytes < old.size_bytes
    effect = (
        "less fits of what is under way when a pause is sent: it may be lost"
        if smaller
        else "more, or other, room for what is under way when a pause is sent"
    )
    return Said(name, what, effect, "lossless")


def _room(one: HeadroomFacts | None) -> str:
    if one is None:
        return "the system's own"
    return f"{one.size_bytes} bytes, xoff {one.xoff_bytes}, xon {one.xon_bytes}"


def _is_lossless(one: ClassFacts) -> bool:
    return one.pfc_priority is not None


def _loss(one: ClassFacts) -> str:
    return f"lossless in priority {one.pfc_priority}" if _is_lossless(one) else "lossy"


def _share(one: ClassFacts) -> str:
    return "strict" if one.strict else f"{told(one.weight_percent)} %"


def _ranges(numbers: list[int]) -> str:
    """`0-25, 27` of sorted numbers."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in runs)
