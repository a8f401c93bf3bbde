"""QoS profiles, maps and the PFC watchdog (EOS User Manual, Quality of Service)."""

from __future__ import annotations

from .reading import EosReading, Profile, Queue
from .tree import Node

# Bytes in a unit of a threshold; a segment is a cell, whose size hangs on the ASIC.
_UNITS = {"bytes": 1, "kbytes": 1000, "mbytes": 1000000}
# RFC 2474, RFC 2597, RFC 3246.
_NAMES = {
    "ef": 46,
    **{f"cs{one}": 8 * one for one in range(8)},
    **{f"af{one}{drop}": 8 * one + 2 * drop for one in range(1, 5) for drop in range(1, 4)},
}
_TIMERS = ("timeout", "recovery-time", "polling-interval")


def profile(node: Node, found: EosReading) -> bool:
    """One `qos profile NAME` block."""
    one = found.profiles.setdefault(node.words[2], Profile())
    for below in node.below:
        match below.words:
            case ["tx-queue" | "uc-tx-queue", number] if number.isdecimal():
                queue(one, below, found)
            case _:
                if below.below or not setting(one, below.words):
                    found.unread.append(below.path)
    return True


def setting(one: Profile, words: list[str]) -> bool:
    """A line of a profile, or of a port, outside its queues."""
    match words:
        case ["qos", "trust", "dscp" | "cos" as what]:
            one.trust = what
        case ["no", "qos", "trust"]:
            one.trust = "nothing"
        case ["priority-flow-control", "on"]:
            one.pfc = True
        case ["priority-flow-control", "priority", number, "no-drop"] if number.isdecimal():
            one.no_drop.add(int(number))
        case ["priority-flow-control", "pause", "watchdog"]:
            one.watchdog = True
        case ["service-policy", "type", "qos", "input", name]:
            one.policy = name
        case ["no", "priority-flow-control", *rest]:
            return _off(one, rest)
        case _:
            return False
    return True


def _off(one: Profile, words: list[str]) -> bool:
    """What `show running-config all` says of PFC where it is not on."""
    match words:
        case []:
            one.pfc = False
        case ["priority", number] if number.isdecimal():
            one.no_drop.discard(int(number))
        case ["pause", "watchdog"]:
            one.watchdog = False
        case _:
            return False
    return True


def class_map(node: Node, found: EosReading) -> bool:
    """One `class-map type qos` block: its DSCPs, None where it asks for anything else."""
    dscps: set[int] | None = set()
    for below in node.below:
        words = below.words[1:] if below.words[0].isdecimal() else below.words
        asked = _dscps(words[2:]) if words[:2] == ["match", "dscp"] else None
        if asked is None:
            found.unread.append(below.path)
        dscps = None if asked is None or dscps is None else dscps | asked
    is_any = "match-any" in node.words or len(node.below) == 1
    found.class_maps[node.words[-1]] = tuple(sorted(dscps)) if dscps and is_any else None
    return True


def _dscps(words: list[str]) -> set[int] | None:
    """`26`, `24-26,46`, `af31`, `cs3`; None where it is none."""
    out: set[int] = set()
    for word in ",".join(words).split(","):
        first, _, last = (str(_NAMES.get(word, word))).partition("-")
        ends = (first, last or first)
        if not all(end.isdecimal() and int(end) < 64 for end in ends):
            return None
        out |= set(range(int(ends[0]), int(ends[1]) + 1))
    return out or None


def moved(policy: str, found: EosReading) -> dict[int, int] | None:
    """The traffic classes that a policy sets by DSCP; None where it does anything else.

    The first class that asks for a DSCP has it (EOS User Manual, Traffic Management).
    """
    out: dict[int, int] = {}
    for name, actions in found.policy_maps.get(policy, {"": ["is not defined"]}).items():
        asked = range(64) if name == "class-default" else found.class_maps.get(name)
        words = [one.split() for one in actions]
        to = [word[2] for word in words if word[:2] == ["set", "traffic-class"] and len(word) == 3]
        if asked is None or len(to) != len(words) or not all(one in "01234567" for one in to):
            return None
        for dscp in asked:
            out.setdefault(dscp, int(to[-1]) if to else -1)
    return {dscp: number for dscp, number in out.items() if number >= 0}


def policy_map(node: Node, found: EosReading) -> bool:
    """One `policy-map type quality-of-service NAME` block: what it sets, by class."""
    classes = found.policy_maps.setdefault(node.words[3], {})
    for below in node.below:
        match below.words:
            case ["class", name]:
                classes[name] = list(dict.fromkeys(one.text for one in below.below))
            case _:
                found.unread.append(below.path)
    return True


def clears(policy: str, found: EosReading) -> bool:
    """Whether a policy makes every DSCP 0 and does nothing else."""
    return found.policy_maps.get(policy) in (
        {"class-default": ["set dscp 0"]},
        {"class-default": ["set dscp default"]},
        {"class-default": ["set dscp cs0"]},
    )


def queue(one: Profile, node: Node, found: EosReading) -> None:
    """The lines of one transmit queue."""
    held = one.queues.setdefault(int(node.words[1]), Queue())
    for below in node.below:
        if not _queue_line(held, below.words):
            found.unread.append(below.path)


def _queue_line(held: Queue, words: list[str]) -> bool:
    match words:
        case ["priority", "strict"]:
            held.strict = True
        case ["no", "priority"]:
            held.strict = False
        case ["bandwidth", "percent", share] if share.isdecimal():
            held.weight_percent = int(share)
        case ["shape", "rate", share, "percent"] if share.isdecimal():
            held.cap_percent = int(share)
        case ["no", "bandwidth", "percent"]:
            held.weight_percent = None
        case ["no", "shape", "rate"]:
            held.cap_percent = None
        case ["no", "random-detect", "ecn"]:
            held.ecn = None
        case ["random-detect", "ecn", "count"]:
            pass
        case ["random-detect", "ecn", *rest]:
            held.ecn = _ecn(rest)
            return held.ecn is not None
        case _:
            return False
    return True


def _ecn(words: list[str]) -> tuple[int, int, int] | None:
    match words:
        case [
            "minimum-threshold", low, unit, "maximum-threshold", high, other,
            "max-mark-probability", share, "weight", "0",
        ] if unit == other and unit in _UNITS and low.isdecimal() and high.isdecimal():  # fmt: skip
            if share.isdecimal():
                return int(low) * _UNITS[unit], int(high) * _UNITS[unit], int(share)
    return None


def maps(words: list[str], found: EosReading) -> bool:
    """The words after `qos map`."""
    match words:
        case ["dscp", *dscps, "to", "traffic-class", number] if number.isdecimal() and dscps:
            numbers = [int(one) for one in dscps if one.isdecimal() and int(one) < 64]
            found.dscps.update(dict.fromkeys(numbers, int(number)))
            return len(numbers) == len(dscps) and int(number) < 8
        case ["traffic-class", *classes, "to", "tx-queue", number] if number.isdecimal():
            found.queue_of.update(
                {int(class_): int(number) for class_ in classes if class_.isdecimal()}
            )
            return all(class_.isdecimal() for class_ in classes) and bool(classes)
    return False


def watchdog(words: list[str], found: EosReading) -> bool:
    """The words after `priority-flow-control pause watchdog`, outside ports."""
    match words:
        case ["default", name, seconds] if name in _TIMERS and _number(seconds):
            found.watchdog[name] = seconds
        case ["action", "drop" | "no-drop" | "errdisable" as action]:
            found.watchdog["action"] = action
        case _:
            return False
    return True


def _number(text: str) -> bool:
    return text.replace(".", "", 1).isdecimal()
