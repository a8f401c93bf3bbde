"""What the BUFFER tables say of a port's priority groups and queues.

Written from sonic-buffer-*.yang and the buffer manager's pages; a lossless priority group is
one whose profile has an xoff, or is found by SONiC itself ("NULL", dynamic model only).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from switch_configs.readback.facts import BufferFacts, HeadroomFacts

from . import boxes
from .database import Database, DatabaseRow, is_number

# What SONiC ships beside (buffers_defaults_objects.j2, the dynamic model of Mellanox boxes):
# pool and threshold. Another value means other shares than anybody has tried. Older boxes have
# one pool of ingress for both.
_SHIPPED = {
    "egress_lossless_profile": ("egress_lossless_pool", 7),
    "egress_lossy_profile": ("egress_lossy_pool", 7),
    "ingress_lossless_profile": ("ingress_lossless_pool", 7),
    "ingress_lossy_profile": ("ingress_lossy_pool", 3),
    "q_lossy_profile": ("egress_lossy_pool", 3),
}


@dataclass(frozen=True)
class Profile:
    """A buffer profile; numbers in bytes."""

    name: str
    pool: str
    dynamic_th: int | None
    headroom: HeadroomFacts | None


@dataclass
class Buffers:
    """By port: its lossless priority groups with their profile (None: SONiC finds it)."""

    lossless: dict[str, dict[int, Profile | None]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    groups: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    queues: dict[str, dict[int, str]] = field(default_factory=lambda: defaultdict(dict))
    cables: dict[str, float] = field(default_factory=dict)
    facts: BufferFacts = field(default_factory=BufferFacts)
    is_there: bool = False
    is_dynamic: bool | None = None

    @property
    def by_cable(self) -> set[str]:
        """Ports whose lossless groups buffermgrd makes of speed and cable length.

        So it is by the traditional model, where no row says one (sonic-swss, buffermgr.cpp).
        """
        is_left = self.is_dynamic is False and not any(self.lossless.values())
        return set(self.cables) if is_left else set()


# RDMA has five MTUs. Around one of them are at most 64 bytes within IP (IPv4 20, UDP 8, BTH 12,
# RETH 16, immediate 4, ICRC 4) and 18 of Ethernet (InfiniBand specification 1.4, 9.2 and A17).
_RDMA_MTUS, _WITHIN_IP, _AROUND = (256, 512, 1024, 2048, 4096), 64, 18


def read(
    db: Database, mtus: dict[str, int], is_dynamic: bool | None, box: boxes.Box | None
) -> Buffers:
    """All BUFFER tables and what the dynamic model takes beside; `mtus` are those of ports."""
    ports = set(mtus)
    found = Buffers(is_there="BUFFER_PROFILE" in db.tables, is_dynamic=is_dynamic)
    pools, room_bytes = _pools(db, box)
    profiles = {key: _profile(db, row, pools) for key, row in db.rows("BUFFER_PROFILE").items()}
    found.cables = _cables(db, ports)
    _groups(db, found, profiles, ports)
    _queues(db, found, profiles, ports)
    _lists(db, profiles, ports)
    if is_dynamic:
        _as_shipped(db, profiles)
        found.facts = _parameters(db, [mtus[port] for port in found.lossless])
    else:
        found.facts = _from_profiles(db, found, room_bytes)
    return found


def _pools(db: Database, box: boxes.Box | None) -> tuple[set[str], int | None]:
    sizes: dict[str, int | None] = {}
    room = None
    for name, row in db.rows("BUFFER_POOL").items():
        way = row.text("type")
        if way not in ("ingress", "egress", "both") or not (way == "both" or name.startswith(way)):
            db.broken(f"pool {name} is not for {way}")
        if row.text("mode") not in ("dynamic", "static"):
            db.broken(f"pool {name} is neither dynamic nor static")
        sizes[name] = row.number("size")
        xoff = row.number("xoff")
        if name == "ingress_lossless_pool":
            room = xoff
    boxes.pools(db, box, sizes, room)
    return set(sizes), room


def _profile(db: Database, row: DatabaseRow, pools: set[str]) -> Profile:
    pool = row.text("pool") or ""
    if pool not in pools:
        db.broken(f"profile {row.key} is of pool '{pool}', which is not there")
    size = row.number("size")
    dynamic_th, static_th = row.number("dynamic_th"), row.number("static_th")
    if (dynamic_th is None) == (static_th is None):
        db.broken(f"profile {row.key} has no threshold, or two")
    if dynamic_th is not None and not -8 <= dynamic_th <= 7:
        db.broken(f"profile {row.key} has a threshold beyond -8 to 7")
    if size is None:
        db.broken(f"profile {row.key} has no size")
    xoff, xon, offset = row.number("xoff"), row.number("xon"), row.number("xon_offset")
    if xoff is None and (xon is not None or offset is not None):
        db.broken(f"profile {row.key} says when to resume and never pauses")
    headroom = None
    if xoff is not None and size is not None:
        headroom = HeadroomFacts(xon or 0, xoff, size)
    return Profile(row.key, pool, dynamic_th, headroom)


def _cables(db: Database, ports: set[str]) -> dict[str, float]:
    found: dict[str, float] = {}
    for row in db.rows("CABLE_LENGTH").values():
        if row.key != "AZURE":  # buffers_config.j2
            db.hazard(f"cable lengths are under '{row.key}', which SONiC calls AZURE")
        for port in list(row.fields):
            length = row.fields[port]
            if not isinstance(length, str) or not length.endswith("m"):
                continue
            if is_number(length[:-1]):
                row.text(port)
                found[port] = float(length[:-1])
            if port not in ports:
                db.hazard(f"a cable is at {port}, which is no port")
    return found


def span(text: str) -> Iterator[int]:
    """`3` or `3-4`; nothing where it is neither."""
    first, _, last = text.partition("-")
    if is_number(first) and (not last or is_number(last)):
        yield from range(int(first), int(last or first) + 1)


def _groups(db: Database, found: Buffers, profiles: dict[str, Profile], ports: set[str]) -> None:
    for key, row in db.rows("BUFFER_PG").items():
        port, _, numbers = key.partition("|")
        name = row.text("profile")
        if port not in ports or not list(span(numbers)):
            db.broken(f"a priority group of {key}, which is not there")
            continue
        profile = profiles.get(name or "")
        if profile is None and name != "NULL":
            db.broken(f"priority group {key} has profile '{name}', which is not there")
            continue
        if name == "NULL" and not found.is_dynamic:
            db.broken(f"priority group {key} waits for a profile that this model does not find")
        if name == "NULL" and port not in found.cables:
            db.broken(f"port {port} has no cable length, so no headroom")
        for group in span(numbers):
            found.groups[port].add(group)
            if profile is None or profile.headroom is not None:
                found.lossless[port][group] = profile
        if profile is not None and not profile.pool.startswith("ingress"):
            db.broken(f"priority group {key} is of a pool of egress")


def _queues(db: Database, found: Buffers, profiles: dict[str, Profile], ports: set[str]) -> None:
    for key, row in db.rows("BUFFER_QUEUE").items():
        port, _, numbers = key.partition("|")
        name = row.text("profile") or ""
        if port not in ports or not list(span(numbers)):
            db.broken(f"a queue of {key}, which is not there")
        if name not in profiles:
            db.broken(f"queue {key} has profile '{name}', which is not there")
        elif not profiles[name].pool.startswith("egress"):
            db.broken(f"queue {key} is of a pool of ingress")
        for queue in span(numbers):
            if queue in found.queues[port]:
                db.broken(f"queue {queue} of {port} has two profiles")
            found.queues[port][queue] = name


def _lists(db: Database, profiles: dict[str, Profile], ports: set[str]) -> None:
    for way in ("ingress", "egress"):
        pools = {profile.pool for profile in profiles.values() if profile.pool.startswith(way)}
        rows = db.rows(f"BUFFER_PORT_{way.upper()}_PROFILE_LIST")
        if rows and set(rows) != ports:
            db.hazard(f"not every port has a list of {way} profiles")
        for row in rows.values():
            names = (row.text("profile_list") or "").split(",")
            for name in names:
                if name not in profiles or not profiles[name].pool.startswith(way):
                    db.broken(f"port {row.key} lists {way} profile '{name}', which is not there")
            for pool in sorted(pools - {profiles[one].pool for one in names if one in profiles}):
                db.broken(f"port {row.key} lists no {way} profile of {pool}: no share of it")


def _as_shipped(db: Database, profiles: dict[str, Profile]) -> None:
    for name, (pool, threshold) in _SHIPPED.items():
        one = profiles.get(name)
        pools = {pool, "ingress_lossless_pool"} if pool.startswith("ingress") else {pool}
        if one is not None and (one.pool not in pools or one.dynamic_th != threshold):
            db.broken(f"profile {name} has not the share that SONiC gives it")


def _packet_bytes(mtu: int) -> int:
    """The largest packet of RoCE that a port of this IP MTU lets through; 0 for none."""
    fits = [one for one in _RDMA_MTUS if one + _WITHIN_IP <= mtu]
    return max(fits) + _WITHIN_IP + _AROUND if fits else 0


def _parameters(db: Database, mtus: list[int]) -> BufferFacts:
    """`mtus` are those of the ports with lossless priority groups."""
    pattern = db.rows("LOSSLESS_TRAFFIC_PATTERN").get("AZURE")
    said = db.rows("DEFAULT_LOSSLESS_BUFFER_PARAMETER").get("AZURE")
    threshold = said.number("default_dynamic_th") if said else None
    ratio = said.number("over_subscribe_ratio") if said else None
    if ratio is not None and not 0 <= ratio <= 64:
        db.broken(f"headroom is promised {ratio} times over")
    mtu = pattern.number("mtu") if pattern else None
    small = pattern.number("small_packet_percentage") if pattern else None
    if mtus and (threshold is None or mtu is None or small is None):
        db.broken("headroom cannot be worked out: no threshold, or no pattern of traffic")
    if mtu is not None and mtu not in {one + _WITHIN_IP + _AROUND for one in _RDMA_MTUS}:
        db.broken(f"headroom is for packets of {mtu} bytes, which no packet of RoCE has")
    if mtu is not None and any(_packet_bytes(one) > mtu for one in mtus):
        db.broken(f"headroom is for packets of {mtu} bytes, and ports let larger ones through")
    if small is not None and not 0 <= small <= 100:
        db.broken(f"{small} % of packets cannot be small")
    alpha = None if threshold is None else 2.0**threshold
    return BufferFacts(alpha)


def _from_profiles(db: Database, found: Buffers, room_bytes: int | None) -> BufferFacts:
    """Alpha of all lossless groups alike."""
    used = [profile for groups in found.lossless.values() for profile in groups.values() if profile]
    if not used:
        return BufferFacts()
    thresholds = {profile.dynamic_th for profile in used}
    if len(thresholds) > 1 or None in thresholds:
        db.broken("lossless priority groups have different shares of the buffer")
        return BufferFacts()
    if not room_bytes:
        db.broken("priority groups have no pool for their headroom: no xoff of the pool")
    return BufferFacts(2.0 ** (thresholds.pop() or 0))
