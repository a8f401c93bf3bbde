"""Whether the ASIC does what CONFIG_DB says, as far as ASIC_DB tells it. Runs on the switch.

On standard input, one JSON after the other: rows, of whose tables all rows are looked for;
CONFIG_DB and ASIC_DB (by `sonic-db-dump -y`) before any change, and both now. Prints the rows that
no object of SAI is like, each object being one row's, and ends with 1 where there is any. Names of
maps and profiles stay in orchagent, so rows are known by what they say: an object that is like a
row now must have been like it before, or be new: others may say the same already. Attributes:
sonic-swss, orchagent/qosorch.cpp, bufferorch.cpp, tests/test_qos_map.py; sonic-mgmt reads
thresholds so, too (tests/generic_config_updater/test_ecn_config_update.py).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

_MAPS = {
    "DSCP_TO_TC_MAP": ("DSCP_TO_TC", "dscp", "tc"),
    "TC_TO_QUEUE_MAP": ("TC_TO_QUEUE", "tc", "qidx"),
}
_FIELDS = {
    "WRED_PROFILE": {
        f"{colour}_{name}": f"SAI_WRED_ATTR_{colour}_{name}".upper()
        for colour in ("green", "yellow", "red")
        for name in ("min_threshold", "max_threshold", "drop_probability")
    },
    "SCHEDULER": {"weight": "SAI_SCHEDULER_ATTR_SCHEDULING_WEIGHT"},
    "BUFFER_PROFILE": {"dynamic_th": "SAI_BUFFER_PROFILE_ATTR_SHARED_DYNAMIC_TH"},
}
_OBJECTS = {
    "DSCP_TO_TC_MAP": "QOS_MAP", "TC_TO_QUEUE_MAP": "QOS_MAP", "WRED_PROFILE": "WRED",
    "SCHEDULER": "SCHEDULER", "BUFFER_PROFILE": "BUFFER_PROFILE",
}  # fmt: skip
Said = dict[str, str]


def wanted(table: str, row: dict[str, Any]) -> Said:
    """What an object of a row must say; nothing where ASIC_DB tells nothing of it."""
    if table in _MAPS:
        return {name: value for name, value in row.items() if name != "NULL"}
    known = _FIELDS[table]
    return {known[name]: value for name, value in row.items() if name in known}


def found(table: str, told: Said) -> Said:
    """What an object says, in the words of `wanted`; nothing of one of another kind."""
    if table not in _MAPS:
        return told
    kind, key, value = _MAPS[table]
    if told.get("SAI_QOS_MAP_ATTR_TYPE") != f"SAI_QOS_MAP_TYPE_{kind}":
        return {}
    listed = json.loads(told.get("SAI_QOS_MAP_ATTR_MAP_TO_VALUE_LIST", '{"list": []}'))["list"]
    return {str(one["key"][key]): str(one["value"][value]) for one in listed}


Rows = dict[str, dict[str, Any]]


def missing(table: str, rows: Sequence[Rows], asic: Sequence[dict[str, Said]]) -> list[str]:
    """The rows of a table that no object of its own is like; of both, before and now."""
    ours = f"ASIC_STATE:SAI_OBJECT_TYPE_{_OBJECTS[table]}:"
    asked, asks = ({name: wanted(table, row) for name, row in one.items()} for one in rows)
    told, tells = (
        {name: found(table, said) for name, said in one.items() if name.startswith(ours)}
        for one in asic
    )
    free, out = sorted(tells, key=lambda one: (len(tells[one]), one)), []
    for name, said in sorted(asks.items(), key=lambda one: (-len(one[1]), one[0])):
        was = asked.get(name, {}).items()
        like = [
            one
            for one in free
            if said.items() <= tells[one].items() and (one not in told or was <= told[one].items())
        ]
        if said and not like:
            out.append(f"{table}|{name}")
        elif said:
            free.remove(like[0])
    return out


def main() -> int:
    """One look."""
    text, documents = sys.stdin.read().strip(), []
    while text:
        document, end = json.JSONDecoder().raw_decode(text)
        documents.append(document)
        text = text[end:].strip()
    changed, ran, before, runs, now = documents
    asic = [
        {name: one["value"] for name, one in dumped.items() if one["type"] == "hash"}
        for dumped in (before, now)
    ]
    out = []
    for table in sorted(_OBJECTS.keys() & changed):
        out += missing(table, [tables.get(table, {}) for tables in (ran, runs)], asic)
    sys.stdout.write(", ".join(out))
    return int(bool(out))


if __name__ == "__main__":
    sys.exit(main())
