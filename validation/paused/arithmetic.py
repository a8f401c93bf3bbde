"""Headroom a second time: what a link may still bring after a pause was asked for.

IEEE 802.1Qbb (802.1Q-2018, annex O) adds a frame that the pause waits for, the pause itself, the
cable both ways, what the peer sends until it obeys, and the frame that it has begun. No vendor's
number may be below that; what vendors publish beyond it is in `published`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from .published import (
    RESPONSE_BITS,
    SPECTRUM,
    TOMAHAWK,
    TOMAHAWK_OFFSET_BYTES,
    TOMAHAWK_SIZE_BYTES,
    Cells,
)

_PAUSE_BITS = 512
_NS_PER_M = 1e9 / 198_000_000
_MAC_PHY_BYTES = 0.8 * 1024
_KIB = 1024
_EIGHT = 8
# Around the payload of RDMA: headers of Ethernet, IPv4, UDP and InfiniBand, and both checksums.
_HEADERS = {"Ethernet": 14, "IPv4": 20, "UDP": 8, "BTH": 12, "RETH": 16, "immediate": 4}
_CHECKSUMS = {"ICRC": 4, "FCS": 4}
_ON_WIRE_ONLY = _HEADERS["Ethernet"] + _CHECKSUMS["FCS"]


@dataclass(frozen=True, slots=True)
class Room:
    """Bytes of one lossless priority: XOFF room, below which XON, own size, offset of XON."""

    xoff_bytes: int
    xon_bytes: int
    size_bytes: int
    offset_bytes: int


def packet_bytes(ip_mtu_bytes: int) -> int:
    """The largest RoCE packet of hosts with this MTU: RDMA's own MTU is a power of two to 4096."""
    around = sum(_HEADERS.values()) + sum(_CHECKSUMS.values())
    payload = 4096
    while payload + around - _ON_WIRE_ONLY > ip_mtu_bytes:
        payload //= 2
    return payload + around


def floor_bytes(rate_gbps: float, cable_m: float, mtu_bytes: int, packet: int) -> int:
    """What arrives after a pause even where the peer obeys at once, by IEEE 802.1Qbb.

    Two frames, the pause and the cable: no peer and no ASIC can do with less.
    """
    wire = 2 * cable_m * _NS_PER_M * rate_gbps
    return round((8 * (mtu_bytes + packet) + _PAUSE_BITS + wire) / 8)


def published_room(
    asic: str,
    rate_gbps: float,
    cable_m: float,
    mtu_bytes: int,
    packet: int,
    small: int,
    shared: bool,
    plain: bool = False,
    *,
    lanes: int,
) -> Room | None:
    """What the maker's arithmetic gives; None where this copy has nothing of the ASIC or the rate.

    `small` is the share of 64-byte packets in percent; with `shared` XOFF room is in a pool.
    `plain` is the sum of releases that add nothing where few are small.
    """
    if asic in TOMAHAWK:
        rows = TOMAHAWK[asic].get(int(rate_gbps), ())
        xoff = next((room for metres, room in sorted(rows) if metres >= cable_m), None)
        if xoff is None:
            return None
        size = TOMAHAWK_SIZE_BYTES + (0 if shared else xoff)
        return Room(xoff, 0, size, TOMAHAWK_OFFSET_BYTES)
    cells, response = SPECTRUM.get(asic), RESPONSE_BITS.get(int(rate_gbps))
    if cells is None or response is None or rate_gbps > cells.wide_gbps:
        return None
    adds = small < 100 and not shared and not plain
    metres = math.ceil(cable_m)
    wide = is_wide(cells, rate_gbps, lanes)
    return _in_cells(cells, rate_gbps, metres, mtu_bytes, packet, small, shared, adds, wide)


def is_wide(cells: Cells, rate_gbps: float, lanes: int) -> bool:
    """Whether the maker's arithmetic doubles for it what is in the pipeline (`is_8lane`)."""
    return lanes == _EIGHT or rate_gbps >= cells.wide_gbps


def _in_cells(
    cells: Cells,
    rate: float,
    metres: int,
    mtu: int,
    packet: int,
    small: int,
    shared: bool,
    adds: bool,
    wide: bool,
) -> Room:
    bits = 2 * metres * _NS_PER_M * rate + RESPONSE_BITS[int(rate)] + rate * cells.tile_ns
    flight = mtu + _MAC_PHY_BYTES + bits / 8
    # How many times its bytes a packet takes in memory at worst: the shortest one in a large
    # cell, in a small one the packet that is a byte too long for it.
    worst = -(-cells.cell_bytes // 64) if cells.cell_bytes > 128 else 2
    by_bytes = 64 * 100 / (64 * small / 100 + packet * (100 - small) / 100)
    xoff = _kib(packet + flight * (1 + by_bytes / 100 * (worst - 1)))
    if adds and xoff + 2 * _KIB < _kib(packet + flight * worst):
        xoff += 2 * _KIB
    xon = _kib(cells.pipeline_bytes * (2 if wide else 1))
    size = xon if shared else _kib(xoff + xon + (mtu if wide else 0))
    return Room(xoff, xon, size, 0)


def _kib(value: float) -> int:
    # Sums of floats in another order may differ in the last bit: a whole KiB stays one.
    return math.ceil(value / _KIB - 1e-9) * _KIB


def pause_point_bytes(shared_bytes: int, alpha: float, ports: int) -> int:
    """Where one of so many congested ports asks for a pause: each holds alpha of what is free."""
    return math.floor(shared_bytes / (1 / alpha + ports))
