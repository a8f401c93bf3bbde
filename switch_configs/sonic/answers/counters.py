"""Port counters of SONiC, from its COUNTERS_DB as `sonic-db-dump -n COUNTERS_DB -y` prints it.

Names of ports, queues (`PORT:INDEX`) and priority groups lead by three maps to `COUNTERS:oid:...`
(sonic-utilities: scripts/portstat, pfcstat, queuestat, pg-drop, pfcwd/main.py and
tests/mock_tables/counters_db.json). syncd fills it group by group: ports every second, queues every
ten, unless CONFIG_DB says otherwise. `show pfc counters` prints the same with a difference taken
from what a user cleared, which nobody here knows of.
"""

from __future__ import annotations

from collections.abc import Mapping

from inventory.reading.fields import Unreadable, document, mapping, needed, text_of
from inventory.reading.numbers import Whole, count
from inventory.reading.sections import Section
from inventory.reading.sections import needed as section
from switch_configs.answers.carried import Carried, settled
from switch_configs.answers.linux import counters as linux
from switch_configs.answers.port_counters import PRIORITIES, PortCounters, Ports

Table = Mapping[str, object]
_DROPS = ("SAI_PORT_STAT_IF_IN_DISCARDS", "SAI_PORT_STAT_IF_OUT_DISCARDS")
_QUEUE_DROPS = "SAI_QUEUE_STAT_DROPPED_PACKETS"
_QUEUE_MARKED = "SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS"
_GROUP_DROPS = "SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS"
_COUNT = count("counter of SONiC")
_INDEX = Whole("queue or priority group", "1", 0, 255)
_STORMS = "PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED"


def carried(found: Mapping[str, Section]) -> Carried:
    """The bytes of the ports that were asked for, once syncd has brought them.

    A port that COUNTERS_PORT_NAME_MAP has not got is not told.
    """
    settled(section(found, "refresh"))
    return linux.carried(found)


def ports(found: Mapping[str, Section]) -> Ports:
    """Every port of COUNTERS_PORT_NAME_MAP."""
    tables = mapping(document(section(found, "counters"), "sonic-db-dump"), "COUNTERS_DB")
    names = table(tables, "COUNTERS_PORT_NAME_MAP")
    queues = _by_port(table(tables, "COUNTERS_QUEUE_NAME_MAP"))
    groups = _by_port(table(tables, "COUNTERS_PG_NAME_MAP"))
    return {
        port: _port(port, tables, str(oid), queues.get(port, {}), groups.get(port, {}))
        for port, oid in sorted(names.items())
    }


def _port(
    port: str, tables: Table, oid: str, queues: Mapping[int, str], groups: Mapping[int, str]
) -> PortCounters:
    mine = table(tables, f"COUNTERS:{oid}")
    kept = {number: table(tables, f"COUNTERS:{one}") for number, one in queues.items()}
    drained = {number: table(tables, f"COUNTERS:{one}") for number, one in groups.items()}
    marked = _column(kept, _QUEUE_MARKED)
    drops = [_optional(mine, name) for name in _DROPS]
    return PortCounters(
        port,
        counted(mine, "SAI_PORT_STAT_IF_IN_OCTETS", port),
        counted(mine, "SAI_PORT_STAT_IF_OUT_OCTETS", port),
        drops=_both(drops),
        ecn_marked=None if marked is None else sum(marked.values()),
        global_pause=_both(
            [_optional(mine, f"SAI_PORT_STAT_PAUSE_{way}_PKTS") for way in ("RX", "TX")]
        ),
        storms=_storms(kept),
        rx_pause=_pause(mine, "RX"),
        tx_pause=_pause(mine, "TX"),
        queue_drops=_column(kept, _QUEUE_DROPS),
        group_drops=_column(drained, _GROUP_DROPS),
    )


def table(tables: Table, key: str) -> dict[str, object]:
    """A hash of the dump. Raises Unreadable."""
    entry = mapping(needed(dict(tables), key, "COUNTERS_DB"), key)
    if text_of(entry, "type", key) != "hash":
        raise Unreadable(f"{key} is no hash")
    return mapping(needed(entry, "value", key), key)


def _by_port(names: Mapping[str, object]) -> dict[str, dict[int, str]]:
    found: dict[str, dict[int, str]] = {}
    for name, oid in names.items():
        port, sign, index = name.rpartition(":")
        if sign:
            found.setdefault(port, {})[_INDEX.read(index)] = str(oid)
    return found


def counted(table: Table, name: str, what: str) -> int:
    """A counter that must be there. Raises Unreadable."""
    value = needed(dict(table), name, what)
    if not isinstance(value, str):
        raise Unreadable(f"{what}: {name} is {value!r}, not a count")
    return _COUNT.read(value)


def _optional(table: Table, name: str) -> int | None:
    return counted(table, name, name) if name in table and table[name] != "N/A" else None


def _both(some: list[int | None]) -> int | None:
    """Of both ways; None where one of them is not told."""
    told = [one for one in some if one is not None]
    return sum(told) if len(told) == len(some) else None


def _pause(table: Table, way: str) -> dict[int, int] | None:
    names = {one: f"SAI_PORT_STAT_PFC_{one}_{way}_PKTS" for one in range(PRIORITIES)}
    if not any(name in table for name in names.values()):
        return None
    return {one: counted(table, name, name) for one, name in names.items()}


def _column(rows: Mapping[int, Table], name: str) -> dict[int, int] | None:
    """A counter by number; None where any of them is not told."""
    found = {number: _optional(row, name) for number, row in sorted(rows.items())}
    told = {number: value for number, value in found.items() if value is not None}
    return told if told and len(told) == len(found) else None


def _storms(queues: Mapping[int, Table]) -> dict[int, int] | None:
    """Storms of the queues that the watchdog watches; it has no row of the others."""
    found = {number: _optional(row, _STORMS) for number, row in sorted(queues.items())}
    return {number: one for number, one in found.items() if one is not None} or None
