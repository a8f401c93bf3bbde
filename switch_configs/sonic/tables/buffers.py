"""Buffers: worked out by SONiC itself on Spectrum, said in full on Broadcom.

On Spectrum (the dynamic model) only what it takes is said: cable, the largest packet, alpha,
over-subscription. On Broadcom (the traditional model) each kind of port has its profile, under
the name that buffermgrd would give it, and buffermgrd then keeps ours (sonic-swss,
cfgmgr/buffermgr.cpp: "Reusing existing profile").
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from inventory.lossless.headroom import roce_packet_bytes
from inventory.plan import Headroom, HeadroomPolicy, SwitchBuffers, SwitchPort
from switch_configs.errors import DialectError
from switch_configs.intent import SwitchIntent
from switch_configs.qos import PortQos

from ..names import is_dynamic
from .kinds import classes, lossless_ports, metres, speed, untrusted_ports
from .rows import Row, Rows, Tables

_QUEUES = range(8)
_ALPHA = range(-8, 8)
_POOL_IN, _POOL_OUT = "ingress_lossless_pool", "egress_lossless_pool"


def tables(intent: SwitchIntent) -> Tables:
    """All BUFFER tables; only cables where nothing is paused, and none without classes."""
    buffers, policy = intent.switch.buffers, intent.lossless.headroom
    carrying = list(lossless_ports(intent))
    if not carrying:
        return {}
    cables: Tables = {"CABLE_LENGTH": {"AZURE": {o.name: metres(intent, o) for o, _ in carrying}}}
    if (
        buffers is None
        or policy is None
        or not any(traffic_class.lossless for traffic_class in classes(intent))
    ):
        return cables
    if is_dynamic(buffers.asic):
        _refuse_larger(intent, policy, carrying)
        found = _dynamic(intent, buffers, policy)
    elif buffers.asic.startswith("tomahawk"):
        found = _traditional(intent, buffers, carrying)
    else:
        raise DialectError(
            f"{intent.switch.name}: nobody looked up how SONiC divides the buffer of "
            f"'{buffers.asic}'"
        )
    found["BUFFER_PG"] = _groups(intent, carrying, is_dynamic(buffers.asic))
    found["BUFFER_QUEUE"] = _queues(intent, is_dynamic(buffers.asic))
    return found | cables


def _refuse_larger(
    intent: SwitchIntent, policy: HeadroomPolicy, carrying: list[tuple[SwitchPort, PortQos]]
) -> None:
    """SONiC finds headroom for packets as large as it is told: larger ones would overrun it."""
    for port, _ in carrying:
        largest = roce_packet_bytes(port.ip_mtu_bytes)
        if largest > policy.packet_bytes:
            raise DialectError(
                f"{intent.switch.name}: headroom is for packets of {policy.packet_bytes} bytes, "
                f"and {port.name} lets RoCE packets of {largest} bytes through",
                "`lossless.ip_mtu_bytes`: less for the switches, or more for the hosts",
            )


def _dynamic(intent: SwitchIntent, buffers: SwitchBuffers, policy: HeadroomPolicy) -> Tables:
    """As in buffers_defaults_objects.j2 of Mellanox boxes, dynamic mode: two pools each way."""
    pool: dict[str, Row] = {
        f"{way}_{kind}_pool": {"mode": "dynamic", "type": way}
        for way in ("ingress", "egress")
        for kind in ("lossless", "lossy")
    }
    if buffers.total_bytes is not None:
        pool[_POOL_OUT]["size"] = str(buffers.total_bytes)
    shared = policy.over_subscription if policy.form == "shared" else 0
    own = [port.name for port in intent.switch.ports]
    return {
        "BUFFER_POOL": pool,
        "BUFFER_PROFILE": {
            "egress_lossless_profile": _profile(_POOL_OUT, 0, 7),
            "egress_lossy_profile": _profile("egress_lossy_pool", buffers.port_mtu_bytes, 7),
            "ingress_lossless_profile": _profile(_POOL_IN, 0, 7),
            "ingress_lossy_profile": _profile("ingress_lossy_pool", 0, 3),
            "q_lossy_profile": _profile("egress_lossy_pool", 0, 3),
        },
        "BUFFER_PORT_EGRESS_PROFILE_LIST": _lists(own, "egress"),
        "BUFFER_PORT_INGRESS_PROFILE_LIST": _lists(own, "ingress"),
        "DEFAULT_LOSSLESS_BUFFER_PARAMETER": {
            "AZURE": {
                "default_dynamic_th": str(_threshold(intent, buffers)),
                "over_subscribe_ratio": str(shared),
            }
        },
        "LOSSLESS_TRAFFIC_PATTERN": {
            "AZURE": {
                "mtu": str(policy.packet_bytes),
                "small_packet_percentage": str(policy.small_packet_percentage),
            }
        },
    }


def _profile(pool: str, size_bytes: int, threshold: int) -> Row:
    return {"dynamic_th": str(threshold), "pool": pool, "size": str(size_bytes)}


def _lists(ports: Iterable[str], way: str) -> Rows:
    said = f"{way}_lossless_profile,{way}_lossy_profile"
    return {port: {"profile_list": said} for port in ports}


def _threshold(intent: SwitchIntent, buffers: SwitchBuffers) -> int:
    """Alpha is 2 to the power of it (SAI, buffer profile dynamic threshold)."""
    alpha = buffers.alpha
    power = math.log2(alpha) if alpha and alpha > 0 else math.nan
    if math.isnan(power) or power != int(power) or int(power) not in _ALPHA:
        raise DialectError(
            f"{intent.switch.name}: alpha {alpha} is no power of two from 1/256 to 128"
        )
    return int(power)


def _traditional(
    intent: SwitchIntent, buffers: SwitchBuffers, carrying: list[tuple[SwitchPort, PortQos]]
) -> Tables:
    """One pool each way, and headroom out of it: Arista 7060X6, buffers_defaults_t0.j2."""
    total, room = buffers.total_bytes, _pool(intent, buffers, carrying)
    if total is None or total <= room:
        raise DialectError(
            f"{intent.switch.name}: {room} bytes of headroom and {total} in all of {buffers.asic}"
        )
    rows: Rows = {
        "egress_lossless_profile": {"pool": _POOL_OUT, "size": "0", "static_th": str(total)},
        "egress_lossy_profile": _profile(_POOL_OUT, 1778, 0),
        "ingress_lossy_profile": {"pool": _POOL_IN, "size": "0", "static_th": str(total)},
    }
    for port, qos in carrying:
        rows[_lossless_name(intent, port)] = _lossless(intent, buffers, port, qos.headroom)
    return {
        "BUFFER_POOL": {
            _POOL_OUT: {"mode": "dynamic", "size": str(total), "type": "egress"},
            _POOL_IN: {
                "mode": "dynamic",
                "size": str(total - room),
                "type": "ingress",
                "xoff": str(room),
            },
        },
        "BUFFER_PROFILE": rows,
    }


def _pool(
    intent: SwitchIntent, buffers: SwitchBuffers, carrying: list[tuple[SwitchPort, PortQos]]
) -> int:
    """What priority groups draw their headroom from.

    The plan's pool where they share it, else enough for all of them at once.
    """
    if buffers.headroom_pool_bytes:
        return buffers.headroom_pool_bytes
    return sum(
        len(qos.pfc_priorities) * _known(intent, port, qos.headroom).xoff_bytes
        for port, qos in carrying
    )


def _known(intent: SwitchIntent, port: SwitchPort, room: Headroom | None) -> Headroom:
    if room is None:
        raise DialectError(
            f"{intent.switch.name}: no headroom is known for {port.name}, and this ASIC's SONiC "
            "finds none itself"
        )
    return room


def _lossless_name(intent: SwitchIntent, port: SwitchPort) -> str:
    return f"pg_lossless_{speed(port)}_{metres(intent, port)}_profile"


def _lossless(
    intent: SwitchIntent, buffers: SwitchBuffers, port: SwitchPort, room: Headroom | None
) -> Row:
    known = _known(intent, port, room)
    policy = intent.lossless.headroom
    # Headroom of a port's own is in the plan's size; here it is in the pool, whoever it is for.
    in_size = known.xoff_bytes if policy and policy.form == "dedicated" else 0
    row = _profile(_POOL_IN, known.size_bytes - in_size, _threshold(intent, buffers))
    row |= {"xoff": str(known.xoff_bytes), "xon": str(known.xon_bytes)}
    if known.xon_offset_bytes:
        row["xon_offset"] = str(known.xon_offset_bytes)
    return row


def _groups(
    intent: SwitchIntent, carrying: list[tuple[SwitchPort, PortQos]], dynamic: bool
) -> Rows:
    """`NULL` asks SONiC to find the profile (sonic-swss, cfgmgr/buffermgrdyn.cpp)."""
    rows: Rows = {}
    for port, _ in carrying:
        for one in classes(intent):
            name = "NULL" if dynamic else _lossless_name(intent, port)
            profile = name if one.lossless else "ingress_lossy_profile"
            rows[f"{port.name}|{one.priority_group}"] = {"profile": profile}
    lossy = {
        traffic_class.priority_group for traffic_class in classes(intent) if not traffic_class.dscps
    }
    for port in untrusted_ports(intent):
        for group in sorted(lossy):
            rows[f"{port.name}|{group}"] = {"profile": "ingress_lossy_profile"}
    return rows


def _queues(intent: SwitchIntent, dynamic: bool) -> Rows:
    lossless = {traffic_class.queue for traffic_class in classes(intent) if traffic_class.lossless}
    lossy = "q_lossy_profile" if dynamic else "egress_lossy_profile"
    rows: Rows = {}
    for port, _ in lossless_ports(intent):
        for first, last in _runs(lossless):
            profile = "egress_lossless_profile" if first in lossless else lossy
            rows[f"{port.name}|{_span(first, last)}"] = {"profile": profile}
    for port in untrusted_ports(intent):
        rows[f"{port.name}|0-7"] = {"profile": lossy}
    return rows


def _runs(lossless: set[int]) -> Iterable[tuple[int, int]]:
    """Queues side by side of one kind, as first and last."""
    first = 0
    for queue in _QUEUES:
        ends = queue == _QUEUES[-1] or (queue + 1 in lossless) != (queue in lossless)
        if ends:
            yield first, queue
            first = queue + 1


def _span(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"
