"""An NTP question that a shell asks, and the answer to it (RFC 5905, 7.3, 7.4 and 8)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address

from inventory.reading.fields import Unreadable
from inventory.reading.numbers import Real
from inventory.reading.sections import Section

# A client's packet of version 4: its first byte, and 47 more, which a server does not read. It
# gives back the last eight, the time of asking, which here are the character 0.
_ASKED = r"\043%047d"
_BYTES = 48
_ORIGIN, _RECEIVED, _SENT = slice(24, 32), slice(32, 40), slice(40, 48)
_ERA_S, _BEFORE_1970_S = 1 << 32, 2_208_988_800
_WAIT_S = 2
_NOT_SYNCHRONISED, _SERVER, _LAST_STRATUM = 3, 4, 15
_DUMPED = re.compile(r"( [0-9a-f]{2})*")
_TRIES, _TRIES_S, _QUICK_US = 5, 4, 50_000
# Printed once the question can be asked; without it nobody knows what a silence is.
_ASKS = "asks"
_TIMED_OUT = 124  # timeout(1)
_NOW = Real("the clock", "s", 0, 1e11)


@dataclass(frozen=True, slots=True)
class TimeAnswer:
    """What a time server says of itself: its distance from true time, and whether it has any.

    When it got the question and sent the answer, by its clock, in seconds since 1970.
    """

    stratum: int
    is_synchronised: bool
    received_s: float
    sent_s: float


@dataclass(frozen=True, slots=True, order=True)
class Ahead:
    """By how much a clock is ahead of a server's: `ahead_s`, known to plus or minus `within_s`.

    Half of the time that the answer was on its way (RFC 5905, 8: it may all have been one way).
    """

    within_s: float
    ahead_s: float


def question(server: IPv4Address) -> str:
    """A line for sh: asks once, and prints that it does, then the answer's bytes in hexadecimal.

    Its status is 0, also where nobody answers; any other is a tool that is missing or failed, or a
    socket that the shell cannot open.
    """
    # One write and one read are one packet each (bash(1), /dev/udp). head ends with 1 where the
    # server's machine says that nobody listens: that is an answer.
    ask = (
        f"set -o pipefail; exec 3<>/dev/udp/{server}/123 || exit 3; echo {_ASKS}; "
        f'printf "{_ASKED}" 0 >&3; head -c {_BYTES} <&3 | od -An -v -tx1'
    )
    meant = f"case $got in 0|1|{_TIMED_OUT}) ;; *) (exit $got) ;; esac"
    return f"timeout {_WAIT_S} bash -c '{ask}'; got=$?; {meant}"


def answer(text: str) -> TimeAnswer | None:
    """What `question` printed; None where nobody answered.

    Raises Unreadable, also where nobody was asked.
    """
    first, _, dumped = text.partition("\n")
    if first != _ASKS:
        raise Unreadable(f"the time server was not asked: {first[:60]}")
    return _of_bytes(dumped)


def _of_bytes(text: str) -> TimeAnswer | None:
    """An answer by what od printed of it; None of nothing."""
    lines = text.splitlines()
    if not lines:
        return None
    if not all(map(_DUMPED.fullmatch, lines)):
        raise Unreadable(f"od printed: {' '.join(text.split())[:60]}")
    told = bytes.fromhex(" ".join(lines))
    if len(told) != _BYTES or told[0] & 7 != _SERVER or told[_ORIGIN] != b"0" * 8:
        raise Unreadable(f"no answer of a time server: {told.hex(' ')[:60]}")
    leap, stratum = told[0] >> 6, told[1]
    has_time = leap != _NOT_SYNCHRONISED and 0 < stratum <= _LAST_STRATUM
    return TimeAnswer(stratum, has_time, _unix_s(told[_RECEIVED]), _unix_s(told[_SENT]))


def _unix_s(timestamp: bytes) -> float:
    """A timestamp of 64 bits as seconds since 1970, of the era that is on or the next (6)."""
    seconds, part = int.from_bytes(timestamp[:4]), int.from_bytes(timestamp[4:])
    return (seconds - _BEFORE_1970_S) % _ERA_S + part / _ERA_S


def measured(server: IPv4Address | IPv6Address) -> str:
    """A line for sh: asks until an answer comes quickly; each with the clock before and after.

    Its status is 0, or 124 where an answer was waited for; every other is a tool that is missing or
    failed, or a socket that the shell cannot open.
    """
    # head ends with 1 where the server's machine says that nobody listens: that is an answer.
    ask = (
        f"set -o pipefail; for try in {' '.join(map(str, range(_TRIES)))}; do "
        f"exec 3<>/dev/udp/{server}/123 || exit 3; echo {_ASKS}; from=$EPOCHREALTIME; "
        f'printf "{_ASKED}" 0 >&3; said=$(head -c {_BYTES} <&3 | od -An -v -tx1); got=$?; '
        'to=$EPOCHREALTIME; [ "$got" -le 1 ] || exit "$got"; [ -n "$said" ] || exit 0; '
        'printf "%s %s\n%s\n" $from $to "$said"; '
        f"[ $((${{to/./}} - ${{from/./}})) -gt {_QUICK_US} ] || break; done"
    )
    return f"timeout {_TRIES_S} bash -c '{ask}' 2>/dev/null"


def ahead(said: Section) -> Ahead | None:
    """By how much this machine's clock is ahead, by the quickest answer that `measured` brought.

    None where a server was asked and told no time. Raises Unreadable, also where it was not asked.
    """
    nothing, *tries = said.text.split(f"{_ASKS}\n")
    if said.status not in (0, _TIMED_OUT) or nothing.strip() or not tries:
        raise Unreadable(f"the time server was not asked: the shell ended with {said.status}")
    return min((one for one in map(_tried, tries) if one is not None), default=None)


def _tried(text: str) -> Ahead | None:
    """What one answer tells; None where it is none, or of a server that has no time."""
    clock, *dumped = text.splitlines() or [""]
    told = _of_bytes("\n".join(dumped))
    if told is None or not told.is_synchronised:
        return None
    if len(both := clock.split()) != 2:  # before and after
        raise Unreadable(f"the shell printed: {clock[:60]}")
    asked, came = map(_NOW.read, both)
    took = came - asked - (told.sent_s - told.received_s)
    if took < 0:
        raise Unreadable(f"the time server's answer took {took:.3f} s")
    return Ahead(took / 2, ((asked - told.received_s) + (came - told.sent_s)) / 2)
