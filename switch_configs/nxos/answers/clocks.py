"""`show ntp peer-status | json` of Cisco NX-OS: the servers that ntpd asks.

Form: napalm's reader (napalm-automation/napalm, napalm/nxos/nxos.py, get_ntp_stats). `syncmode`
`*` is the one that is followed, `reach` has a bit for each of the last eight questions, in octal,
as text or as a number. No show tells an offset, and `ntp server` has no `iburst`: it asks each
16 s (Cisco Nexus 9000 NX-OS System Management guide: `minpoll` is 4), and believes after a few.
"""

from __future__ import annotations

from inventory.reading.fields import Unreadable, needed, text_of
from inventory.reading.numbers import Whole
from switch_configs.answers.said import Said
from switch_configs.answers.timekeeping import Clocks, Timekeeping, TimeSource

from .cli import rows_if_any, shown

PEERS = "show ntp peer-status | json"
_MARKS = frozenset({"*", "+", "-", "=", ""})
_REACH = Whole("reach", "1", 0, 0o377, base=8)


def read(said: Said) -> Timekeeping:
    """Every server; none where it has none. Raises Unreadable."""
    told = shown(said)
    needed(told, "totalpeers", "NX-OS")
    return Timekeeping(tuple(map(_source, rows_if_any(told, "peersstatus"))))


def _source(row: dict[str, object]) -> TimeSource:
    server = text_of(row, "remote", "peer status").strip()
    mark = text_of(row, "syncmode", server).strip()
    if mark not in _MARKS:
        raise Unreadable(f"{server}: syncmode is {mark[:20]!r}")
    reach = needed(row, "reach", server)
    if isinstance(reach, bool) or not isinstance(reach, int | str):
        raise Unreadable(f"{server}: reach is no number")
    return TimeSource(server, mark == "*", _REACH.read(str(reach)) > 0, None)


CLOCKS = Clocks(
    lambda _servers: PEERS,
    read,
    see="show ntp peer-status",
    tells_offset=False,
    follows_s=120.0,
)
