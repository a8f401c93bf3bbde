"""What config_db.json says of the buffer: bytes on Broadcom, what it is found from on Spectrum.

Beside the rest of the readback, which follows the chain of classes: here is who takes what of
which pool (sonic-yang-models: sonic-buffer-pg, -queue, -profile, -pool, -port-*-profile-list,
sonic-default-lossless-buffer-parameter, sonic-lossless-traffic-pattern).
"""

from __future__ import annotations

from collections.abc import Iterator

from switch_configs.intent import Rendered
from switch_configs.readback.facts import (
    HeadroomFacts,
    PoolFacts,
    ReservedFacts,
    ShareFacts,
    UserFacts,
    Way,
)

from ..files import CONFIG_DB
from ..json_text import last_said
from .buffers import span
from .database import Database, DatabaseRow
from .qos import numbers, priorities

_USERS: tuple[tuple[Way, str, str], ...] = (
    ("ingress", "BUFFER_PG", "BUFFER_PORT_INGRESS_PROFILE_LIST"),
    ("egress", "BUFFER_QUEUE", "BUFFER_PORT_EGRESS_PROFILE_LIST"),
)
# sonic-swss, cfgmgr: what buffer managers put their own lossless profiles into, by its name.
_OF_THE_BOX = "ingress_lossless_pool"


def reserved(rendered: Rendered) -> ReservedFacts:
    """All pools and who takes what of them; numbers that the file lacks are None."""
    text = next((file.text for file in rendered.files if file.path == CONFIG_DB), "")
    db = Database(last_said(text)[0] or {})
    asked = db.rows("DEFAULT_LOSSLESS_BUFFER_PARAMETER").get("AZURE")
    pattern = db.rows("LOSSLESS_TRAFFIC_PATTERN").get("AZURE")
    shares = {name: _share(row) for name, row in db.rows("BUFFER_PROFILE").items()}
    shares["NULL"] = ShareFacts(_OF_THE_BOX, alpha=_alpha(asked, "default_dynamic_th"))
    return ReservedFacts(
        pools=tuple(map(_pool, db.rows("BUFFER_POOL").values())),
        users=tuple(dict.fromkeys(_users(db, shares))),
        # Zero where it is not said (sonic-swss, cfgmgr/buffermgrdyn.cpp).
        over_subscription=asked.number("over_subscribe_ratio") or 0 if asked else None,
        packet_bytes=pattern.number("mtu") if pattern else None,
        small_packet_percentage=pattern.number("small_packet_percentage") if pattern else None,
    )


def _pool(row: DatabaseRow) -> PoolFacts:
    way, mode = row.text("type"), row.text("mode")
    return PoolFacts(row.key, way, mode, row.number("size"), row.number("xoff"))


def _share(row: DatabaseRow) -> ShareFacts:
    own, xoff = row.number("size"), row.number("xoff")
    headroom = None
    if xoff is not None:
        xon, offset = row.number("xon") or 0, row.number("xon_offset") or 0
        headroom = HeadroomFacts(xon, xoff, own or 0, offset)
    most, alpha = row.number("static_th"), _alpha(row, "dynamic_th")
    return ShareFacts(row.text("pool") or "", own, alpha, most, headroom)


def _alpha(row: DatabaseRow | None, field: str) -> float | None:
    """A power of two, within what YANG takes."""
    power = row.number(field) if row else None
    return 2.0**power if power is not None and -8 <= power <= 7 else None


def _users(db: Database, shares: dict[str, ShareFacts]) -> Iterator[UserFacts]:
    paused = _paused(db)
    for way, table, lists in _USERS:
        for key, row in db.rows(table).items():
            port, _, groups = key.partition("|")
            share = shares.get(row.text("profile") or "")
            if share is None:
                continue
            for one in span(groups):
                is_paused = one in paused[way].get(port, ())
                yield UserFacts(port, way, "lossless" if is_paused else "lossy", share)
        for port, row in db.rows(lists).items():
            for name in (row.text("profile_list") or "").split(","):
                if name in shares:
                    yield UserFacts(port, way, "port", shares[name])


def _paused(db: Database) -> dict[Way, dict[str, set[int]]]:
    """Priority groups that ask for a pause and queues that one stops, by port."""
    groups, queues = (
        {name: numbers(row) for name, row in db.rows(table).items()}
        for table in ("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "MAP_PFC_PRIORITY_TO_QUEUE")
    )
    found: dict[Way, dict[str, set[int]]] = {"ingress": {}, "egress": {}}
    for port, row in db.rows("PORT_QOS_MAP").items():
        paused = priorities(row.text("pfc_enable"))
        # Without a map a priority is its own group.
        group = groups.get(row.text("pfc_to_pg_map") or "", {one: one for one in paused})
        queue = queues.get(row.text("pfc_to_queue_map") or "", {})
        found["ingress"][port] = {group[one] for one in paused if one in group}
        found["egress"][port] = {queue[one] for one in paused if one in queue}
    return found
