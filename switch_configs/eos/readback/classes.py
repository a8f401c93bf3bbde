"""What a port does with each DSCP: its chain followed to the queue and to PFC.

Defaults are those of the EOS User Manual, Quality of Service: the DSCP map, a queue for each
traffic class of its number, strict queues, DSCP trusted on routed ports and CoS on switched
ones. PFC pauses by traffic class: the priority on the wire is its number.
"""

from __future__ import annotations

from switch_configs.readback.facts import ClassFacts, EcnFacts, QosFacts, WatchdogFacts

from .qos import clears, moved
from .reading import EosReading, Interface, Profile, Queue

_CLASS_OF_BLOCK = (1, 0, 2, 3, 4, 5, 6, 7)
_UNTRUSTED = 1
_DSCPS = range(64)


def qos_of(port: Interface, carrier: Interface, found: EosReading) -> QosFacts | None:
    """The QoS of a port; `carrier` is the bond that it is in, or itself."""
    held = _profile(carrier, found)
    trust = held.trust or ("dscp" if carrier.routed else "cos")
    if trust != "dscp":
        _check_untrusted(carrier, trust, held, found)
        return None
    sets = {} if held.policy is None else moved(held.policy, found)
    if sets is None:
        found.broken(f"port {carrier.name} trusts DSCPs that policy {held.policy} may change")
    by_class: dict[int, list[int]] = {}
    for dscp in _DSCPS:
        number = (sets or {}).get(dscp, found.dscps.get(dscp, _CLASS_OF_BLOCK[dscp // 8]))
        by_class.setdefault(number, []).append(dscp)
    paused = held.no_drop if held.pfc else set()
    _check_chain(port.name, held, by_class, found)
    classes = (
        _class(tuple(dscps), number, number in paused, held, found)
        for number, dscps in by_class.items()
    )
    return QosFacts(
        classes=tuple(sorted(classes, key=lambda one: one.dscps)),
        pfc_priorities=tuple(sorted(paused)),
        watchdog=_watchdog(found) if held.watchdog else None,
        cable_m=None,
        headroom=None,
    )


def _profile(carrier: Interface, found: EosReading) -> Profile:
    """The lines of the profile, and over them the port's own."""
    own, name = carrier.own, carrier.service_profile
    if name is None:
        return own
    base = found.profiles.get(name)
    if base is None:
        found.broken(f"port {carrier.name} has QoS profile {name}, which is not defined")
        return own
    return Profile(
        trust=own.trust or base.trust,
        queues={**base.queues, **own.queues} if own.queues else base.queues,
        pfc=own.pfc or base.pfc,
        no_drop=own.no_drop | base.no_drop,
        watchdog=own.watchdog or base.watchdog,
        policy=own.policy or base.policy,
    )


def _queue_of(number: int, found: EosReading) -> int:
    return found.queue_of.get(number, number)


def _class(
    dscps: tuple[int, ...], number: int, paused: bool, held: Profile, found: EosReading
) -> ClassFacts:
    queue = held.queues.get(_queue_of(number, found), Queue())
    return ClassFacts(
        dscps=dscps,
        pfc_priority=number if paused else None,
        strict=queue.strict,
        weight_percent=None if queue.strict else queue.weight_percent,
        rate_cap_percent=queue.cap_percent,
        ecn=None if queue.ecn is None else EcnFacts(*queue.ecn),
    )


def _watchdog(found: EosReading) -> WatchdogFacts:
    said = found.watchdog
    action = {"drop": "drop", "no-drop": "forward"}.get(said.get("action", ""), said.get("action"))
    return WatchdogFacts(
        _ms(said.get("timeout")),
        _ms(said.get("recovery-time")),
        _ms(said.get("polling-interval")),
        action,
    )


def _ms(seconds: str | None) -> int | None:
    return None if seconds is None else round(1000 * float(seconds))


def _check_untrusted(carrier: Interface, trust: str, held: Profile, found: EosReading) -> None:
    if held.pfc and held.no_drop:
        found.broken(f"port {carrier.name} pauses, and does not trust DSCP")
    lossless = any(profile.pfc and profile.no_drop for profile in found.profiles.values())
    is_peer = found.mlag is not None and found.mlag.link == carrier.name
    if lossless and not is_peer and not clears(held.policy or "", found):
        found.broken(f"the DSCPs of port {carrier.name} stay, and other ports trust what they read")
    elif held.policy is not None and not clears(held.policy, found):
        found.hazards.append(f"port {carrier.name}: what policy {held.policy} does is not known")
    if trust == "cos" and lossless:
        found.broken(f"port {carrier.name} trusts CoS, so anybody enters a lossless class")


def _check_chain(
    name: str, held: Profile, by_class: dict[int, list[int]], found: EosReading
) -> None:
    """From the class to its queue and to PFC: each link must hold."""
    if held.no_drop and not held.pfc:
        found.broken(f"port {name} has priorities without drops, and PFC is off")
    if not held.pfc:
        return
    shared: dict[int, list[int]] = {}
    for number in by_class:
        shared.setdefault(_queue_of(number, found), []).append(number)
    for number in sorted(held.no_drop):
        queue = _queue_of(number, found)
        if number not in by_class:
            found.broken(f"port {name} pauses priority {number}, which no DSCP has")
        elif len(shared[queue]) > 1:
            found.broken(f"port {name}: queue {queue} holds priority {number} and others")
        if held.queues.get(queue, Queue()).strict:
            found.broken(f"port {name}: the lossless queue {queue} is served strictly")
        if number == _UNTRUSTED:
            found.broken(f"port {name}: priority {number} is that of untrusted packets")
    weights = [one.weight_percent or 0 for one in held.queues.values() if not one.strict]
    if sum(weights) > 100:
        found.broken(f"port {name}: its queues have {sum(weights)} percent together")
