"""What orchagent makes of QoS rows of CONFIG_DB, as they come: objects of SAI in ASIC_DB.

Sources: sonic-swss, branches 202405 to 202505 (their qosorch.cpp is the same file):
- orchagent/qosorch.cpp: a row that comes again changes its object, attribute by attribute; a map
  gets its whole list. A row that names one that is not there waits for it. One that is named is
  not deleted: its deletion waits, and until then nobody may name it or write it anew. Thresholds
  that cross are dropped, as is what SAI refuses. What is named no more is unbound.
  `pfc_enable` is a bitmap of the port, set where it is or was any; a row that is deleted sets 0.
  A port that PORT has not is left out.
- orchagent/portsorch.cpp: each port is an object, and pauses both ways (`setPortPfc`, combined).
  COUNTERS_PORT_NAME_MAP says which. Its number begins with its type (sonic-sairedis).
- orchagent/pfcwdorch.cpp: a watchdog that runs takes new times and keeps its action, which is only
  put where there is none (`m_entryMap.emplace`); `pfcwd start` (sonic-utilities, pfcwd/main.py)
  deletes the row first.
- orchagent/bufferorch.cpp: of a profile that is there, its threshold is set; what SAI has not is
  ignored. Here all profiles are programmed, and none is calculated.
- syncd writes ASIC_DB once SAI has taken it (sonic-sairedis, syncUpdateRedisQuadEvent).
A row is read whole, when its change is heard (sonic-swss-common, subscriberstatetable.cpp).

No source shows which SAI refuses what: `refuses` names tables of which it takes no change.
Where SAI refuses a scheduler, the real one ends itself (saihelper.cpp, handleSaiSetStatus).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

from .tables import Hashes

Row = dict[str, str]
_MAPS = {
    "DSCP_TO_TC_MAP": ("DSCP_TO_TC", "dscp", "tc"),
    "TC_TO_QUEUE_MAP": ("TC_TO_QUEUE", "tc", "qidx"),
    "TC_TO_PRIORITY_GROUP_MAP": ("TC_TO_PRIORITY_GROUP", "tc", "pg"),
    "MAP_PFC_PRIORITY_TO_QUEUE": ("PFC_PRIORITY_TO_QUEUE", "prio", "qidx"),
    "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": ("PFC_PRIORITY_TO_PRIORITY_GROUP", "prio", "pg"),
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
_KINDS = {
    **dict.fromkeys(_MAPS, "QOS_MAP"),
    "WRED_PROFILE": "WRED", "SCHEDULER": "SCHEDULER", "BUFFER_PROFILE": "BUFFER_PROFILE",
}  # fmt: skip
# Who names what: the field, the table that it names a row of, the attribute; none of queues, whose
# objects are not told.
_NAMES = {
    "PORT_QOS_MAP": {
        "dscp_to_tc_map": ("DSCP_TO_TC_MAP", "QOS_DSCP_TO_TC_MAP"),
        "tc_to_queue_map": ("TC_TO_QUEUE_MAP", "QOS_TC_TO_QUEUE_MAP"),
        "tc_to_pg_map": ("TC_TO_PRIORITY_GROUP_MAP", "QOS_TC_TO_PRIORITY_GROUP_MAP"),
        "pfc_to_queue_map": ("MAP_PFC_PRIORITY_TO_QUEUE", "QOS_PFC_PRIORITY_TO_QUEUE_MAP"),
        "pfc_to_pg_map": (
            "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "QOS_PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
        ),
    },
    "QUEUE": {"wred_profile": ("WRED_PROFILE", ""), "scheduler": ("SCHEDULER", "")},
}  # fmt: skip
_NOTHING, _SWITCH = "oid:0x0", "oid:0x21000000000000"
_PORT = "ASIC_STATE:SAI_OBJECT_TYPE_PORT:"
_PFC = "SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL"
Event = tuple[str, str, Row]
"""SET or DEL, the row's name with its table, and what it holds."""


@dataclass
class Orchagent:
    """Fields are JSON: a test keeps it in a file between two commands."""

    objects: dict[str, str] = field(default_factory=dict)  # row -> object
    asic: Hashes = field(default_factory=dict)
    bound: dict[str, dict[str, str]] = field(default_factory=dict)  # row -> field -> row it names
    leaving: list[str] = field(default_factory=list)
    waiting: list[list[object]] = field(default_factory=list)
    watchdogs: dict[str, Row] = field(default_factory=dict)  # port -> what its watchdog does
    log: list[str] = field(default_factory=list)
    refuses: list[str] = field(default_factory=list)
    made: int = 0

    def hears(self, events: Iterable[Event]) -> None:
        """Take these, one after the other; what waits is tried again after each."""
        for event in events:
            self.waiting = [one for one in self.waiting if event[0] == "SET" or one[1] != event[1]]
            self.waiting.append(list(event))
            while self._works():
                pass

    def _works(self) -> bool:
        before = len(self.waiting)
        waiting, self.waiting = self.waiting, []
        for at, (verb, name, row) in enumerate(waiting):
            # Of one row nothing overtakes what waits.
            is_behind = any(one[1] == name for one in self.waiting)
            if is_behind or not self._takes(str(verb), str(name), row):  # type: ignore[arg-type]
                self.waiting.append(waiting[at])
        return len(self.waiting) < before

    def _takes(self, verb: str, name: str, row: Row) -> bool:
        """Whether it is done with; what waits is not."""
        table = name.partition("|")[0]
        if table in self.refuses:
            self.log.append(f"Failed to process QOS task, drop it ({name})")
            return True
        if table in _KINDS:
            return self._set(table, name, row) if verb == "SET" else self._remove(name)
        if table in _NAMES:
            return self._bind(table, name, row)
        if table == "PORT":
            self._stands(verb, name, row)
        if table == "PFC_WD":
            return self._watch(verb, name.partition("|")[2], row)
        return True

    # -- objects -----------------------------------------------------------------------------

    def _set(self, table: str, name: str, row: Row) -> bool:
        if name in self.leaving:
            return False
        attributes = _attributes(table, row)
        if table == "WRED_PROFILE" and _crosses(row):
            self.log.append("Wrong wred profile: min threshold is greater than max threshold")
            return True
        if name not in self.objects:
            self.made += 1
            oid = f"oid:0x1400000000{self.made:04x}"
            self.objects[name] = f"ASIC_STATE:SAI_OBJECT_TYPE_{_KINDS[table]}:{oid}"
        self.asic.setdefault(self.objects[name], {}).update(attributes)
        return True

    def _remove(self, name: str) -> bool:
        if name not in self.objects:
            self.log.append(f"Object with name:{name} not found.")
            return True
        if any(name in said.values() for said in self.bound.values()):
            if name not in self.leaving:
                self.log.append(f"Can't remove object {name} due to being referenced")
                self.leaving.append(name)
            return False
        self.leaving = [one for one in self.leaving if one != name]
        del self.asic[self.objects.pop(name)]
        return True

    # -- who names them ----------------------------------------------------------------------

    def _bind(self, table: str, name: str, row: Row) -> bool:
        """A row that is deleted, or empty, names nothing."""
        named = {
            one: f"{other}|{row[one]}" for one, (other, _) in _NAMES[table].items() if one in row
        }
        if any(one not in self.objects or one in self.leaving for one in named.values()):
            return False
        before, self.bound[name] = self.bound.get(name, {}), named
        at = _object(name)
        if at.startswith(_PORT) and at not in self.asic:
            self.log.append(f"Failed to apply QoS maps to port {name}. Port is not found.")
            return True
        for one, (_, attribute) in _NAMES[table].items():
            if attribute and (one in named or one in before):
                said = self.objects[named[one]] if one in named else _NOTHING
                whole = f"SAI_{'PORT' if at.startswith(_PORT) else 'SWITCH'}_ATTR_{attribute}"
                self.asic.setdefault(at, {})[whole] = said[said.index("oid:") :]
        if at.startswith(_PORT):
            self._pauses(self.asic[at], row)
        return True

    # -- ports -------------------------------------------------------------------------------

    def _stands(self, verb: str, name: str, row: Row) -> None:
        """A port of PORT; one without its row has no object."""
        if verb == "DEL":
            self.asic.pop(_object(name), None)
            return
        state = str(row.get("admin_status") == "up").lower()
        self.asic.setdefault(_object(name), {})["SAI_PORT_ATTR_ADMIN_STATE"] = state

    def _pauses(self, port: Row, row: Row) -> None:
        """A port has no bitmap until it has paused anything."""
        asked = sum(1 << int(one) for one in row.get("pfc_enable", "").split(",") if one)
        if asked or _PFC in port:
            port[_PFC] = str(asked)

    # -- the watchdog ------------------------------------------------------------------------

    def _watch(self, verb: str, port: str, row: Row) -> bool:
        if port != "GLOBAL":
            if verb == "DEL":
                self.watchdogs.pop(port, None)
            else:
                kept = self.watchdogs.get(port, row).get("action", "drop")
                self.watchdogs[port] = {**row, "action": kept}
        return True

    # -- told --------------------------------------------------------------------------------

    @property
    def does(self) -> dict[str, object]:
        """All that it has the ASIC do, by names and not by numbers of objects; what waits, too."""
        rows = {name: self.asic[one] for name, one in sorted(self.objects.items())}
        bound = {name: said for name, said in sorted(self.bound.items()) if said}
        masks = {name: self.asic.get(_object(name), {}).get(_PFC, "0") for name in bound}
        paused = {name: mask for name, mask in masks.items() if mask != "0"}
        return {
            "rows": rows, "bound": bound, "paused": paused, "watchdogs": self.watchdogs,
            "waits": self.waiting,
        }  # fmt: skip


def started(held: Hashes, refuses: Iterable[str] = ()) -> Orchagent:
    """A new one over what CONFIG_DB holds."""
    new = Orchagent()
    order = {table: at for at, table in enumerate(["PORT", *_KINDS, *_NAMES])}
    rows = sorted(held, key=lambda one: (order.get(one.partition("|")[0], len(order)), one))
    new.hears(("SET", name, held[name]) for name in rows)
    new.refuses = [*refuses]
    return new


def events(before: Hashes, after: Hashes) -> Iterable[Event]:
    """What a command changed: rows that are gone, and rows with all that they hold."""
    for name in sorted({*before, *after}):
        if name not in after:
            yield "DEL", name, {}
        elif before.get(name) != after[name]:
            yield "SET", name, after[name]


def _attributes(table: str, row: Row) -> Row:
    if table not in _MAPS:
        known = _FIELDS[table]
        said = {known[name]: value for name, value in row.items() if name in known}
        return said or {"NULL": "NULL"}  # as Redis holds an object of which nothing was set
    kind, key, value = _MAPS[table]
    listed = [
        {"key": {key: int(here)}, "value": {value: int(there)}}
        for here, there in row.items()
        if here != "NULL"
    ]
    return {
        "SAI_QOS_MAP_ATTR_TYPE": f"SAI_QOS_MAP_TYPE_{kind}",
        "SAI_QOS_MAP_ATTR_MAP_TO_VALUE_LIST": json.dumps({"count": len(listed), "list": listed}),
    }


def _crosses(row: Row) -> bool:
    least, most = "{}_min_threshold", "{}_max_threshold"
    return any(
        int(row[least.format(colour)]) > int(row[most.format(colour)])
        for colour in ("green", "yellow", "red")
        if least.format(colour) in row and most.format(colour) in row
    )


def port_oid(port: str) -> str:
    """The object of a port: a number that is always the same."""
    number = int("".join(one for one in port if one.isdigit()) or "0")
    return f"oid:0x1{number + 1:012x}"


def _object(name: str) -> str:
    """The object that a row is about; one for all queues, of which nothing is told."""
    table, _, key = name.partition("|")
    if key == "global" or table == "QUEUE":
        return f"ASIC_STATE:SAI_OBJECT_TYPE_SWITCH:{_SWITCH}"
    return f"{_PORT}{port_oid(key)}"
