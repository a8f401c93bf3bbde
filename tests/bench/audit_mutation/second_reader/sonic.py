"""SONiC, by https://github.com/sonic-net/SONiC/wiki/Configuration and its design documents.

QoS: doc/qos (map tables), doc/pfcwd/PFC_Watchdog.md, doc/dynamic-buffer/dynamic_buffer_hld.md,
doc/ecn; ports, VLANs, ACLs: src/sonic-yang-models. A map that a port does not
name does nothing; without a map all is of class, queue or group 0 (SAI, inc/saiport.h); a row of
PORT_QOS_MAP that names a map that is not there is never applied (orchagent, qosorch.cpp). Packets
are green until a policer colours them, so thresholds of red and yellow mark nothing. Names of an
object are unique (RFC 8259, 4): what a reader makes of two is open. Breakout modes are for the
command that splits a port, and a time zone moves no packet. A list without a stage is of ingress
(orchagent, aclorch.h); a bond without min_links is up with one port (cfgmgr, teammgr.cpp, says
nothing to teamd then, and teamd.conf(5) has 1). What comes in elsewhere has a class and no
queue yet (saiswitch.h): two classes that all maps of the box lead to one queue and group are one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from . import frr, policy

_QOS = {
    "BUFFER_PG", "BUFFER_POOL", "BUFFER_PROFILE", "BUFFER_QUEUE", "DSCP_TO_TC_MAP", "QUEUE",
    "MAP_PFC_PRIORITY_TO_QUEUE", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "PORT_QOS_MAP", "SCHEDULER",
    "TC_TO_PRIORITY_GROUP_MAP", "TC_TO_QUEUE_MAP", "WRED_PROFILE", "CABLE_LENGTH", "PFC_WD",
    "BUFFER_PORT_INGRESS_PROFILE_LIST", "BUFFER_PORT_EGRESS_PROFILE_LIST", "FLEX_COUNTER_TABLE",
    "LOSSLESS_TRAFFIC_PATTERN", "DEFAULT_LOSSLESS_BUFFER_PARAMETER",
}  # fmt: skip
_MAPS = {
    "dscp_to_tc_map": "DSCP_TO_TC_MAP", "tc_to_queue_map": "TC_TO_QUEUE_MAP",
    "tc_to_pg_map": "TC_TO_PRIORITY_GROUP_MAP", "pfc_to_queue_map": "MAP_PFC_PRIORITY_TO_QUEUE",
    "pfc_to_pg_map": "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
}  # fmt: skip
_UNREAD = {"BREAKOUT_CFG"}
_SILENT = {"description", "timezone"}
# Said or not, it is so.
_DEFAULTS = {("ACL_TABLE", "stage", "ingress"), ("PORTCHANNEL", "min_links", "1")}
_TABLES = ("VLAN", "ACL", "VRF", "PORTCHANNEL", "SAG")
Facts = dict[tuple[object, ...], object]


def read(texts: Mapping[str, str]) -> Facts:
    """What config_db.json and frr.conf do together."""
    found: Facts = {}
    for path, text in texts.items():
        if path.endswith(".json"):
            try:
                made = json.loads(text, object_pairs_hook=_unique)
            except ValueError:
                made = None
            if isinstance(made, dict) and all(isinstance(one, dict) for one in made.values()):
                _qos(made, found)
                _plain(made, found)
            else:
                found["refused", path] = True
        else:
            found |= frr.read(text)
    return found


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a name twice")
    return dict(pairs)


def _row(db: Mapping[str, Any], table: str, key: str) -> Mapping[str, Any]:
    """A row; nothing where it is not there."""
    found = db.get(table, {}).get(key, {})
    return found if isinstance(found, dict) else {}


def _spread(db: Mapping[str, Any], table: str, port: str) -> dict[str, Mapping[str, Any]]:
    """Rows of a port by queue or group; a row of `0-2` is three."""
    found: dict[str, Mapping[str, Any]] = {}
    for key, row in db.get(table, {}).items():
        ports, _, numbers = key.rpartition("|")
        if port in ports.split(",") and isinstance(row, dict):
            low, _, high = numbers.partition("-")
            if low.isdigit() and (high or low).isdigit():
                found |= {str(one): row for one in range(int(low), int(high or low) + 1)}
    return found


def _ports(db: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for port in db.get("PORT", {}):
        if _row(db, "PORT_QOS_MAP", port):
            yield port, _row(db, "PORT_QOS_MAP", port)


def _qos(db: Mapping[str, Any], found: Facts) -> None:
    for port, maps in _ports(db):
        if any(not _row(db, table, maps[one]) for one, table in _MAPS.items() if one in maps):
            found["marking", port, "maps are never applied"] = True
            continue
        classes, queues, groups, obeys, sends = (
            _row(db, table, maps.get(one, "")) for one, table in _MAPS.items()
        )
        on = {one for one in str(maps.get("pfc_enable", "")).split(",") if one}
        used: dict[str, str] = {}
        used_groups = set()
        for dscp in map(str, range(64)):
            tc = str(classes.get(dscp, "0"))
            queue, group = str(queues.get(tc, "0")), str(groups.get(tc, "0"))
            # A queue is called after the first DSCP that is in it.
            name = used.setdefault(queue, dscp)
            used_groups.add(group)
            found["marking", port, dscp] = (
                name, group, frozenset(one for one in on if sends.get(one) == group),
                frozenset(one for one in on if obeys.get(one) == queue),
            )  # fmt: skip
        found["marking", port, "paused"] = frozenset(on)
        _queues(db, port, used, found)
        _buffers(db, port, used_groups, used, found)
        watched = frozenset(str(maps.get("pfcwd_sw_enable", "")).split(","))
        counted = _row(db, "FLEX_COUNTER_TABLE", "PFCWD").get("FLEX_COUNTER_STATUS")
        dog = _row(db, "PFC_WD", port)
        if on:
            found["ecn/watchdog", port, "watchdog"] = (
                (watched, counted, frozenset(dog.items()),
                 str(_row(db, "PFC_WD", "GLOBAL").get("POLL_INTERVAL"))) if dog else None
            )  # fmt: skip
    shared = _row(db, "PORT_QOS_MAP", "global")
    found["marking", "global"] = frozenset(
        (dscp, _ways(db, str(tc)))
        for dscp, tc in _row(db, "DSCP_TO_TC_MAP", shared.get("dscp_to_tc_map", "")).items()
    )


def _ways(db: Mapping[str, Any], tc: str) -> object:
    """Where the maps of the box lead a class, by map."""
    return frozenset(
        (table, name, str(row.get(tc, "0")))
        for table in ("TC_TO_QUEUE_MAP", "TC_TO_PRIORITY_GROUP_MAP")
        for name, row in db.get(table, {}).items() if isinstance(row, dict)
    )  # fmt: skip


def _queues(db: Mapping[str, Any], port: str, used: Mapping[str, str], found: Facts) -> None:
    rows = _spread(db, "QUEUE", port)
    for queue, name in used.items():
        row = rows.get(queue, {})
        # A rate is in bytes where nothing says in what (sonic-buildimage,
        # src/sonic-yang-models/yang-models/sonic-scheduler.yang, leaf meter_type: default bytes).
        scheduler = _row(db, "SCHEDULER", row.get("scheduler", ""))
        found["marking", port, "queue", name] = frozenset(
            {"meter_type": "bytes", **scheduler}.items()
        )
        wred = _row(db, "WRED_PROFILE", row.get("wred_profile", ""))
        green = frozenset(
            (one, said) for one, said in wred.items()
            if not one.startswith(("red", "yellow", "wred_red", "wred_yellow"))
        )  # fmt: skip
        found["ecn/watchdog", port, name] = green


def _profile(db: Mapping[str, Any], name: str) -> object:
    if name == "NULL":
        return "as the box computes it"
    row = _row(db, "BUFFER_PROFILE", name)
    pool = str(row.get("pool", ""))
    return frozenset({**row, "pool": (pool, frozenset(_row(db, "BUFFER_POOL", pool).items()))}
                     .items()) if row else None  # fmt: skip


def _buffers(
    db: Mapping[str, Any], port: str, groups: set[str], queues: Mapping[str, str], found: Facts
) -> None:
    named = {one: one for one in groups}
    for table, used in (("BUFFER_PG", named), ("BUFFER_QUEUE", queues)):
        rows = _spread(db, table, port)
        for number, called in used.items():
            name = str(rows.get(number, {}).get("profile", ""))
            found["buffers", table, port, called] = _profile(db, name) if name else None
    for way in ("INGRESS", "EGRESS"):
        names = _row(db, f"BUFFER_PORT_{way}_PROFILE_LIST", port).get("profile_list", "")
        found["buffers", way, port] = tuple(_profile(db, one) for one in str(names).split(","))
    computed = any(
        str(row.get("profile")) == "NULL" for row in _spread(db, "BUFFER_PG", port).values()
    )
    if computed:
        found["buffers", port, "cable"] = _row(db, "CABLE_LENGTH", "AZURE").get(port)
        for table in ("LOSSLESS_TRAFFIC_PATTERN", "DEFAULT_LOSSLESS_BUFFER_PARAMETER"):
            row = _row(db, table, "AZURE")
            found["buffers", table] = frozenset({"over_subscribe_ratio": "0", **row}.items())


def _plain(db: Mapping[str, Any], found: Facts) -> None:
    for table, rows in db.items():
        if table in _QOS or table in _UNREAD:
            continue
        if table == "ACL_RULE":
            _rules(rows, found)
            continue
        if table == "TACPLUS_SERVER":
            asked = {key: -_number(row.get("priority")) for key, row in rows.items()}
            found["services/other", table] = frozenset(policy.ranks(asked).items())
        for key, row in rows.items():
            values = row if isinstance(row, dict) else {"": row}
            family = _family(table)
            silent = {*_SILENT, "priority"} if table == "TACPLUS_SERVER" else _SILENT
            said = {
                one: _listed(value) for one, value in values.items()
                if one not in silent and (table, one, str(value)) not in _DEFAULTS
            }  # fmt: skip
            if table == "PORT" and "mtu" in said:
                found["mtu", key] = said.pop("mtu")
            for one, value in said.items():
                found["mtu" if one == "mtu" else family, table, key, one] = value
            found[family, table, key] = True


def _rules(rules: Mapping[str, Any], found: Facts) -> None:
    """Rules of each list, the highest priority first; what they are called is nothing."""
    tables: dict[str, list[tuple[int, str]]] = {}
    for key, row in rules.items():
        said = {one: str(value) for one, value in row.items() if one != "PRIORITY"}
        action = said.pop("PACKET_ACTION", "")
        rule = f"{action} {sorted(said.items())}"
        priority = str(row.get("PRIORITY", "0"))
        number = -int(priority) if priority.isdigit() else 0
        tables.setdefault(key.partition("|")[0], []).append((number, rule))
    for name, made in tables.items():
        found["tables/leaks", "rules", name] = policy.access(made)


def _number(text: object) -> float:
    return float(str(text)) if str(text).isdigit() else 1


def _listed(value: object) -> object:
    return frozenset(map(str, value)) if isinstance(value, list) else value


def _family(table: str) -> str:
    if table.startswith(_TABLES):
        return "tables/leaks"
    if table in {"INTERFACE", "LOOPBACK_INTERFACE", "SWITCH_HASH", "VLAN_SUB_INTERFACE"}:
        return "routing"
    return "services/other"
