"""What config_db.json says of headroom: bytes on Broadcom, what it is found from on Spectrum.

Beside the rest of the readback, which follows the chain of classes: here are numbers alone
(sonic-yang-models: sonic-buffer-pg, sonic-buffer-profile, sonic-buffer-pool,
sonic-default-lossless-buffer-parameter, sonic-lossless-traffic-pattern).
"""

from __future__ import annotations

from collections.abc import Iterator

from switch_configs.facts import HeadroomFacts, ReservedFacts
from switch_configs.intent import Rendered

from ..files import CONFIG_DB
from ..json_text import parsed
from .database import Database, Row


def reserved(rendered: Rendered) -> ReservedFacts:
    """All numbers of headroom; those that the file lacks, or that are none, are None."""
    text = next((one.text for one in rendered.files if one.path == CONFIG_DB), "")
    db = Database(parsed(text) or {})
    ratio = db.rows("DEFAULT_LOSSLESS_BUFFER_PARAMETER").get("AZURE")
    pattern = db.rows("LOSSLESS_TRAFFIC_PATTERN").get("AZURE")
    pool = db.rows("BUFFER_POOL").get("ingress_lossless_pool")
    return ReservedFacts(
        rooms=tuple(sorted(_rooms(db), key=lambda one: one[0])),
        pool_bytes=pool.number("xoff") if pool else None,
        over_subscription=ratio.number("over_subscribe_ratio") if ratio else None,
        packet_bytes=pattern.number("mtu") if pattern else None,
        small_packet_percentage=pattern.number("small_packet_percentage") if pattern else None,
    )


def _rooms(db: Database) -> Iterator[tuple[str, HeadroomFacts]]:
    rooms = {name: _room(row) for name, row in db.rows("BUFFER_PROFILE").items()}
    for key, row in db.rows("BUFFER_PG").items():
        room = rooms.get(row.text("profile") or "")
        if room is not None:
            yield key.partition("|")[0], room


def _room(row: Row) -> HeadroomFacts | None:
    xoff, size = row.number("xoff"), row.number("size")
    if xoff is None or size is None:
        return None
    return HeadroomFacts(row.number("xon") or 0, xoff, size, row.number("xon_offset") or 0)
