"""What of an NX-OS switch must stay: resets of ports, when they flapped last, dropped sessions.

`eth_reset_cntr` and `eth_link_flapped` of `show interface | json` (public captures have the latter
as `never`, `00:05:10`, `1d00h` and `33week(s) 1day(s)`), `connectionsdropped` of `show bgp sessions
vrf all | json` (napalm-automation/napalm, show_bgp_sessions_vrf_all.json). Whether a reset is
counted for each flap is not published, so how long ago the last one was is asked, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from inventory.reading.fields import Unreadable, text_of
from inventory.reading.numbers import count as counter
from inventory.reading.sections import Section
from inventory.reading.sections import needed as section
from switch_configs.answers.contract import Steady
from switch_configs.answers.said import Said, count
from switch_configs.answers.steady import Held

from .bgp import key_of, sessions
from .cli import rows, rows_if_any, shown
from .ports import interfaces

_PORTS = "show interface | json"
_SESSIONS = "show bgp sessions vrf all | json"
_RESETS = counter("resets of a port")
_DROPPED = counter("sessions dropped")
_CLOCK = re.compile(r"(\d{1,4}):(\d\d):(\d\d)")
_PARTS = re.compile(r"(\d{1,5}) ?(year|week|day|y|w|d|h)(?:\(s\)|s)?", re.IGNORECASE)
_SECONDS = {"y": 31536000, "w": 604800, "d": 86400, "h": 3600}


def _held(found: Mapping[str, Section]) -> Held:
    carrier: dict[str, int] = {}
    flapped: dict[str, float] = {}
    for name, row in interfaces(Said(_PORTS, 0, section(found, "ports"), "")):
        if name.startswith("Ethernet"):
            carrier[name] = count(row, "eth_reset_cntr", name, _RESETS)
            flapped[name] = ago_s(text_of(row, "eth_link_flapped", name))
    told = Said(_SESSIONS, 0, section(found, "sessions"), "")
    known = sessions(told)
    dropped = {
        key_of(row): count(row, "connectionsdropped", "neighbour", _DROPPED)
        for table in rows(shown(told), "vrf")
        for row in rows_if_any(table, "neighbor")
    }
    states = {key: (one.state, float(dropped[key])) for key, one in known.peers.items()}
    return Held(carrier, states, flapped)


def ago_s(text: str) -> float:
    """At least so long ago; for ever where it never was. Raises Unreadable."""
    said = text.strip()
    if said == "never":
        return float("inf")
    if clock := _CLOCK.fullmatch(said):
        hours, minutes, seconds = map(int, clock.groups())
        return 3600.0 * hours + 60 * minutes + seconds
    parts = _PARTS.findall(said)
    if not parts or _PARTS.sub("", said).strip():
        raise Unreadable(f"NX-OS says that a link flapped {said!r} ago")
    return float(sum(int(many) * _SECONDS[unit[0].lower()] for many, unit in parts))


STEADY = Steady({"ports": _PORTS, "sessions": _SESSIONS}, _held)
