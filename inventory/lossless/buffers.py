"""The buffer of one switch, divided: headroom of every port, what they share, what is left."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ..plan import EcnMarking, Headroom, HeadroomPolicy, Lossless, PortBuffers, SwitchBuffers
from ..schema import AsicProfile
from ..schema.asics import BufferFile
from ..schema.lossless import HeadroomFile
from .ecn import ecn_marking, rule_by_rate, xoff_point_bytes
from .headroom import NoHeadroom, headroom

_KIB = 1024


class PortKind(NamedTuple):
    """What ports have in common that need the same; `lanes` are those of its part of a cage."""

    rate_gbps: float
    cable_m: float
    lanes: int


Ports = tuple[tuple[PortKind, int], ...]
"""Kinds of port and how many there are of each, sorted."""


@dataclass(frozen=True, slots=True, order=True)
class Shortage:
    """One reason why a switch cannot have its numbers, in the words of a problem."""

    kind: Literal["headroom", "buffer", "ecn"]
    found: str
    expected: str


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the site asks of every switch."""

    port_mtu_bytes: int
    policy: HeadroomPolicy
    ecn: EcnMarking | None
    overrides: tuple[HeadroomFile, ...]
    compensated: bool


@dataclass(frozen=True, slots=True)
class _Sums:
    headroom_bytes: int
    pool_bytes: int
    shared_bytes: int


def switch_buffers(
    profile: str,
    asic_name: str,
    asic: AsicProfile,
    ports: Iterable[PortKind],
    lossless: Lossless,
    overrides: Sequence[HeadroomFile] = (),
    *,
    compensated: bool = True,
) -> SwitchBuffers | tuple[Shortage, ...]:
    """Return the buffers of a switch with these ports, or all reasons why it has none.

    `ports` has one for each port that carries the lossless class. The work grows with the kinds
    of port, so find it once for each kind of switch.
    Overrides are those of the site, of all profiles; `compensated` is as in `headroom`.
    ValueError: a marking-only site has none.
    """
    if lossless.headroom is None:
        raise ValueError("a marking-only site has no buffers to divide")
    own = tuple(one for one in overrides if one.profile == profile)
    mtu = lossless.switch_ip_mtu_bytes
    asked = _Asked(mtu, lossless.headroom, lossless.ecn, own, compensated)
    kinds: Ports = tuple(sorted(Counter(ports).items()))
    found = {kind: _headroom(asic, kind, asked) for kind, _ in kinds}
    missing = {one for one in found.values() if isinstance(one, NoHeadroom)}
    if missing:
        whys = (
            Shortage("headroom", f"{one.found} on {asic_name}", one.expected) for one in missing
        )
        return tuple(sorted(whys))
    known = {kind: one for kind, one in found.items() if isinstance(one, Headroom)}
    sums = _sums(asic, asic.buffer, kinds, known, asked.policy) if asic.buffer else None
    if sums and asic.buffer and sums.shared_bytes <= 0:
        return (_does_not_fit(asic_name, asic.buffer, sums),)
    return _divided((profile, asic_name), asic, kinds, known, sums, asked)


def marked_buffers(
    profile: str, asic_name: str, ports: Iterable[PortKind], asked: EcnMarking | None
) -> SwitchBuffers:
    """Return what a switch without PFC needs: where marking begins on ports of each kind.

    Nothing is known of its buffer, so thresholds are those asked for, or the rule by rate.
    """
    kinds: Ports = tuple(sorted(Counter(ports).items()))
    found = (
        PortBuffers(*kind, count, None, asked or rule_by_rate(kind.rate_gbps))
        for kind, count in kinds
    )
    return SwitchBuffers(
        profile=profile,
        asic=asic_name,
        port_mtu_bytes=0,
        total_bytes=None,
        headroom_bytes=None,
        headroom_pool_bytes=None,
        shared_bytes=None,
        alpha=None,
        congested_ports=0,
        xoff_point_bytes=None,
        ports=tuple(found),
    )


def _headroom(asic: AsicProfile, kind: PortKind, asked: _Asked) -> Headroom | NoHeadroom | None:
    """What the site supplies, or the ASIC's own; None where the switch OS finds it."""
    rate_gbps, cable_m, lanes = kind
    long_enough = [
        one for one in asked.overrides if one.rate_gbps == rate_gbps and one.cable_m >= cable_m
    ]
    if long_enough:
        said = min(long_enough, key=lambda one: one.cable_m)
        source = f"fabric.yml, lossless.overrides: {said.source}"
        return Headroom(said.xon_bytes, said.xoff_bytes, said.size_bytes, 0, source)
    if asic.headroom == "system":
        return _left_to_system(asic, cable_m)
    return headroom(
        asic,
        rate_gbps,
        cable_m,
        asked.port_mtu_bytes,
        asked.policy.packet_bytes,
        asked.policy.small_packet_percentage,
        lanes=lanes,
        shared=asked.policy.form == "shared",
        compensated=asked.compensated,
    )


def _left_to_system(asic: AsicProfile, cable_m: float) -> NoHeadroom | None:
    longest = asic.system_cable_m
    if longest is not None and cable_m > longest:
        return NoHeadroom(f"{cable_m:g} m", f"at most {longest:g} m, or sizes of one's own")
    return None


def _sums(
    asic: AsicProfile,
    buffer: BufferFile,
    kinds: Ports,
    known: dict[PortKind, Headroom],
    policy: HeadroomPolicy,
) -> _Sums:
    """Divide the buffer as SONiC does (sonic-swss, cfgmgr/buffer_pool_mellanox.lua)."""
    own = sum(known[kind].size_bytes * count for kind, count in kinds)
    pool = 0
    if policy.form == "shared":
        ports = sum(count for _, count in kinds)
        private = buffer.private_headroom_kib * _KIB * ports
        xoff = sum(known[kind].xoff_bytes * count for kind, count in kinds)
        own += private
        pool = math.ceil(max(0, xoff - private) / policy.over_subscription)
    others = buffer.fixed_kib * _KIB + sum(
        buffer.reserved_bytes(is_wide=_is_wide(asic, kind)) * count for kind, count in kinds
    )
    free = buffer.total_bytes - own - pool - others
    return _Sums(own, pool, free * buffer.lossless_share_percent // 100)


def _is_wide(asic: AsicProfile, kind: PortKind) -> bool:
    return asic.formula is not None and asic.formula.is_wide(kind.rate_gbps, kind.lanes)


def _does_not_fit(asic_name: str, buffer: BufferFile, sums: _Sums) -> Shortage:
    needed = sums.headroom_bytes + sums.pool_bytes
    found = f"{needed} bytes of headroom for all ports"
    return Shortage("buffer", found, f"less than the {buffer.total_bytes} bytes of {asic_name}")


def _divided(
    names: tuple[str, str],
    asic: AsicProfile,
    kinds: Ports,
    known: dict[PortKind, Headroom],
    sums: _Sums | None,
    asked: _Asked,
) -> SwitchBuffers | tuple[Shortage, ...]:
    buffer, congested = asic.buffer, asked.policy.congested_ports
    xoff = xoff_point_bytes(sums.shared_bytes, buffer.alpha, congested) if sums and buffer else None
    ports: list[PortBuffers] = []
    for kind, count in kinds:
        ecn = ecn_marking(asic, kind.rate_gbps, xoff, asked.ecn)
        if ecn is None:
            return (Shortage("ecn", f"no thresholds for {names[1]}", "`lossless.ecn`"),)
        ports.append(PortBuffers(*kind, count, known.get(kind), ecn))
    return SwitchBuffers(
        profile=names[0],
        asic=names[1],
        port_mtu_bytes=asked.port_mtu_bytes,
        total_bytes=buffer.total_bytes if buffer else None,
        headroom_bytes=sums.headroom_bytes if sums else None,
        headroom_pool_bytes=sums.pool_bytes if sums else None,
        shared_bytes=sums.shared_bytes if sums else None,
        alpha=buffer.alpha if buffer else None,
        congested_ports=congested,
        xoff_point_bytes=xoff,
        ports=tuple(ports),
    )
