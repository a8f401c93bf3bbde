"""The lossless class of SONiC, as orchagent gave it to the ASIC: ASIC_DB and APPL_DB.

`sonic-db-dump -n DB -k PATTERN -y` prints each key with its type and value. ASIC_DB has what syncd
holds: of a port (found by COUNTERS_PORT_NAME_MAP) the bitmap of its PFC, one for both ways or, in
the separate mode, one for each, and the maps that it uses (sonic-swss, orchagent/portsorch.cpp,
qosorch.cpp, tests/test_pfc.py, test_qos_map.py; sonic-mgmt, tests/common/fixtures/pfc_asym.py, and
consistency_checker/, which asks SAI for the same attributes and finds them equal).
What was never set is not there: no PFC, no map; a map taken away is `oid:0x0`. APPL_DB has the
profile of each priority group (`BUFFER_PG_TABLE:PORT:FIRST-LAST`) and what it is worth
(`BUFFER_PROFILE_TABLE:NAME`): with dynamic buffers buffermgrd puts both there once it has worked
them out (sonic-utilities, tests/db_migrator_input/appl_db; sonic-mgmt, tests/qos/test_buffer.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from inventory.reading.fields import Unreadable
from switch_configs.answers.lossless import (
    PRIORITIES,
    PortLossless,
    Priorities,
    Room,
    of_mask,
    of_numbers,
)

from .qos_map import numbers
from .redis_dump import Tables, dump, held, number, row

LINES = {
    "names": "sonic-db-dump -n COUNTERS_DB -k COUNTERS_PORT_NAME_MAP -y",
    "ports": "sonic-db-dump -n ASIC_DB -k 'ASIC_STATE:SAI_OBJECT_TYPE_PORT:*' -y",
    "maps": "sonic-db-dump -n ASIC_DB -k 'ASIC_STATE:SAI_OBJECT_TYPE_QOS_MAP:*' -y",
    "groups": "sonic-db-dump -n APPL_DB -k 'BUFFER_PG_TABLE:*' -y",
    "profiles": "sonic-db-dump -n APPL_DB -k 'BUFFER_PROFILE_TABLE:*' -y",
}
_PFC = "SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL"
_MODE = "SAI_PORT_PRIORITY_FLOW_CONTROL_MODE_"
_MAP = "SAI_PORT_ATTR_QOS_"
_NO_MAP = (None, "oid:0x0")
_TRUST = {(True, False): "dscp", (False, True): "pcp", (True, True): "both"}
_DSCPS = 64
# What to type for each thing that is found wrong. sonic-utilities, doc/Command-Reference.md (PFC,
# QoS, buffers).
HINTS = {
    "pfc": "`show pfc priority {port}`; each is set by "
    "`config interface pfc priority {port} PRIORITY on|off`",
    "trust": "`sonic-db-cli CONFIG_DB HGETALL 'PORT_QOS_MAP|{port}'` must name a "
    "`dscp_to_tc_map`, and no other map of markings",
    "dscps": "`sonic-db-cli CONFIG_DB HGETALL 'PORT_QOS_MAP|{port}'`, and the maps that it names",
    "queues": "`sonic-db-cli CONFIG_DB HGETALL 'PORT_QOS_MAP|{port}'`: its "
    "`tc_to_queue_map` and `pfc_to_queue_map` must meet in one queue",
    "rooms": "`show buffer information`; headroom follows from the port's "
    "speed, MTU and length in CABLE_LENGTH, and `{port}` needs all three",
}


@dataclass(frozen=True, slots=True)
class Databases:
    """The dumps of one switch."""

    names: Mapping[str, str]
    ports: Tables
    maps: Tables
    groups: Tables
    profiles: Tables


def databases(texts: Mapping[str, str]) -> Databases:
    """The dumps, by the names of `LINES`. Raises Unreadable where one is not whole."""
    tables = {name: dump(texts[name], name) for name in LINES}
    names = held(tables.pop("names"), "COUNTERS_PORT_NAME_MAP")
    return Databases(names, **tables)


def port(found: Databases, name: str) -> PortLossless:
    """One port. Raises Unreadable where SONiC has no such port or contradicts itself."""
    oid = row(found.names, name, "COUNTERS_PORT_NAME_MAP")
    attributes = held(found.ports, f"ASIC_STATE:SAI_OBJECT_TYPE_PORT:{oid}")
    obeys, asks = _pauses(attributes, name)
    group_of = _groups_asking(found, attributes)
    paused = {group_of[ask] for ask in asks if ask in group_of}
    stops = _stops(found, attributes, obeys)
    trusted = attributes.get(f"{_MAP}DSCP_TO_TC_MAP") not in _NO_MAP
    tagged = attributes.get(f"{_MAP}DOT1P_TO_TC_MAP") not in _NO_MAP
    return PortLossless(
        name,
        obeys,
        asks,
        trust=_TRUST.get((trusted, tagged), "none"),
        dscps=_dscps(found, attributes, ("TC_TO_PRIORITY_GROUP", "pg"), paused),
        stopped=_dscps(found, attributes, ("TC_TO_QUEUE", "qidx"), stops),
        rooms=_rooms(found, name, {ask: group_of.get(ask) for ask in asks}),
    )


def ports(texts: Sequence[str], names: Iterable[str]) -> dict[str, PortLossless | str]:
    """What each of these ports does, or why that is not known, by the answers to `LINES`."""
    found = databases(dict(zip(LINES, texts, strict=True)))
    return {name: _or_why(found, name) for name in names}


def _or_why(found: Databases, name: str) -> PortLossless | str:
    try:
        return port(found, name)
    except Unreadable as why:
        return f"the answer cannot be used: {why}"


def _pauses(attributes: Mapping[str, str], name: str) -> tuple[Priorities, Priorities]:
    """Which pauses are obeyed, and which are asked for."""
    mode = attributes.get(f"{_PFC}_MODE", f"{_MODE}COMBINED").removeprefix(_MODE)
    if mode == "COMBINED":
        both = of_mask(number(attributes.get(_PFC, "0"), name), name)
        return both, both
    if mode != "SEPARATE":
        raise Unreadable(f"{name}: PFC is in mode {mode!r}")
    obeys, asks = (number(attributes.get(f"{_PFC}_{way}", "0"), name) for way in ("RX", "TX"))
    return of_mask(obeys, name), of_mask(asks, name)


def _map(
    found: Databases, attributes: Mapping[str, str], kind: str, ends: tuple[str, str]
) -> dict[int, int] | None:
    """A map that a port uses; None where it uses none of this kind."""
    oid = attributes.get(f"{_MAP}{kind}_MAP")
    if oid in _NO_MAP:
        return None
    return numbers(held(found.maps, f"ASIC_STATE:SAI_OBJECT_TYPE_QOS_MAP:{oid}"), kind, ends)


def _groups_asking(found: Databases, attributes: Mapping[str, str]) -> dict[int, int]:
    """The group whose filling asks for a pause of a priority: the one of its number, else mapped.

    Only ASICs that are asked have such a map (sonic-buildimage, qos_config.j2).
    """
    mapped = _map(found, attributes, "PFC_PRIORITY_TO_PRIORITY_GROUP", ("prio", "pg"))
    return {one: one for one in range(PRIORITIES)} if mapped is None else mapped


def _stops(found: Databases, attributes: Mapping[str, str], obeys: Priorities) -> set[int]:
    """The queues that a pause of these priorities stops: those of their numbers, else mapped."""
    mapped = _map(found, attributes, "PFC_PRIORITY_TO_QUEUE", ("prio", "qidx"))
    return {
        one if mapped is None else mapped[one] for one in obeys if mapped is None or one in mapped
    }


def _dscps(
    found: Databases, attributes: Mapping[str, str], kind: tuple[str, str], ends: set[int]
) -> tuple[int, ...]:
    """The DSCPs that end in one of these groups or queues; none where a map is not there."""
    classes = _map(found, attributes, "DSCP_TO_TC", ("dscp", "tc")) or {}
    to = _map(found, attributes, kind[0], ("tc", kind[1])) or {}
    if any(not 0 <= dscp < _DSCPS for dscp in classes):
        raise Unreadable("SONiC maps a DSCP that is none")
    return tuple(dscp for dscp, one in sorted(classes.items()) if to.get(one) in ends)


def _rooms(found: Databases, name: str, group_of: Mapping[int, int | None]) -> tuple[Room, ...]:
    profiles = _profiles(found, name)
    rooms = []
    for priority, group in sorted(group_of.items()):
        profile = profiles.get(group, "") if group is not None else ""
        rooms.append(Room(priority, profile, _xoff_bytes(found, profile) if profile else None))
    return tuple(rooms)


def _profiles(found: Databases, name: str) -> dict[int, str]:
    """The profile of each priority group of a port; a group of two rows is a contradiction."""
    start, made = f"BUFFER_PG_TABLE:{name}:", dict[int, str]()
    for key in sorted(one for one in found.groups if one.startswith(start)):
        first, _, last = key.removeprefix(start).partition("-")
        low, high = sorted(of_numbers([first, last or first], PRIORITIES, key))
        for group in range(low, high + 1):
            if group in made:
                raise Unreadable(f"{name}: priority group {group} is there twice")
            made[group] = row(found.groups[key], "profile", key)
    return made


def _xoff_bytes(found: Databases, profile: str) -> int | None:
    told = held(found.profiles, f"BUFFER_PROFILE_TABLE:{profile}")
    return number(told["xoff"], profile) if "xoff" in told else None
