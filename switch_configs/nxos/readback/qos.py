"""QoS: policies as they read, then the chain of each port from DSCP to PFC priority.

DSCP -> class -> qos-group (type qos); qos-group N -> system class c-8q-nqN -> pause (type
network-qos); qos-group N -> c-out-8q-qN (type queuing). Where a link of it is missing, that is
a hazard: PFC can be on and protect nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

from switch_configs.readback.facts import ClassFacts, EcnFacts, QosFacts, WatchdogFacts

from . import trust
from .reading import DEFAULT_CLASS, NxosReading, Pause, Port, Queue
from .tree import Node, number, numbers

_UNITS = {"bytes": 1, "kbytes": 1000, "mbytes": 1000000}
_RATES = {"kbps": Fraction(1, 1000), "mbps": Fraction(1), "gbps": Fraction(1000)}


def line(node: Node, found: NxosReading) -> bool:
    """Take a line of QoS with what is below it."""
    match node.words:
        case ["class-map", "type", "qos", "match-any" | "match-all", name]:
            return _class_map(name, node, found)
        case ["class-map", "type", "queuing" | "network-qos" as kind, *_, name]:  # Nexus 3000
            said = [one.words for one in node.children]
            if len(said) == 1 and said[0][:2] == ["match", "qos-group"]:
                return found.group_of.setdefault(f"{kind} {name}", int(said[0][2])) >= 0
        case ["policy-map", "type", "qos", name]:
            own, marks = found.groups.setdefault(name, {}), found.marks.setdefault(name, {})
            return _each(node, found, lambda one: _group(one, own, marks, found))
        case ["policy-map", "type", "network-qos", name]:
            network = found.network.setdefault(name, {})
            return _each(node, found, lambda one: _network(one, network, found))
        case ["policy-map", "type", "queuing", name]:
            queues = found.queuing.setdefault(name, {})
            return _each(node, found, lambda one: _queue(one, queues, found))
        case ["system", "qos"]:
            return _each(node, found, lambda one: _system(one.words, found))
        case ["priority-flow-control", *words]:
            return _dog(words, found)
    return False


def _each(node: Node, found: NxosReading, take: Callable[[Node], bool]) -> bool:
    for one in node.children:
        if not take(one):
            found.unread += one.paths()
    return True


def _class_map(name: str, node: Node, found: NxosReading) -> bool:
    dscps: set[int] = set()
    for one in node.children:
        match one.words:
            case ["match", "dscp", values] if numbers(values) is not None:
                dscps |= set(numbers(values) or ())
            case ["match", "cos", values] if numbers(values) is not None:
                found.by_tag[name] = frozenset(numbers(values) or ())
                found.unread += one.paths()
            case _:
                found.unread += one.paths()
    if "match-all" in node.words and len(node.children) > 1:
        found.broken(f"class-map {name} wants all of several DSCPs at once")
    found.class_maps[name] = tuple(sorted(dscps))
    return True


def _group(node: Node, own: dict[str, int], marks: dict[str, int], found: NxosReading) -> bool:
    match node.words:
        case ["class", name]:
            for one in node.children:
                match one.words:
                    case ["set", "qos-group", group] if number(group) is not None:
                        own[name] = int(group)
                    case ["set", "dscp", dscp] if number(dscp) in range(64):
                        marks[name] = int(dscp)
                    case _:
                        found.unread += one.paths()
            return bool(node.children)
    return False


def _network(node: Node, own: dict[str, Pause], found: NxosReading) -> bool:
    match node.words:
        case ["class", "type", "network-qos", name]:
            made = own.setdefault(name, Pause())
            if name.startswith("c-out-"):  # the system's own names for classes of type queuing
                found.broken(f"network-qos class {name} pauses nothing: it is a queuing class")
            for one in node.children:
                match one.words:
                    case ["pause", "pfc-cos", cos] if number(cos) is not None:
                        made.cos = int(cos)
                    case ["pause", "no-drop"]:  # Nexus 3000: of the class's own CoS
                        made.no_drop = True
                        found.unread += one.paths()
                    case ["pause", "no-drop", "pfc-cos", cos] if number(cos) is not None:
                        made.cos = int(cos)
                    case ["mtu", mtu] if 576 <= (number(mtu) or 0) <= 9216:
                        made.mtu = int(mtu)
                    case _:
                        found.unread += one.paths()
            return True
    return False


def _queue(node: Node, own: dict[str, Queue], found: NxosReading) -> bool:
    match node.words:
        case ["class", "type", "queuing", name]:
            made = own.setdefault(name, Queue())
            for one in node.children:
                if not _in_queue(made, one.words):
                    found.unread += one.paths()
            return True
    return False


def _in_queue(own: Queue, words: list[str]) -> bool:
    match words:
        case ["priority", "level", level] if number(level) is not None:
            own.level = int(level)
        case ["bandwidth", "percent", weight] if number(weight) is not None:
            own.weight, own.of_link = int(weight), True
        case ["bandwidth", "remaining", "percent", weight] if number(weight) is not None:
            own.weight = int(weight)
        case ["shape", "min", least, low, "max", most, unit] if number(least) is not None:
            own.cap_mbps, floor = _mbps(most, unit), number(least)
            if own.cap_mbps is None or floor is None or low not in _RATES:
                return False
            return floor * _RATES[low] <= own.cap_mbps
        case [
            "random-detect", "minimum-threshold", kmin, low, "maximum-threshold", kmax, high,
            "drop-probability", percent, "weight", "0", "ecn",
        ]:  # fmt: skip
            return _ecn(own, (kmin, low), (kmax, high), percent)
        case [
            "pause", "buffer-size", size, "pause-threshold", pause, "resume-threshold", resume,
        ]:  # fmt: skip
            sizes = [number(one) for one in (size, pause, resume)]
            if None in sizes:
                return False
            own.buffer = (int(size), int(pause), int(resume))
        case _:
            return False
    return True


def _mbps(most: str, unit: str) -> int | None:
    value = number(most)
    if value is None or unit not in _RATES:
        return None
    exact = value * _RATES[unit]
    return int(exact) if exact.denominator == 1 else None


def _ecn(own: Queue, kmin: tuple[str, str], kmax: tuple[str, str], percent: str) -> bool:
    low, high, chance = number(kmin[0]), number(kmax[0]), number(percent)
    units = (_UNITS.get(kmin[1]), _UNITS.get(kmax[1]))
    if low is None or high is None or chance is None or units[0] is None or units[1] is None:
        return False
    own.ecn = (low * units[0], high * units[1], chance)
    return True


def _system(words: list[str], found: NxosReading) -> bool:
    match words:
        case ["service-policy", "type", "network-qos", name]:
            found.system_network = name
        case ["service-policy", "type", "queuing", "output", name]:
            found.system_output = name
        case ["service-policy", "type", "qos", "input", name]:
            found.system_input = name
        case _:
            return False
    return True


def _dog(words: list[str], found: NxosReading) -> bool:
    match words:
        case ["watch-dog-interval", "on" | "off" as word]:
            found.dog_on = word == "on"
        case ["watch-dog", "interval", value] if number(value) is not None:
            found.dog_ms = int(value)
        case ["watch-dog", "shutdown-multiplier", value] if number(value) is not None:
            found.dog_shutdown = int(value)
        case ["auto-restore", "multiplier", value] if number(value) is not None:
            found.dog_restore = int(value)
        case _:
            return False
    return True


def port_qos(
    port: Port, channel: Port | None, rate_gbps: float | None, found: NxosReading
) -> QosFacts | None:
    """The chain of one port; None where it does nothing by DSCP and pauses nothing.

    What a port-channel says of QoS is in force on its ports, whatever these say.
    """
    if channel is not None and _policies(channel) != _policies(port):
        found.broken(f"port {port.name} has other QoS than its {channel.name}")
        port = replace(port, qos_in=channel.qos_in, queuing_out=channel.queuing_out)
    policy = port.qos_in or found.system_input
    if not policy:
        if port.pfc == "on":
            found.broken(f"port {port.name} pauses and trusts no DSCP")
        return None
    if trust.clears(policy, found):
        return None
    if found.marks.get(policy):
        found.broken(f"port {port.name}: policy {policy} changes DSCPs that it trusts")
    groups = _dscps(port, policy, found)
    paused = _paused(port, found)
    queues = _queues(port, found)
    classes = [
        _class(port, rate_gbps, group, dscps, paused, queues, found)
        for group, dscps in sorted(groups.items())
    ]
    by_tag = trust.tags(port, channel, policy, found)
    for group in sorted(set(paused) - set(groups) - set(by_tag.values())):
        found.broken(f"port {port.name} pauses qos-group {group}, which no DSCP has")
    _shares(port, queues, found)
    _sizes(port, paused, found)
    return QosFacts(
        classes=tuple(sorted(classes, key=lambda one: one.dscps)),
        pfc_priorities=tuple(sorted(paused.values())),
        watchdog=_watchdog(port, found),
        cable_m=None,
        headroom=None,
        by_tag=tuple((cos, paused.get(group)) for cos, group in sorted(by_tag.items())),
    )


def _policies(port: Port) -> tuple[str | bool, ...]:
    return port.qos_in, port.queuing_in, port.queuing_out, port.pfc, port.watchdog


def _dscps(port: Port, policy: str, found: NxosReading) -> dict[int, tuple[int, ...]]:
    """The DSCPs of each qos-group; the first class that asks for one has it."""
    if policy not in found.groups:
        found.broken(f"port {port.name} asks policy {policy}, which is not defined")
    said = found.groups.get(policy, {})
    rest = said.get(DEFAULT_CLASS, 0)
    of: dict[int, int] = {}
    for name, group in said.items():
        if name != DEFAULT_CLASS and name not in found.class_maps:
            found.broken(f"policy {policy} asks class {name}, which is not defined")
        for dscp in found.class_maps.get(name, ()):
            of.setdefault(dscp, group)
    out: dict[int, list[int]] = {}
    for dscp in range(64):
        out.setdefault(of.get(dscp, rest), []).append(dscp)
    return {group: tuple(dscps) for group, dscps in out.items()}


def _paused(port: Port, found: NxosReading) -> dict[int, int]:
    """PFC priority by qos-group, where the port has PFC on."""
    policy = found.system_network
    if policy and policy not in found.network:
        found.broken(f"system qos asks policy {policy}, which is not defined")
    classes = found.network.get(policy, {})
    pauses = {name: one.cos for name, one in classes.items() if one.cos is not None}
    out = {}
    for name, cos in pauses.items():
        group = found.group_of.get(f"network-qos {name}", number(name.removeprefix("c-8q-nq")))
        if group is None or not 1 <= group <= 7:
            found.broken(f"no packet is in network class {name}, which pauses {cos}")
        else:
            out[group] = cos
    if len(set(out.values())) != len(out):
        found.broken("two network classes pause one PFC priority")
    if port.pfc != "on":
        if out:
            found.broken(f"port {port.name} trusts DSCP and has no PFC")
        return {}
    if not out and not any(one.no_drop for one in classes.values()):
        found.broken(f"port {port.name} has PFC and no class pauses")
    return out


def _queues(port: Port, found: NxosReading) -> dict[int, Queue]:
    """Output queues by qos-group."""
    policy = port.queuing_out or found.system_output
    if policy not in found.queuing:
        found.broken(f"port {port.name} has no queuing policy that is defined")
    out = {}
    for name, one in found.queuing.get(policy, {}).items():
        word = name.removeprefix("c-out-8q-q")
        group = 0 if word in ("-default", DEFAULT_CLASS) else number(word)
        group = found.group_of.get(f"queuing {name}", group)
        if group is None or group > 7:
            found.broken(f"policy {policy}: no qos-group is in class {name}")
        else:
            out[group] = one
    return out


def _class(
    port: Port,
    rate_gbps: float | None,
    group: int,
    dscps: tuple[int, ...],
    paused: dict[int, int],
    queues: dict[int, Queue],
    found: NxosReading,
) -> ClassFacts:
    queue = queues.get(group, Queue())
    if group not in queues:
        found.broken(f"port {port.name}: qos-group {group} has no queue")
    _mtu(port, group, found)
    return ClassFacts(
        dscps=dscps,
        pfc_priority=paused.get(group),
        strict=queue.level is not None,
        weight_percent=None if queue.level is not None else queue.weight,
        rate_cap_percent=_cap(port, queue, rate_gbps, found),
        ecn=EcnFacts(*queue.ecn) if queue.ecn else None,
    )


def _mtu(port: Port, group: int, found: NxosReading) -> None:
    name = f"c-8q-nq{group}" if group else "c-8q-nq-default"
    classes = found.network.get(found.system_network, {})
    of = {found.group_of.get(f"network-qos {one}", 0): one for one in classes if found.group_of}
    own = classes.get(of.get(group, name), Pause())
    if found.system_network and own.mtu < (port.mtu or 1500):
        found.broken(
            f"port {port.name}: network class {name} has an MTU of {own.mtu}, not {port.mtu}"
        )


def _cap(port: Port, queue: Queue, rate_gbps: float | None, found: NxosReading) -> int | None:
    if queue.cap_mbps is None or not rate_gbps:
        return None
    exact = Fraction(queue.cap_mbps * 100) / (Fraction(rate_gbps) * 1000)
    if exact.denominator != 1:
        found.unread.append(f"port {port.name}: {queue.cap_mbps} Mb/s is no whole percent of it")
        return None
    return int(exact)


def _shares(port: Port, queues: dict[int, Queue], found: NxosReading) -> None:
    for group in queues if found.group_of else range(8):
        one = queues.get(group, Queue())
        if one.level is None and one.weight is None:
            found.broken(f"port {port.name}: nothing says the share of queue {group}")
    shared = [queue.weight or 0 for queue in queues.values() if queue.level is None]
    if shared and sum(shared) != 100:
        found.hazards.append(f"port {port.name}: shares are {sum(shared)} percent together")
    kinds = {"strict" if queue.level is not None else queue.of_link for queue in queues.values()}
    if True in kinds and len(kinds) > 1:
        found.broken(f"port {port.name}: shares of the link stand beside shares of the rest")
    levels = [queues[at].level for at in sorted(queues, reverse=True)]
    strict = [one for one in levels if one is not None]
    if levels[: len(strict)] != list(range(1, len(strict) + 1)):
        found.broken(f"port {port.name}: strict queues are not the highest, in order")


def _watchdog(port: Port, found: NxosReading) -> WatchdogFacts | None:
    if not port.watchdog or not found.dog_on:
        if port.watchdog:
            found.broken(f"port {port.name}: the PFC watchdog is off for the switch")
        return None
    poll = found.dog_ms
    return WatchdogFacts(
        _times(poll, found.dog_shutdown), _times(poll, found.dog_restore), poll, "drop"
    )


def _times(poll: int | None, multiplier: int | None) -> int | None:
    return None if poll is None or multiplier is None else poll * multiplier


def _sizes(port: Port, paused: dict[int, int], found: NxosReading) -> None:
    """What an input policy must give: one size of pause buffer for every lossless class."""
    if port.queuing_in and paused:
        own = found.queuing.get(port.queuing_in, {})
        if len(set(_buffers(port, own, paused, found))) != 1:
            found.broken(f"port {port.name}: not one pause buffer for all classes")


def _buffers(
    port: Port, own: dict[str, Queue], paused: dict[int, int], found: NxosReading
) -> Iterator[tuple[int, int, int]]:
    for group in paused:
        one = own.get(f"c-in-q{group}", Queue())
        if one.buffer is None:
            found.broken(f"port {port.name}: no pause buffer for qos-group {group}")
        else:
            yield one.buffer
