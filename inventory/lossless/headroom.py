"""Headroom: what still arrives after a pause was asked for, and must not be dropped.

For NVIDIA's ASICs this is the formula of SONiC's dynamic buffer model (sonic-net/sonic-swss,
cfgmgr/buffer_headroom_mellanox.lua), as the planned release has it; for others it is a published
table, and nothing between its rows is made up. It reproduces the published table of the SN5600
(a test holds it).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..plan import Headroom
from ..schema import AsicProfile
from ..schema.asics import HeadroomFormula, HeadroomRow

_KIB = 1024
# Signal speed in the cable, and the shortest Ethernet frame (IEEE 802.3, 3.2.8).
_METRES_PER_S = 198_000_000
_SHORTEST_BYTES = 64
# A quantum is 512 bit times (IEEE 802.3, 31B.2).
_QUANTUM_BYTES = 64
# RoCEv2 around its payload: Ethernet 14, IPv4 20, UDP 8, BTH 12, RETH 16, immediate 4, ICRC 4,
# FCS 4 (InfiniBand specification 1.4, volume 1, 9.2 and annex A17).
_ROCE_WITHIN_IP_BYTES = 64
_ROCE_AROUND_BYTES = _ROCE_WITHIN_IP_BYTES + 18
_ROCE_MTUS = (4096, 2048, 1024, 512, 256)
# Added by the dynamic model where small packets are not counted in full and nothing is shared,
# since PR 4757: in master and 202605.
_COMPENSATION_BYTES = 2 * _KIB


@dataclass(frozen=True, slots=True)
class NoHeadroom:
    """Why there is no number, in the words of a problem."""

    found: str
    expected: str


def roce_packet_bytes(host_ip_mtu_bytes: int) -> int:
    """Return the largest RoCEv2 packet of such hosts, on the wire, in bytes.

    RDMA has five MTUs; the driver takes the largest that fits. 9000 -> 4096 -> 4178.
    """
    room = host_ip_mtu_bytes - _ROCE_WITHIN_IP_BYTES
    return _ROCE_AROUND_BYTES + next(mtu for mtu in _ROCE_MTUS if mtu <= room)


def headroom(
    asic: AsicProfile,
    rate_gbps: float,
    cable_m: float,
    port_mtu_bytes: int,
    packet_bytes: int,
    small_packet_percentage: int = 100,
    *,
    lanes: int,
    shared: bool = False,
    compensated: bool = True,
) -> Headroom | NoHeadroom:
    """Return the headroom of one port and priority, or why nobody knows it.

    `packet_bytes` is the largest lossless packet, `port_mtu_bytes` the largest of any class,
    `small_packet_percentage` the share of 64-byte packets, which waste most of a cell. `lanes` are
    the port's, at whatever rate it runs. With `shared`, only what must be the port's own is in
    `size_bytes`. Of a system that is known to work it out by itself and without what later releases
    add, it is not `compensated`: more than there is would be found wrong in a healthy switch, and
    be taken off what ports share.
    """
    if asic.formula is not None:
        formula, metres = asic.formula, math.ceil(cable_m)
        prop = _in_flight_bytes(formula, rate_gbps, metres, port_mtu_bytes)
        if prop is None:
            rates = ", ".join(f"{quanta.rate_gbps:g}" for quanta in formula.pause_quanta)
            return NoHeadroom(f"{rate_gbps:g} Gb/s", f"one of {rates} Gb/s")
        adds = compensated and not shared
        xoff = _xoff_bytes(formula, prop, packet_bytes, small_packet_percentage, adds=adds)
        wide = formula.is_wide(rate_gbps, lanes)
        xon = _roundup(formula.pipeline_kib * _KIB * (2 if wide else 1))
        size = xon if shared else _roundup(xoff + xon + (port_mtu_bytes if wide else 0))
        return Headroom(xon, xoff, size, 0, asic.source)
    return _from_table(asic, rate_gbps, cable_m, shared=shared)


def _in_flight_bytes(
    formula: HeadroomFormula, rate_gbps: float, cable_m: int, port_mtu_bytes: int
) -> float | None:
    """Bytes that arrive between the wish to pause and the peer's silence."""
    quanta = formula.quanta(rate_gbps)
    if quanta is None:
        return None
    cable = 2 * cable_m * rate_gbps * 1e9 / _METRES_PER_S / 8
    phy, tile = formula.mac_phy_kib * _KIB, rate_gbps * formula.tile_ns / 8
    return port_mtu_bytes + cable + phy + quanta * _QUANTUM_BYTES + tile


def _xoff_bytes(
    formula: HeadroomFormula, prop: float, packet_bytes: int, small: int, *, adds: bool
) -> int:
    cell = formula.cell_bytes
    # A packet one byte longer than a cell takes two; below two shortest packets a cell, that
    # is the worst case, above it the shortest packet is.
    narrow = cell <= 2 * _SHORTEST_BYTES
    worst = math.ceil(2 * cell / (1 + cell) if narrow else cell / _SHORTEST_BYTES)
    mixed = (small * _SHORTEST_BYTES + (100 - small) * packet_bytes) / 100
    # As the model has it; at 0 % it still counts some, which is on the safe side.
    by_bytes = 100 * _SHORTEST_BYTES / mixed
    occupancy = (100 - by_bytes + by_bytes * worst) / 100
    xoff = _roundup(packet_bytes + prop * occupancy)
    full = _roundup(packet_bytes + prop * worst)
    if adds and small != 100 and xoff + _COMPENSATION_BYTES < full:
        return xoff + _COMPENSATION_BYTES
    return xoff


def _from_table(
    asic: AsicProfile, rate_gbps: float, cable_m: float, *, shared: bool
) -> Headroom | NoHeadroom:
    rows = [row for row in asic.table if row.rate_gbps == rate_gbps]
    long_enough = [row for row in rows if row.cable_m >= cable_m]
    if not rows:
        rates = ", ".join(f"{one:g}" for one in sorted({row.rate_gbps for row in asic.table}))
        expected = f"one of {rates} Gb/s" if rates else "numbers of its own"
        return NoHeadroom(f"{rate_gbps:g} Gb/s", expected)
    if not long_enough:
        longest = max(row.cable_m for row in rows)
        expected = f"at most {longest:g} m at {rate_gbps:g} Gb/s"
        return NoHeadroom(f"{cable_m:g} m", expected)
    return _of_row(min(long_enough, key=lambda row: row.cable_m), asic.source, shared=shared)


def _of_row(row: HeadroomRow, source: str, *, shared: bool) -> Headroom:
    size = row.size_bytes if shared else row.size_bytes + row.xoff_bytes
    return Headroom(row.xon_bytes, row.xoff_bytes, size, row.xon_offset_bytes, source)


def _roundup(value: float) -> int:
    return math.ceil(value / _KIB) * _KIB
