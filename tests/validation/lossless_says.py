"""What switches print of the lossless class of their ports, written by hand in their forms.

Nothing here is of the readers' own code: a fake that shares a mistake with them would hide it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from .roce_site import redis, sectioned


@dataclass(frozen=True)
class Told:
    """What one port does: priorities it obeys and asks for, what it trusts, where DSCPs end.

    `queue_of` and `stops` tell the queue of a class, and that which a priority's pause stops.
    """

    obeys: tuple[int, ...] = (3,)
    asks: tuple[int, ...] = (3,)
    trust: str = "dscp"
    priority_of: Mapping[int, int] = field(default_factory=lambda: {26: 3, 48: 6})
    queue_of: Mapping[int, int] = field(default_factory=lambda: {one: one for one in range(8)})
    stops: Mapping[int, int] = field(default_factory=lambda: {3: 3, 4: 4})
    groups: Mapping[str, str] = field(
        default_factory=lambda: {
            "0": "ingress_lossy_profile",
            "3": "pg_lossless_400000_30m_profile",
        }
    )


WELL = Told()
# Rooms of profiles, as buffermgrd writes them for SN5600; the lossy one has no xoff.
PROFILES = {
    "ingress_lossy_profile": {"dynamic_th": "3", "pool": "ingress_lossy_pool", "size": "0"},
    "pg_lossless_400000_30m_profile": {
        "dynamic_th": "0", "pool": "ingress_lossless_pool", "size": "1219456", "xoff": "1200000",
        "xon": "19456",
    },
    "pg_lossless_400000_1m_profile": {
        "dynamic_th": "0", "pool": "ingress_lossless_pool", "size": "20480", "xoff": "1024",
        "xon": "19456",
    },
}  # fmt: skip


def nxos(ports: Mapping[str, Told]) -> str:
    """The table of `show interface priority-flow-control`, as it is kept."""
    return sectioned({"pfc": nxos_table(ports)})


def nxos_table(ports: Mapping[str, Told]) -> str:
    """The same as it is printed."""
    rule = "=" * 60
    rows = [f"{'Port':<18} Mode Oper(VL bmap)  RxPPP      TxPPP"]
    for name, one in ports.items():
        bitmap = sum(1 << number for number in one.asks)
        oper = f"On  ({bitmap:x})" if one.asks else "Off"
        rows.append(f"{name:<18} On   {oper:<14} 4885       3709920")
    return "\n".join(["slot  1", "=======", "", rule, rows[0], rule, "", *rows[1:]]) + "\n"


def sonic(ports: Mapping[str, Told], separate: bool = False) -> dict[str, str]:
    """Five dumps, by a short name each: names, ports, maps, groups, profiles."""
    names: dict[str, str] = {}
    attributes: dict[str, dict[str, object]] = {}
    maps = {
        _qos_map("0x14000000000a01"): _map("TC_TO_PRIORITY_GROUP", "tc", "pg", {3: 3, 4: 4}, 8),
        _qos_map("0x14000000000a02"): _map(
            "PFC_PRIORITY_TO_PRIORITY_GROUP", "prio", "pg", {3: 3, 4: 4}, 0
        ),
    }
    groups: dict[str, dict[str, object]] = {}
    for at, (name, one) in enumerate(sorted(ports.items())):
        names[name] = f"oid:0x100000000{at:04x}"
        dscps, queues, stops = (f"0x14000000001{kind}{at:02x}" for kind in "bcd")
        maps[_qos_map(queues)] = _map("TC_TO_QUEUE", "tc", "qidx", one.queue_of, 8)
        maps[_qos_map(stops)] = _map("PFC_PRIORITY_TO_QUEUE", "prio", "qidx", one.stops, 0)
        maps[_qos_map(dscps)] = _map("DSCP_TO_TC", "dscp", "tc", one.priority_of, 64)
        attributes[f"ASIC_STATE:SAI_OBJECT_TYPE_PORT:{names[name]}"] = {
            "NULL": "NULL",
            "SAI_PORT_ATTR_ADMIN_STATE": "true",
            **_pauses(one, separate),
            "SAI_PORT_ATTR_QOS_DSCP_TO_TC_MAP": f"oid:{dscps}"
            if one.trust in ("dscp", "both")
            else "oid:0x0",
            **(
                {"SAI_PORT_ATTR_QOS_DOT1P_TO_TC_MAP": "oid:0x14000000000a09"}
                if one.trust in ("pcp", "both")
                else {}
            ),
            "SAI_PORT_ATTR_QOS_TC_TO_QUEUE_MAP": f"oid:{queues}",
            "SAI_PORT_ATTR_QOS_PFC_PRIORITY_TO_QUEUE_MAP": f"oid:{stops}",
            "SAI_PORT_ATTR_QOS_TC_TO_PRIORITY_GROUP_MAP": "oid:0x14000000000a01",
            "SAI_PORT_ATTR_QOS_PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": "oid:0x14000000000a02",
        }
        for numbers, profile in one.groups.items():
            groups[f"BUFFER_PG_TABLE:{name}:{numbers}"] = {"profile": profile}
    profiles = {f"BUFFER_PROFILE_TABLE:{name}": dict(told) for name, told in PROFILES.items()}
    return {
        "names": redis({"COUNTERS_PORT_NAME_MAP": names}),
        "ports": redis(attributes),
        "maps": redis(maps),
        "groups": redis(groups),
        "profiles": redis(profiles),
    }


def _pauses(one: Told, separate: bool) -> dict[str, object]:
    obeys, asks = (str(sum(1 << number for number in some)) for some in (one.obeys, one.asks))
    name = "SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL"
    if obeys == asks and not separate:
        return {name: asks}
    mode = "SAI_PORT_PRIORITY_FLOW_CONTROL_MODE_SEPARATE"
    return {f"{name}_MODE": mode, f"{name}_RX": obeys, f"{name}_TX": asks, name: "255"}


def _qos_map(oid: str) -> str:
    return f"ASIC_STATE:SAI_OBJECT_TYPE_QOS_MAP:oid:{oid}"


def _map(
    kind: str, here: str, there: str, known: Mapping[int, int], size: int
) -> dict[str, object]:
    """A map as syncd writes it: every name in both halves of each entry."""
    blank: dict[str, object] = {"color": "SAI_PACKET_COLOR_GREEN"}
    blank |= dict.fromkeys(("dot1p", "dscp", "pg", "prio", "qidx", "tc"), 0)
    ends = dict.fromkeys(range(size), 0) | dict(known)
    entries = [
        {"key": blank | {here: one}, "value": blank | {there: end}} for one, end in ends.items()
    ]
    return {
        "SAI_QOS_MAP_ATTR_MAP_TO_VALUE_LIST": json.dumps({"count": len(entries), "list": entries}),
        "SAI_QOS_MAP_ATTR_TYPE": f"SAI_QOS_MAP_TYPE_{kind}",
    }
