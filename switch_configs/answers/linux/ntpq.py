"""The servers that ntpd asks, as `ntpq -p` prints them: of NTP's reference program and of NTPsec.

Form: ntpq(8), `peers`. The character before a server says what became of it: `*` and `o` are the
one that the clock follows. The offset is the server's against the clock, in milliseconds; reach
has a bit for each of the last eight questions, in octal. A name that is too long for its column
stands in a line of its own (`-w`).
"""

from __future__ import annotations

from collections.abc import Iterator

from inventory.reading.fields import Unreadable
from inventory.reading.numbers import Real, Whole
from switch_configs.answers.timekeeping import TimeSource

# ntpd answers in its own routing table alone.
PEERS = "if [ -e /sys/class/net/mgmt ]; then ip vrf exec mgmt ntpq -p -n -w; else ntpq -p -n -w; fi"
_RULE = "===="
_NOBODY = "No association"
_TALLIES = " *#o+-x."
_FOLLOWED = "*o"
_FIELDS = 9  # behind the server's name
_REACH = Whole("reach", "1", 0, 0o377, base=8)
_OFFSET_MS = Real("offset", "ms", -4e12, 4e12)


def peers(text: str) -> tuple[TimeSource, ...]:
    """The servers in their order; none where ntpd has none. Raises Unreadable."""
    if text.startswith(_NOBODY):
        return ()
    head, rule, rest = text.partition(f"\n{_RULE}")
    if not rule or not text.endswith("\n") or "remote" not in head:
        raise Unreadable(f"ntpq printed: {' '.join(text.split())[:120] or 'nothing'}")
    found = tuple(_peer(*row) for row in _rows(rest.splitlines()[1:]))
    if not found:
        raise Unreadable("ntpq printed a table without servers")
    return found


def _rows(lines: list[str]) -> Iterator[tuple[str, str, list[str]]]:
    """The mark, the server and the fields of each."""
    waiting: list[str] = []
    for line in lines:
        fields = [*waiting, *([line[:1], *line[1:].split()] if not waiting else line.split())]
        waiting = fields if len(fields) == 2 else []  # its mark and its name
        if not waiting:
            if len(fields) != _FIELDS + 2 or fields[0] not in _TALLIES:
                raise Unreadable(f"ntpq printed: {line[:120]}")
            yield fields[0], fields[1], fields[2:]
    if waiting:
        raise Unreadable("what ntpq printed was cut off")


def _peer(mark: str, server: str, fields: list[str]) -> TimeSource:
    reach, _, offset, _ = fields[-4:]
    ahead_s = -_OFFSET_MS.read(offset) / 1000
    answers = _REACH.read(reach) > 0
    return TimeSource(server, mark in _FOLLOWED, answers, ahead_s if answers else None)
