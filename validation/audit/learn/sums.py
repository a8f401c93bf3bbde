"""The lossless class, timers and services: what all switches should say alike."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address
from typing import Any

from inventory.schema import SwitchProfile
from switch_configs.readback.facts import ClassFacts, QosFacts, SessionFacts
from validation.audit.network import Network

from .guess import Notes
from .plane import Seen

Section = dict[str, Any]
_MODES = ("marking-only", "ecn", "full")
_DSCP, _PRIORITY, _CNP_DSCP, _CNP_PRIORITY = 26, 3, 48, 6
_TIMERS = {
    "bgp_keepalive_s": ("keepalive_s", 3),
    "bgp_hold_s": ("hold_s", 9),
    "bgp_connect_s": ("connect_s", 10),
    "bfd_interval_ms": ("bfd_interval_ms", 300),
    "bfd_multiplier": ("bfd_multiplier", 3),
}


def timers(one: Seen, notes: Notes, path: str) -> Section:
    """Timers of a fabric's sessions."""
    sessions = [
        (f"{name}:{session.key}", session)
        for name, facts in one.facts.items()
        for session in facts.sessions
    ]

    def said(field: str) -> Iterator[tuple[str, int | None]]:
        for who, session in sessions:
            yield who, _timer(session, field)

    return {
        key: notes.most(f"{path}.timers.{key}", said(field), default, "sessions")
        for key, (field, default) in _TIMERS.items()
    }


def _timer(session: SessionFacts, field: str) -> int | None:
    found = getattr(session, field)
    return found if isinstance(found, int) and found > 0 else None


def qos_of(one: Seen) -> Iterator[tuple[str, QosFacts]]:
    """What each port of a fabric does by DSCP."""
    for name, facts in one.facts.items():
        yield from ((f"{name}:{port.name}", port.qos) for port in facts.ports if port.qos)


def lossless(
    planes: list[Seen], switches: dict[str, SwitchProfile], notes: Notes, mtu: Section
) -> Section:
    """The section `lossless`, of the fabrics that carry the class."""
    every = [item for one in planes for item in qos_of(one)]
    kinds = {one.leaf_profile for one in planes} | {one.spine_profile for one in planes}
    mode = min((switches[kind].lossless for kind in kinds), key=_MODES.index)
    if not any(qos.pfc_priorities for _, qos in every) and mode == "full" and every:
        notes.unsaid.append("no port pauses any priority: the site says the full lossless class")
    paused = [(who, _paused(qos)) for who, qos in every]
    strict = [(who, _strict(qos)) for who, qos in every]
    most = notes.most
    dscp = most("lossless.dscp", ((w, c.dscps[0]) for w, c in paused if c), _DSCP, "QoS of ports")
    priority = most(
        "lossless.priority", ((w, c.pfc_priority) for w, c in paused if c), _PRIORITY, "PFC"
    )
    for who, one in paused:
        if one and len(one.dscps) > 1:
            notes.unsaid.append(f"{who}: DSCPs {one.dscps} in the lossless class, a site has one")
            break
    cnp = most("lossless.cnp.dscp", ((w, c.dscps[0]) for w, c in strict if c), _CNP_DSCP, "QoS")
    cap = most("lossless.cnp.rate_cap_percent", _field(strict, "rate_cap_percent"), 5, "QoS")
    notes.say(
        "lossless.cnp.priority", _CNP_PRIORITY, "guess", "a lossy class has no number on the wire"
    )
    out: Section = {"mode": mode} if mode != "full" else {}
    out |= {"dscp": dscp, "priority": priority}
    other = _CNP_PRIORITY if priority != _CNP_PRIORITY else _PRIORITY
    out["cnp"] = {"dscp": cnp, "priority": other, "rate_cap_percent": cap}
    out["ip_mtu_bytes"] = mtu
    out |= _more(every, paused, notes)
    return out


def _paused(qos: QosFacts) -> ClassFacts | None:
    """The class that is paused; the one with ECN where none is."""
    with_pfc = (one for one in qos.classes if one.pfc_priority is not None and one.dscps)
    with_ecn = (one for one in qos.classes if one.ecn and len(one.dscps) < _MOST_DSCPS)
    return next(with_pfc, None) or next(with_ecn, None)


_MOST_DSCPS = 16


def _strict(qos: QosFacts) -> ClassFacts | None:
    return next((one for one in qos.classes if one.strict and one.dscps), None)


def _field(
    seen: list[tuple[str, ClassFacts | None]], field: str
) -> Iterator[tuple[str, int | None]]:
    for who, one in seen:
        yield who, getattr(one, field) if one else None


def _more(
    every: list[tuple[str, QosFacts]], paused: list[tuple[str, ClassFacts | None]], notes: Notes
) -> Section:
    """Weights and the watchdog, where ports say them."""
    out: Section = {}
    weights = [
        (who, one.weight_percent, rest.weight_percent)
        for (who, one), (_, qos) in zip(paused, every, strict=True)
        if one and (rest := max(qos.classes, key=lambda each: len(each.dscps))) is not one
    ]
    if any(own and rest for _, own, rest in weights):
        out["weights"] = {
            "lossless": notes.most(
                "lossless.weights.lossless", ((w, own) for w, own, _ in weights), 50, "QoS"
            ),
            "best_effort": notes.most(
                "lossless.weights.best_effort", ((w, rest) for w, _, rest in weights), 50, "QoS"
            ),
        }
    dogs = [(who, qos.watchdog) for who, qos in every if qos.watchdog]
    if dogs:
        out["watchdog"] = {
            key: notes.most(
                f"lossless.watchdog.{key}", ((w, getattr(d, key)) for w, d in dogs), default, "QoS"
            )
            for key, default in (("detect_ms", 200), ("restore_ms", 400), ("poll_ms", 100))
        }
        actions = ((w, d.action) for w, d in dogs)
        action = notes.most("lossless.watchdog.action", actions, "drop", "QoS")
        out["watchdog"]["action"] = action if action in ("drop", "forward") else "drop"
    return out


def services(network: Network, notes: Notes) -> Section:
    """The section `switch_services`, and credentials that it names."""
    every = [(box.name, box.facts.services) for box in network.boxes]

    def said(key: str, by: str) -> Any:
        seen = [(who, getattr(one, key) or None) for who, one in every]
        is_said = any(value for _, value in seen)
        return notes.most(f"switch_services.{key}", seen, (), by) if is_said else ()

    out: Section = {}
    for key in ("ntp", "syslog"):
        found = [one for one in said(key, "services") if _is_address(one)]
        if found:
            out[key] = found
        for name in sorted({n for _, one in every for n in getattr(one, key)} - {*found}):
            notes.unsaid.append(f"a server of {key}, {name}: not all switches have it by address")
    if tacacs := said("tacacs", "logins"):
        out["tacacs"] = {"servers": list(tacacs), "key": "tacacs"}
    if users := said("snmp_users", "SNMP"):
        out["snmp"] = {"user": users[0], "auth": "snmp_auth", "priv": "snmp_priv"}
        notes.unsaid += [f"a further SNMP user, {name}" for name in users[1:]]
    if port := said("gnmi_port", "gNMI"):
        out["gnmi_port"] = port
    return out


def _is_address(text: str) -> bool:
    try:
        return bool(ip_address(text))
    except ValueError:
        return False


def cable_metres(one: Seen) -> Iterator[tuple[str, str, float | None]]:
    """Of each port that says it: who, which kind of cable, how long."""
    ups = {wire.low: "up" for wire in one.group.wires}
    spines = set(one.group.spines)
    for name, facts in one.facts.items():
        for port in facts.ports:
            if port.qos is None or port.qos.cable_m is None:
                continue
            is_up = (name, port.name) in ups
            if name in one.group.leaves:
                kind = "leaf_spine" if is_up else "node_leaf"
            else:
                kind = "spine_superspine" if is_up and name in spines else "leaf_spine"
            if name in one.group.superspines:
                kind = "spine_superspine"
            yield f"{name}:{port.name}", kind, port.qos.cable_m
