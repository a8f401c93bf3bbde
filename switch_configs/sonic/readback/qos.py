"""From DSCP to queue, PG and pause of each port: the chain is followed, and its breaks said."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from switch_configs.readback.facts import ClassFacts, EcnFacts, HazardKind, QosFacts, WatchdogFacts

from .buffers import Buffers
from .database import Database, DatabaseRow, is_number
from .ports import Port

_MAPS = {
    "dscp_to_tc_map": "DSCP_TO_TC_MAP",
    "tc_to_queue_map": "TC_TO_QUEUE_MAP",
    "tc_to_pg_map": "TC_TO_PRIORITY_GROUP_MAP",
    "pfc_to_queue_map": "MAP_PFC_PRIORITY_TO_QUEUE",
    "pfc_to_pg_map": "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
}
_ACTIONS = ("alert", "drop", "forward")
_COLOURS = ("green", "yellow", "red")
_Map = dict[int, int]


@dataclass(frozen=True)
class _Scheduler:
    strict: bool
    weight: int | None
    bytes_a_second: int | None


@dataclass(frozen=True)
class _Queue:
    scheduler: _Scheduler | None
    ecn: EcnFacts | None


@dataclass
class _Tables:
    """Everything that ports refer to, by name."""

    maps: dict[str, dict[str, _Map]]
    queues: dict[str, dict[int, _Queue]]
    watchdogs: dict[str, WatchdogFacts]
    # Ports that are alike are judged once, unless something is wrong with them.
    known: dict[Any, QosFacts | None] = field(default_factory=dict)


def read(db: Database, ports: dict[str, Port], buffers: Buffers) -> dict[str, QosFacts | None]:
    """By port, what it does with each DSCP; None where it trusts none."""
    tables = _Tables(_maps(db), _queues(db, ports), _watchdogs(db, ports))
    rows = db.rows("PORT_QOS_MAP")
    everywhere = rows.pop("global", None)
    if everywhere is not None:
        name = everywhere.text("dscp_to_tc_map")
        if name not in tables.maps["dscp_to_tc_map"]:
            db.broken(f"the map of all ports, '{name}', is not there")
    for name in set(rows) - set(ports):
        db.hazard(f"{name} has maps and is no port")
    pauses = any("pfc_enable" in row.fields for row in rows.values())
    if buffers.lossless and not pauses:
        db.broken("there are lossless priority groups and no port has PFC")
    # qos_config.j2 gives one to every box whose ports sort by DSCP.
    if pauses and everywhere is None:
        db.hazard("what comes in at no port of its own map is in no class: no map of all ports")
    return {
        port.name: _port(db, port, rows.get(port.name), tables, buffers) for port in ports.values()
    }


def _maps(db: Database) -> dict[str, dict[str, _Map]]:
    return {
        one: {key: numbers(row) for key, row in db.rows(table).items()}
        for one, table in _MAPS.items()
    }


def numbers(row: DatabaseRow) -> _Map:
    """A row of a map: the entries that are numbers."""
    found: _Map = {}
    for name in list(row.fields):
        value = row.fields[name]
        if is_number(name) and isinstance(value, str) and is_number(value):
            row.text(name)
            found[int(name)] = int(value)
    return found


def _queues(db: Database, ports: dict[str, Port]) -> dict[str, dict[int, _Queue]]:
    schedulers = {key: _scheduler(db, row) for key, row in db.rows("SCHEDULER").items()}
    marking = {key: _marking(db, row) for key, row in db.rows("WRED_PROFILE").items()}
    found: dict[str, dict[int, _Queue]] = defaultdict(dict)
    used: set[str] = set()
    for key, row in db.rows("QUEUE").items():
        port, _, span = key.partition("|")
        scheduler, profile = row.text("scheduler"), row.text("wred_profile")
        used |= {one for one in (scheduler, profile) if one}
        if port not in ports or not is_number(span):
            db.broken(f"queue {key} is not there")
            continue
        if scheduler is not None and scheduler not in schedulers:
            db.broken(f"queue {key} has scheduler '{scheduler}', which is not there")
        if profile is not None and profile not in marking:
            db.broken(f"queue {key} marks by '{profile}', which is not there")
        found[port][int(span)] = _Queue(schedulers.get(scheduler or ""), marking.get(profile or ""))
    for name in sorted({*schedulers, *marking} - used):
        db.hazard(f"nobody uses '{name}'")
    return found


def _scheduler(db: Database, row: DatabaseRow) -> _Scheduler:
    kind, weight = row.text("type"), row.number("weight")
    cir, pir, unit = row.number("cir"), row.number("pir"), row.text("meter_type")
    if kind not in ("DWRR", "STRICT") or (kind == "DWRR") == (weight is None):
        db.hazard(f"scheduler {row.key} is neither strict nor DWRR with a weight")
    if pir is not None and (cir is None or not 0 < cir <= pir):
        db.hazard(f"scheduler {row.key} has a pir without a cir below it")
    if cir is not None and cir != pir:
        db.hazard(f"scheduler {row.key} promises another rate than it caps")
    if pir is not None and unit not in (None, "bytes"):  # its default (sonic-scheduler.yang)
        db.hazard(f"scheduler {row.key} is capped in {unit}, not bytes")
    return _Scheduler(kind == "STRICT", weight, pir)


def _marking(db: Database, row: DatabaseRow) -> EcnFacts | None:
    """The thresholds of green packets: those that nothing coloured, so all of ours."""
    if row.text("ecn") != "ecn_all":
        db.hazard(f"profile {row.key} does not mark packets of every colour")
    found: dict[str, EcnFacts] = {}
    for colour in _COLOURS:
        of_ours: HazardKind = "lossless" if colour == "green" else "other"
        if row.text(f"wred_{colour}_enable") != "true":
            db.hazard(f"profile {row.key} does not look at {colour} packets", of_ours)
        low, high = row.number(f"{colour}_min_threshold"), row.number(f"{colour}_max_threshold")
        share = row.number(f"{colour}_drop_probability")
        if low is None or high is None:
            db.hazard(f"profile {row.key} has no thresholds for {colour} packets", of_ours)
        else:
            found[colour] = EcnFacts(low, high, 100 if share is None else share)
    if len(set(found.values())) > 1:
        db.hazard(f"profile {row.key} has other thresholds for each colour")
    marking = found.get("green")
    if marking is None:
        return None
    if not 0 < marking.kmin_bytes <= marking.kmax_bytes or marking.probability_percent > 100:
        db.broken(f"profile {row.key} marks from more bytes than it marks all")
    return marking


def _watchdogs(db: Database, ports: dict[str, Port]) -> dict[str, WatchdogFacts]:
    rows = db.rows("PFC_WD")
    everywhere = rows.pop("GLOBAL", None)
    poll = everywhere.number("POLL_INTERVAL") if everywhere else None
    found: dict[str, WatchdogFacts] = {}
    for name, row in rows.items():
        detect, restore = row.number("detection_time"), row.number("restoration_time")
        if name not in ports:
            db.broken(f"{name} has a watchdog and is no port")
        if poll is not None and min(detect or poll, restore or poll) < poll:
            db.broken(f"the watchdog of {name} is asked less often than its times")
        found[name] = WatchdogFacts(
            detect, restore, poll, db.word(row, "action", _ACTIONS, "lossless")
        )
    counters = db.rows("FLEX_COUNTER_TABLE").get("PFCWD")
    running = counters is not None and counters.text("FLEX_COUNTER_STATUS") == "enable"
    if found and not running:
        db.broken("the watchdog does not run: its counters are not enabled")
    return found


def _port(
    db: Database, port: Port, row: DatabaseRow | None, tables: _Tables, buffers: Buffers
) -> QosFacts | None:
    if row is None:
        if tables.maps["dscp_to_tc_map"]:
            db.hazard(f"port {port.name} has no maps of its own")
        return None
    kind = _kind(port, row, tables, buffers)
    if kind in tables.known:
        row.fields.clear()
        return tables.known[kind]
    said = len(db.hazards)
    found = _judged(db, port, row, tables, buffers)
    if len(db.hazards) == said and not row.fields:
        tables.known[kind] = found
    return found


def _kind(port: Port, row: DatabaseRow, tables: _Tables, buffers: Buffers) -> Any:
    """All that a port's facts follow from, but its name."""
    name = port.name
    return (
        port.speed,
        buffers.cables.get(name),
        tables.watchdogs.get(name),
        frozenset((one, repr(value)) for one, value in row.fields.items()),
        frozenset(tables.queues.get(name, {}).items()),
        frozenset(buffers.lossless.get(name, {})),
        frozenset(buffers.groups.get(name, ())),
        frozenset(buffers.queues.get(name, {}).items()),
    )


def _judged(
    db: Database, port: Port, row: DatabaseRow, tables: _Tables, buffers: Buffers
) -> QosFacts | None:
    own = {one: _own(db, row, one, tables) for one in _MAPS}
    for name in ("pfc_enable", "pfcwd_sw_enable"):
        said = row.fields.get(name) or "0"
        if not isinstance(said, str) or not all(map(is_number, said.split(","))):
            db.broken(f"port {port.name}: {name} is no list of priorities: {said}")
    paused, watched = priorities(row.text("pfc_enable")), priorities(row.text("pfcwd_sw_enable"))
    dscps, queues, groups = (
        own[one] or {} for one in ("dscp_to_tc_map", "tc_to_queue_map", "tc_to_pg_map")
    )
    if set(dscps) != set(range(64)):
        db.broken(f"port {port.name} has no class for some DSCPs")
        return None
    for tc in sorted(set(dscps.values())):
        if tc not in queues or tc not in groups:
            db.broken(f"port {port.name}: traffic class {tc} leads to no queue or group")
            return None
    if paused and buffers.is_dynamic and own["pfc_to_pg_map"] is None:
        db.broken(f"port {port.name}: no map says which priority group asks for a pause")
    chain = _Chain(port, own, paused, buffers, tables.queues.get(port.name, {}))
    chain.judge(db)
    watchdog = _watched(db, port.name, paused, watched, tables.watchdogs.get(port.name))
    classes = chain.classes(db)
    if not paused and len(classes) == 1:
        return None
    return QosFacts(
        classes=classes,
        pfc_priorities=paused,
        watchdog=watchdog,
        cable_m=buffers.cables.get(port.name),
        headroom=None,
    )


def _own(db: Database, row: DatabaseRow, which: str, tables: _Tables) -> _Map | None:
    name = row.text(which)
    if name is None:
        return None
    found = tables.maps[which].get(name)
    if found is None:
        db.broken(f"port {row.key}: {which} '{name}' is not there")
    return found


def priorities(text: str | None) -> tuple[int, ...]:
    """`3,4`, sorted; what is no number is left out."""
    return tuple(sorted({int(one) for one in (text or "").split(",") if is_number(one)}))


def _watched(
    db: Database,
    name: str,
    priorities: tuple[int, ...],
    watched: tuple[int, ...],
    watchdog: WatchdogFacts | None,
) -> WatchdogFacts | None:
    if (watchdog is not None) != bool(watched) or (watched and watched != priorities):
        db.broken(f"port {name} watches other priorities than it pauses")
    return watchdog


@dataclass
class _Chain:
    """One port's way from DSCP to queue and pause."""

    port: Port
    maps: dict[str, _Map | None]
    priorities: tuple[int, ...]
    buffers: Buffers
    queues: dict[int, _Queue]

    def judge(self, db: Database) -> None:
        """Say where it is broken."""
        name, lossless = self.port.name, set(self.buffers.lossless.get(self.port.name, ()))
        groups = self.buffers.groups.get(name, set())
        asked = {self._group(one) for one in self.priorities}
        if name in self.buffers.by_cable:
            lossless, groups = lossless | asked, groups | asked
        if self.buffers.is_there or self.priorities:
            for group in sorted(asked - lossless):
                db.broken(f"port {name}: priority group {group} is paused and drops")
            for group in sorted(lossless - asked):
                db.broken(f"port {name}: priority group {group} is lossless and never pauses")
            by_class = self.maps["tc_to_pg_map"] or {}
            used = {by_class.get(tc) for tc in (self.maps["dscp_to_tc_map"] or {}).values()}
            for group in sorted(set(by_class.values()) - groups):
                if group in used:
                    db.broken(f"port {name}: priority group {group} has no buffer")
                else:
                    db.hazard(
                        f"port {name}: group {group} has no memory, and no packet comes there"
                    )
        for priority in self.priorities:
            if (self.maps["pfc_to_queue_map"] or {}).get(priority) is None:
                db.broken(f"port {name}: a pause of priority {priority} stops no queue")

    def _group(self, priority: int) -> int:
        """Without a map a priority is its own group."""
        own = self.maps["pfc_to_pg_map"]
        return priority if own is None else own.get(priority, -1)

    def classes(self, db: Database) -> tuple[ClassFacts, ...]:
        """DSCPs that do alike, with all that is done with them."""
        by_way: dict[tuple[int, int], list[int]] = defaultdict(list)
        queues, groups = self.maps["tc_to_queue_map"] or {}, self.maps["tc_to_pg_map"] or {}
        dscps = self.maps["dscp_to_tc_map"] or {}
        for dscp, tc in dscps.items():
            by_way[queues[tc], groups[tc]].append(dscp)
        self._unused(db, set(dscps.values()))
        return tuple(
            sorted(
                (self._class(db, *way, found) for way, found in by_way.items()),
                key=lambda one: one.dscps,
            )
        )

    def _unused(self, db: Database, used: Iterable[int]) -> None:
        """A class that no DSCP has must not lead among the lossless."""
        lossless = {self._group(one) for one in self.priorities}
        stops = self.maps["pfc_to_queue_map"] or {}
        stopped = {stops[one] for one in self.priorities if one in stops}
        for tc in set(self.maps["tc_to_pg_map"] or ()) - set(used):
            if (self.maps["tc_to_pg_map"] or {})[tc] in lossless:
                db.broken(f"port {self.port.name}: traffic class {tc} leads among the lossless")
        for tc in set(self.maps["tc_to_queue_map"] or ()) - set(used):
            if (self.maps["tc_to_queue_map"] or {})[tc] in stopped:
                db.broken(f"port {self.port.name}: traffic class {tc} leads among the lossless")

    def _class(self, db: Database, queue: int, group: int, dscps: list[int]) -> ClassFacts:
        paused = [one for one in self.priorities if self._group(one) == group]
        stopped = [
            one
            for one, at in (self.maps["pfc_to_queue_map"] or {}).items()
            if at == queue and one in self.priorities
        ]
        if paused != stopped:
            db.broken(
                f"port {self.port.name}: queue {queue} and priority group {group} are not "
                "paused together"
            )
        self._buffer(db, queue, bool(paused))
        own = self.queues.get(queue, _Queue(None, None))
        scheduler = own.scheduler
        if scheduler is None and self.priorities:
            db.broken(f"port {self.port.name}: queue {queue} has no scheduler")
        return ClassFacts(
            dscps=tuple(sorted(dscps)),
            pfc_priority=paused[0] if paused else None,
            strict=bool(scheduler and scheduler.strict),
            weight_percent=scheduler.weight if scheduler else None,
            rate_cap_percent=self._cap(db, scheduler),
            ecn=own.ecn,
        )

    def _buffer(self, db: Database, queue: int, is_lossless: bool) -> None:
        profile = self.buffers.queues.get(self.port.name, {}).get(queue)
        if self.buffers.is_there and profile is None:
            db.broken(f"port {self.port.name}: queue {queue} has no buffer")
        elif profile is not None and ("lossless" in profile) != is_lossless:
            db.broken(f"port {self.port.name}: queue {queue} has the buffer of another class")

    def _cap(self, db: Database, scheduler: _Scheduler | None) -> int | None:
        """In percent of the port: speed is in Mbit/s, a cap in bytes a second."""
        if scheduler is None or scheduler.bytes_a_second is None or not self.port.speed:
            return None
        percent = scheduler.bytes_a_second / (self.port.speed * 1250)
        if percent != int(percent):
            db.hazard(f"port {self.port.name} caps a class at no whole share of its rate")
        return round(percent)
