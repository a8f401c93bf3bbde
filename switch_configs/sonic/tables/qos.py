"""From DSCP to queue, PG and pause, how queues share a port, and when they mark."""

from __future__ import annotations

from inventory.plan import EcnMarking, SwitchPort, TrafficClass
from switch_configs.errors import DialectError
from switch_configs.intent import SwitchIntent
from switch_configs.qos import EVERY_DSCP, PortQos, class_of_dscp

from ..names import is_dynamic
from .kinds import (
    LOSSLESS,
    UNTRUSTED,
    best_effort,
    classes,
    lossless_ports,
    metres,
    speed,
    untrusted_ports,
)
from .rows import Row, Rows, Tables, without_empty

_TCS = range(8)
_COLOURS = ("green", "yellow", "red")


def maps(intent: SwitchIntent) -> Tables:
    """The maps from DSCP to TC and on to queue and PG, and which port uses which."""
    if not intent.lossless.classes:
        return {}
    rest = best_effort(intent)
    carries = any(True for _ in lossless_ports(intent))
    dscps: Rows = {UNTRUSTED: {str(dscp): str(rest.priority) for dscp in EVERY_DSCP}}
    queues: Rows = {UNTRUSTED: {str(tc): str(rest.queue) for tc in _TCS}}
    groups: Rows = {UNTRUSTED: {str(tc): str(rest.priority_group) for tc in _TCS}}
    tables: Tables = {
        "DSCP_TO_TC_MAP": dscps,
        "TC_TO_QUEUE_MAP": queues,
        "TC_TO_PRIORITY_GROUP_MAP": groups,
        "PORT_QOS_MAP": _bindings(intent),
    }
    if carries:
        by_tc = {traffic_class.priority: traffic_class for traffic_class in classes(intent)}
        named = class_of_dscp(classes(intent))
        dscps[LOSSLESS] = {str(dscp): str(one.priority) for dscp, one in enumerate(named)}
        queues[LOSSLESS] = {str(tc): str(by_tc.get(tc, rest).queue) for tc in _TCS}
        groups[LOSSLESS] = {str(tc): str(by_tc.get(tc, rest).priority_group) for tc in _TCS}
        tables |= _pauses(intent)
    if not any(True for _ in untrusted_ports(intent)):
        for rows in (dscps, queues, groups):
            del rows[UNTRUSTED]
    return without_empty(tables)


def _pauses(intent: SwitchIntent) -> Tables:
    """Which queue a pause of a priority stops; which PG asks for it, where the ASIC is asked.

    qos_config.j2: pfc_to_pg_map_supported_asics.
    """
    lossless = [traffic_class for traffic_class in classes(intent) if traffic_class.lossless]
    if not lossless:
        return {}
    stopped: Row = {
        str(traffic_class.priority): str(traffic_class.queue) for traffic_class in lossless
    }
    asking: Row = {
        str(traffic_class.priority): str(traffic_class.priority_group) for traffic_class in lossless
    }
    found: Tables = {"MAP_PFC_PRIORITY_TO_QUEUE": {LOSSLESS: stopped}}
    if is_dynamic(intent.switch.hardware.asic):
        found["PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"] = {LOSSLESS: asking}
    return found


def _bindings(intent: SwitchIntent) -> Rows:
    rows: Rows = {port.name: _lossless_row(intent, qos) for port, qos in lossless_ports(intent)}
    if rows:
        rows["global"] = {"dscp_to_tc_map": LOSSLESS}
    for port in untrusted_ports(intent):
        rows[port.name] = dict.fromkeys(
            ("dscp_to_tc_map", "tc_to_pg_map", "tc_to_queue_map"), UNTRUSTED
        )
    return rows


def _lossless_row(intent: SwitchIntent, qos: PortQos) -> Row:
    maps = ["dscp_to_tc_map", "tc_to_pg_map", "tc_to_queue_map"]
    if not qos.pfc_priorities:
        return dict.fromkeys(maps, LOSSLESS)
    maps.append("pfc_to_queue_map")
    if is_dynamic(intent.switch.hardware.asic):
        maps.append("pfc_to_pg_map")
    row: Row = dict.fromkeys(maps, LOSSLESS)
    row["pfc_enable"] = ",".join(map(str, qos.pfc_priorities))
    if qos.watchdog is not None:
        row["pfcwd_sw_enable"] = row["pfc_enable"]
    return row


def queues(intent: SwitchIntent) -> Tables:
    """SCHEDULER, WRED_PROFILE and QUEUE."""
    if not intent.lossless.classes:
        return {}
    schedulers: Rows = {}
    marking: Rows = {}
    rows: Rows = {}
    for port, qos in lossless_ports(intent):
        for traffic_class in qos.classes:
            name, scheduler = _scheduler(traffic_class, port)
            schedulers[name] = scheduler
            row: Row = {"scheduler": name}
            if traffic_class.priority in qos.marked_priorities:
                profile = f"ECN_{speed(port)}_{metres(intent, port)}"
                marking[profile] = _marking(intent, port, qos.ecn)
                row["wred_profile"] = profile
            rows[f"{port.name}|{traffic_class.queue}"] = row
    return {"SCHEDULER": schedulers, "WRED_PROFILE": marking, "QUEUE": rows}


def _scheduler(one: TrafficClass, port: SwitchPort) -> tuple[str, Row]:
    """A strict class is capped in bytes a second, so by the port's rate.

    `pir` is wanted with `cir` by the model (sonic-scheduler.yang). The strict class is served
    first up to its cap in any case, so both are the cap.
    """
    if not one.strict:
        return one.name, {"type": "DWRR", "weight": str(one.weight_percent)}
    if one.rate_cap_percent is None:
        return one.name, {"type": "STRICT"}
    cap = str(speed(port) * 1_000_000 // 8 * one.rate_cap_percent // 100)
    row: Row = {"cir": cap, "meter_type": "bytes", "pir": cap, "type": "STRICT"}
    return f"{one.name}_{speed(port)}", row


def _marking(intent: SwitchIntent, port: SwitchPort, ecn: EcnMarking) -> Row:
    if not 0 < ecn.kmin_bytes <= ecn.kmax_bytes or not 0 <= ecn.probability_percent <= 100:
        raise DialectError(
            f"{intent.switch.name}: ECN of {port.name} from {ecn.kmin_bytes} to "
            f"{ecn.kmax_bytes} bytes at {ecn.probability_percent} % cannot be"
        )
    row: Row = {"ecn": "ecn_all"}
    for colour in _COLOURS:
        row[f"{colour}_drop_probability"] = str(ecn.probability_percent)
        row[f"{colour}_max_threshold"] = str(ecn.kmax_bytes)
        row[f"{colour}_min_threshold"] = str(ecn.kmin_bytes)
        row[f"wred_{colour}_enable"] = "true"
    return row


def watchdog(intent: SwitchIntent) -> Tables:
    """PFC_WD and its counters; times as the plan says, whatever the number of ports."""
    rows: Rows = {}
    polls: set[int] = set()
    for port, qos in lossless_ports(intent):
        if qos.watchdog is None:
            continue
        polls.add(qos.watchdog.poll_ms)
        rows[port.name] = {
            "action": qos.watchdog.action,
            "detection_time": str(qos.watchdog.detect_ms),
            "restoration_time": str(qos.watchdog.restore_ms),
        }
    if not rows:
        return {}
    timers = intent.lossless.watchdog
    if timers and min(timers.detect_ms, timers.restore_ms) < timers.poll_ms:
        raise DialectError(
            f"{intent.switch.name}: watchdog times of {timers.detect_ms} and "
            f"{timers.restore_ms} ms are shorter than its poll of {timers.poll_ms} ms"
        )
    rows["GLOBAL"] = {"POLL_INTERVAL": str(max(polls))}
    counters: Rows = {"PFCWD": {"FLEX_COUNTER_STATUS": "enable"}}
    return {"PFC_WD": rows, "FLEX_COUNTER_TABLE": counters}
