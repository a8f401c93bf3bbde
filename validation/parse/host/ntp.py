"""An NTP question that a shell asks, and the answer to it (RFC 5905, 7.3 and 7.4)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv4Address

from inventory.reading.fields import Unreadable

# A client's packet of version 4: its first byte, and 47 more, which a server does not read. It
# gives back the last eight, the time of asking, which here are the character 0.
_ASKED = r"\043%047d"
_BYTES = 48
_ORIGIN = slice(24, 32)
_WAIT_S = 2
_NOT_SYNCHRONISED, _SERVER, _LAST_STRATUM = 3, 4, 15
_DUMPED = re.compile(r"( [0-9a-f]{2})*")


@dataclass(frozen=True, slots=True)
class TimeAnswer:
    """What a time server says of itself: its distance from true time, and whether it has any."""

    stratum: int
    is_synchronised: bool


def question(server: IPv4Address) -> str:
    """A line for sh: asks once, and prints the answer's bytes in hexadecimal, or nothing."""
    # One write and one read are one packet each (bash(1), /dev/udp). A server that says nothing
    # is an answer, too: the status is not the clock's.
    ask = f'exec 3<>/dev/udp/{server}/123 && printf "{_ASKED}" 0 >&3 && head -c {_BYTES} <&3'
    return f"timeout {_WAIT_S} bash -c '{ask}' 2>/dev/null | od -An -v -tx1"


def answer(text: str) -> TimeAnswer | None:
    """What `question` printed; None where nobody answered. Raises Unreadable."""
    lines = text.splitlines()
    if not lines:
        return None
    if not all(map(_DUMPED.fullmatch, lines)):
        raise Unreadable(f"od printed: {' '.join(text.split())[:60]}")
    told = bytes.fromhex(" ".join(lines))
    if len(told) != _BYTES or told[0] & 7 != _SERVER or told[_ORIGIN] != b"0" * 8:
        raise Unreadable(f"no answer of a time server: {told.hex(' ')[:60]}")
    leap, stratum = told[0] >> 6, told[1]
    return TimeAnswer(stratum, leap != _NOT_SYNCHRONISED and 0 < stratum <= _LAST_STRATUM)
