"""`show ntp associations | json` of Arista EOS: the servers that ntpd asks, by name.

Form: ANTA's recorded data (aristanetworks/anta, tests/units/anta_tests/test_system.py:
`condition`, `peerIpAddr`), and a whole entry in lvrfrc87/pyATEOS's README
(`reachabilityHistory`, `offset`). The words of `condition` and the milliseconds of `offset`, the
server's against the clock, are those of ntpq(8).
"""

from __future__ import annotations

from inventory.reading.fields import Unreadable, mapping, needed, sequence, text_of
from inventory.reading.numbers import Real
from switch_configs.answers.said import Said
from switch_configs.answers.timekeeping import Clocks, Timekeeping, TimeSource

from .cli import shown

ASSOCIATIONS = "show ntp associations | json"
_FOLLOWED = frozenset({"sys.peer", "pps.peer"})
_OFFSET_MS = Real("offset", "ms", -4e12, 4e12)


def read(said: Said) -> Timekeeping:
    """Every server. Raises Unreadable."""
    told = mapping(needed(shown(said), "peers", "EOS"), "peers")
    return Timekeeping(tuple(_source(mapping(row, name), name) for name, row in told.items()))


def _source(row: dict[str, object], name: str) -> TimeSource:
    history = sequence(needed(row, "reachabilityHistory", name), name)
    if not all(isinstance(one, bool) for one in history):
        raise Unreadable(f"{name}: reachabilityHistory is no list of yes and no")
    answers = any(history)
    ahead_s = -_OFFSET_MS.of(row, "offset", name) / 1000
    is_followed = text_of(row, "condition", name) in _FOLLOWED
    address = text_of(row, "peerIpAddr", name)
    return TimeSource(address, is_followed, answers, ahead_s if answers else None)


CLOCKS = Clocks(lambda _servers: ASSOCIATIONS, read, see="show ntp associations")
