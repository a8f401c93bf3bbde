"""Headroom by rate, cable and MTU, and the pause point, by the data of the box's ASIC.

Which ASIC it is only some configurations say, by the model or the platform that they name. Of
others only what no ASIC can do without is judged (IEEE 802.1Q-2018, annex O).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from inventory.load.site import known_profiles
from inventory.lossless.ecn import xoff_point_bytes
from inventory.lossless.headroom import headroom
from inventory.plan import Headroom
from inventory.schema import AsicProfile
from switch_configs.readback.facts import HeadroomFacts, PortFacts
from validation.audit.box import Box
from validation.audit.rule import Problem, Rule
from validation.paused.arithmetic import floor_bytes

from .marking import carriers, paused

CONGESTED_PORTS = 16
"""How many ports are taken to be congested at once where a pause point is worked out."""
# SONiC's tables are worked out for packets of 1 KiB among the shortest ones.
_PACKET_BYTES = 1024
_USUAL_MTU_BYTES = 9100


@cache
def _asics() -> tuple[tuple[str, AsicProfile], ...]:
    """ASICs by the models, then the platforms, of the profiles that name them."""
    _, switches, asics = known_profiles(Path(__file__).parent)
    found = [(one.model, one.asic) for one in switches.values()]
    found += [(one.platform, one.asic) for one in switches.values()]
    return tuple((word, asics[name]) for word, name in found if word and name in asics)


def asic_of(box: Box) -> AsicProfile | None:
    """What is known of the ASIC of a box; None where its configuration does not say which it is."""
    texts = tuple(box.texts.values())
    return next(
        (asic for word, asic in _asics() if any(f'"{word}"' in text for text in texts)), None
    )


def rooms(box: Box) -> Iterator[tuple[PortFacts, HeadroomFacts]]:
    """The ports whose headroom a configuration says in bytes, each kind of it once."""
    seen = set()
    for name, room in box.reserved.rooms if box.reserved else ():
        port = box.port(name)
        if port and port.rate_gbps and port.qos and port.qos.cable_m is not None:
            kind = (port.rate_gbps, port.qos.cable_m, port.ip_mtu_bytes, room)
            if kind not in seen:
                seen.add(kind)
                yield port, room


class HeadroomHoldsTheCable(Rule):
    """Headroom holds what is on the cable, and two frames."""

    id = "headroom-floor"
    severity = "critical"
    why = (
        "what still arrives after a pause has no room, and is dropped: two frames, the pause and "
        "the cable both ways whatever the ASIC (IEEE 802.1Q-2018, annex O)"
    )
    needs = frozenset({"qos.cable_m", "port.rate_gbps", "reserved.rooms"})
    of = "qos.headroom"

    def of_box(self, box: Box) -> Iterator[Problem]:
        for port, room in rooms(box):
            rate, metres = port.rate_gbps or 0, (port.qos.cable_m if port.qos else 0) or 0
            least = floor_bytes(rate, metres, port.ip_mtu_bytes or _USUAL_MTU_BYTES, _PACKET_BYTES)
            if room.xoff_bytes < least:
                found = f"{room.xoff_bytes} bytes after XOFF for {rate:g} Gb/s and {metres:g} m"
                fix = f"{least} bytes or more; the ASIC needs more than that"
                yield self.problem(box, port.name, found, fix, values=(room.xoff_bytes,))


class HeadroomFitsTheAsic(Rule):
    """Headroom is what the ASIC needs for the rate, the cable and the MTU."""

    id = "headroom-short"
    severity = "major"
    why = (
        "the ASIC's own delays and its cells take more than the cable (swss, cfgmgr/"
        "buffer_headroom_mellanox.lua; vendors' pg_profile_lookup.ini)"
    )
    needs = frozenset({"qos.cable_m", "port.rate_gbps", "reserved.rooms"})
    of = "qos.headroom"

    def of_box(self, box: Box) -> Iterator[Problem]:
        asic = asic_of(box) if box.reserved and box.reserved.rooms else None
        for port, room in rooms(box) if asic else ():
            rate, metres = port.rate_gbps or 0, (port.qos.cable_m if port.qos else 0) or 0
            small = box.reserved.small_packet_percentage if box.reserved else None
            packet = box.reserved.packet_bytes if box.reserved else None
            mtu = port.ip_mtu_bytes or _USUAL_MTU_BYTES
            packet, small = packet or _PACKET_BYTES, 100 if small is None else small
            # How many lanes a port has, no system's facts say; they change xon and size alone.
            asked = headroom(asic, rate, metres, mtu, packet, small, lanes=1) if asic else None
            if not isinstance(asked, Headroom) or room.xoff_bytes >= asked.xoff_bytes:
                continue
            found = f"{room.xoff_bytes} bytes after XOFF for {rate:g} Gb/s and {metres:g} m"
            fix = f"{asked.xoff_bytes} bytes or more ({asked.source})"
            yield self.problem(box, port.name, found, fix, values=(room.xoff_bytes,))


class SharedHeadroomHoldsAPort(Rule):
    """A shared pool of headroom holds at least what one port may need."""

    id = "headroom-pool"
    severity = "critical"
    why = "a pool that cannot hold one paused port drops at the first pause (swss, cfgmgr)"
    needs = frozenset({"reserved.rooms", "reserved.pools"})
    of = "qos.headroom"

    def of_box(self, box: Box) -> Iterator[Problem]:
        said = box.reserved
        pools = [pool for pool in said.pools if pool.headroom_bytes is not None] if said else []
        most = max((room.xoff_bytes for _, room in said.rooms), default=0) if said else 0
        for pool in pools:
            if pool.headroom_bytes is not None and pool.headroom_bytes < most:
                found = f"pool {pool.name} shares {pool.headroom_bytes} bytes, a port needs {most}"
                yield self.problem(box, pool.name, found, "a larger pool", values=(pool.name,))


class CableIsSaid(Rule):
    """A port that pauses says how long its cable is, where its system asks."""

    id = "cable-length"
    severity = "critical"
    why = (
        "headroom is found from the length: without it the box takes none or a default, and drops "
        "what is on the cable (swss, cfgmgr/buffermgrd: no length, no lossless profile)"
    )
    needs = frozenset({"qos.cable_m"})
    of = "qos.cable_m"

    def of_box(self, box: Box) -> Iterator[Problem]:
        given = {name for name, _ in box.reserved.rooms} if box.reserved else set()
        for port in carriers(box):
            metres = port.qos.cable_m if port.qos else None
            if metres is None and port.name not in given:
                yield self.problem(box, port.name, "no length of its cable", "say its length")
            elif metres is not None and metres <= 0:
                found = f"a cable of {metres:g} m"
                yield self.problem(box, port.name, found, "its true length")


class MarkingComesFirst(Rule):
    """Marking begins before a port asks for a pause, with some ports congested."""

    id = "ecn-above-pause"
    severity = "major"
    why = (
        "a queue that pauses before it marks never slows its senders (DCQCN, SIGCOMM 2015, section "
        "4: XOFF is alpha B / (1 + alpha N) with N ports congested)"
    )
    needs = frozenset({"class.ecn", "reserved.pools"})
    of = "class.ecn"

    def of_box(self, box: Box) -> Iterator[Problem]:
        shared, alpha = _shared(box)
        if shared is None or alpha is None:
            return
        point = xoff_point_bytes(shared, alpha, CONGESTED_PORTS)
        for port in carriers(box):
            for one in paused(port):
                if one.ecn and one.ecn.kmin_bytes >= point:
                    found = (
                        f"marks from {one.ecn.kmin_bytes} bytes, pauses from about {point} with "
                        f"{CONGESTED_PORTS} ports congested and alpha {alpha:g}"
                    )
                    words = (one.ecn.kmin_bytes, one.pfc_priority)
                    yield self.problem(box, port.name, found, f"Kmin below {point}", values=words)


def _shared(box: Box) -> tuple[int | None, float | None]:
    """What paused classes share at most, and alpha, by the text or else by the ASIC."""
    users = box.reserved.users if box.reserved else ()
    mine = next((one for one in users if (one.way, one.who) == ("ingress", "lossless")), None)
    pools = box.reserved.pools if box.reserved else ()
    pool = next((one for one in pools if mine and one.name == mine.share.pool), None)
    asic = asic_of(box) if mine else None
    buffer = asic.buffer if asic else None
    shared = pool.size_bytes if pool else None
    if shared is None and buffer:
        shared = buffer.total_bytes * buffer.lossless_share_percent // 100
    alpha = mine.share.alpha if mine else None
    return shared, alpha if alpha is not None else buffer.alpha if buffer else None
