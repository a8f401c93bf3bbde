"""What a switch with FRR says of its own state: files, settings, FRR's difference, BFD, pings.

Each answer ends in a line of our own, so that one that was cut off says nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise

from inventory.reading.fields import Unreadable, document, mapping, sequence, text_of
from inventory.reading.numbers import Whole

END = "end"
# hostname(5): what a system is called that nobody named.
NAMELESS = "localhost"
_TITLES = ("Lines To Delete", "Lines To Add")
_FILE = re.compile(r"(/\S+) (?:-|([0-7]{3,4}) (\S+) ([0-9a-f]{64}))")
_SETTING = re.compile(r"([a-z0-9][\w./-]*) = (.*)")
_WIRE = re.compile(r"wire (\S+) (\S+) (\d+)")
# RFC 5880, 4.1: 32 bits of microseconds, and eight bits.
_INTERVAL = Whole("BFD interval", "ms", 0, ((1 << 32) - 1) // 1000)
_MULTIPLIER = Whole("BFD detect multiplier", "1", 0, 255)
_PACKETS = Whole("packets", "1", 0, (1 << 32) - 1)
_PINGS = Whole("pings over a port", "1", 1, 99)
# ping(8): errors and duplicates stand between the counts.
_COUNTS = re.compile(r"(\d+) packets transmitted, (\d+) received, .*")


@dataclass(frozen=True, slots=True)
class FileSeen:
    """A file as it lies there."""

    mode: str
    owner: str
    sha256: str


@dataclass(frozen=True, slots=True)
class BfdPeer:
    """A BFD session as its own end sees it; the remote timers are the other end's."""

    key: str
    status: str
    interval_ms: int
    multiplier: int
    remote_interval_ms: int
    remote_multiplier: int


@dataclass(frozen=True, slots=True)
class Counted:
    """Pings over one port to one target."""

    port: str
    target: str
    sent: int
    received: int


def whole(text: str) -> list[str]:
    """The lines before the last, which is `end`. Raises Unreadable."""
    lines = text.splitlines()
    if not lines or lines[-1] != END or not text.endswith("\n"):
        raise Unreadable("the answer was cut off before its end")
    return lines[:-1]


def files(text: str) -> dict[str, FileSeen | None]:
    """Each path asked, None where nothing is there. Raises Unreadable."""
    found: dict[str, FileSeen | None] = {}
    for line in whole(text):
        said = _FILE.fullmatch(line)
        if not said or said[1] in found:
            raise Unreadable(f"{line[:80]!r} says nothing of a file")
        seen = FileSeen(said[2].zfill(4), said[3], said[4]) if said[4] else None
        found[said[1]] = seen
    return found


def settings(text: str) -> dict[str, str]:
    """`sysctl KEYS`, values with single spaces. Raises Unreadable."""
    found: dict[str, str] = {}
    for line in whole(text):
        said = _SETTING.fullmatch(line)
        if not said or said[1] in found:
            raise Unreadable(f"{line[:80]!r} is no setting")
        found[said[1]] = " ".join(said[2].split())
    return found


def to_do(text: str) -> tuple[str, ...]:
    """The lines that `frr-reload.py --test` would add or delete; none where FRR runs its file.

    A switch that gets its name by its lease starts FRR before it has one, and FRR goes on
    showing the name of then: that one, and no other, is no difference.
    """
    passed = (*_TITLES, f"no hostname {NAMELESS}", f"hostname {NAMELESS}")
    lines = [line.strip() for line in whole(text)]
    for line, after in pairwise([*lines, ""]):
        if not line and after not in _TITLES:
            raise Unreadable("frr-reload printed a blank line: one of its lines is lost")
    return tuple(line for line in lines if line and line not in passed and set(line) != {"="})


def bfd_peers(text: str) -> dict[str, BfdPeer]:
    """`show bfd peers json`, by port where the address is link-local. Raises Unreadable.

    A session that is down and has no interface watches no port, and is passed over: bfdd prints
    the key only where it was told one (bfdd_vty.c). Seen with FRR 8.4 after cables were swapped.
    """
    found: dict[str, BfdPeer] = {}
    for entry in sequence(document(text, "vtysh"), "BFD peers"):
        one = mapping(entry, "BFD peer")
        address = text_of(one, "peer", "BFD peer")
        status, is_local = text_of(one, "status", address), address.startswith("fe80:")
        if is_local and status == "down" and "interface" not in one:
            continue
        key = text_of(one, "interface", address) if is_local else address
        found[key] = BfdPeer(
            key,
            status,
            _INTERVAL.of(one, "transmit-interval", key),
            _MULTIPLIER.of(one, "detect-multiplier", key),
            _INTERVAL.of(one, "remote-transmit-interval", key),
            _MULTIPLIER.of(one, "remote-detect-multiplier", key),
        )
    return found


def wires(text: str) -> dict[str, Counted]:
    """What came of the pings of one device, by port, those over one port together.

    Raises Unreadable, also where not as many pings counted as were started.
    """
    found: dict[str, Counted] = {}
    port, left = "", 0
    for line in whole(text):
        if head := _WIRE.fullmatch(line):
            if left:
                raise Unreadable(f"a ping over {port} did not count")
            port, left = head[1], _PINGS.read(head[3])
            if port in found:
                raise Unreadable(f"pings over {port} are told twice")
            found[port] = Counted(port, head[2], 0, 0)
        elif said := _COUNTS.fullmatch(line):
            if not left:
                raise Unreadable("a ping counted that nobody started")
            before, sent, back = found[port], _PACKETS.read(said[1]), _PACKETS.read(said[2])
            if back > sent:
                raise Unreadable(f"over {port} more packets came back than were sent")
            found[port] = replace(before, sent=before.sent + sent, received=before.received + back)
            left -= 1
    if left:
        raise Unreadable(f"a ping over {port} did not count")
    return found
