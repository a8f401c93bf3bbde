"""What a port does against what the plan asks of it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from inventory.plan import PortRef
from switch_configs.answers import answers
from switch_configs.answers.lossless import PortLossless, Room
from validation.stage import Faults

from .pfc import PfcExpected, named

Seen = Mapping[str, "PortLossless | str"]
_TRUSTS = {
    "both": "trusts DSCP and the tag's priority",
    "dscp": "trusts DSCP",
    "none": "trusts no marking",
    "pcp": "trusts the tag's priority and not DSCP",
}
NOT_TOLD = "the switch does not tell "


def judge(dialect: str, expect: Sequence[PfcExpected], seen: Seen, faults: Faults) -> None:
    """Each port by itself; where all ports of a switch are wrong, the switch is the suspect."""
    wrong: dict[str, list[tuple[str, str]]] = {}
    for expectation in expect:
        found = seen[expectation.port]
        if isinstance(found, str):
            faults.unknown(expectation, f"device {expectation.device}", found)
        elif others := list(differences(expectation, found)):
            wrong[expectation.id] = others
        elif missing := not_told(expectation, found):
            faults.unknown(
                expectation, f"device {expectation.device}", f"{NOT_TOLD}{', '.join(missing)}"
            )
    every = len(wrong) == len(expect) > 1
    for one in expect:
        if one.id in wrong:
            (what, said), *rest = wrong[one.id]
            here, more = PortRef(one.device, one.port), f", and {len(rest)} more" if rest else ""
            suspect = f"device {one.device}" if every else f"port {here}"
            faults.add(one, suspect, f"{here} {said}{more}", hint=hint(dialect, one, what))


def differences(one: PfcExpected, found: PortLossless) -> Iterator[tuple[str, str]]:
    """What is told otherwise than planned: the fact's name, and a sentence."""
    ways = {found.obeys, found.asks} - {None}
    if ways - {one.priorities}:
        yield "pfc", _pauses(found)
    if one.trust is not None and found.trust not in (None, one.trust):
        yield "trust", _TRUSTS.get(found.trust, f"trusts {found.trust}")
    if one.dscps is not None and found.dscps not in (None, one.dscps):
        yield "dscps", _other_dscps(one.dscps, found.dscps)
    if one.dscps is not None and found.stopped not in (None, one.dscps):
        yield "queues", _not_stopped(one.dscps, found.stopped)
    if one.xoff_bytes is not None and found.rooms is not None:
        rooms = {room.priority: room for room in found.rooms}
        for priority in one.priorities:
            if priority in rooms and (said := _room(rooms[priority], one.xoff_bytes)):
                yield "rooms", said


def not_told(one: PfcExpected, found: PortLossless) -> list[str]:
    """What is planned and the switch leaves open: that agrees with nothing."""
    rooms = {room.priority for room in found.rooms or ()}
    asked = {
        "which pauses it obeys": (one.priorities, found.obeys),
        "for which priorities it asks for pauses": (one.priorities, found.asks),
        "what it trusts": (one.trust, found.trust),
        "where its DSCPs end": (one.dscps, found.dscps),
        "whose queue a pause stops": (one.dscps, found.stopped),
    }
    missing = [name for name, (wanted, told) in asked.items() if wanted is not None is told]
    return missing + (["its headroom"] if one.xoff_bytes and set(one.priorities) - rooms else [])


def _pauses(found: PortLossless) -> str:
    obeys, asks = found.obeys, found.asks
    if obeys == asks and obeys is not None:
        return f"pauses {named('priority', obeys)}" if obeys else "has PFC off"
    told = []
    if obeys is not None:
        told.append(f"obeys pauses of {named('priority', obeys)}")
    if asks is not None:
        told.append(f"asks for those of {named('priority', asks)}")
    return " and ".join(told)


def _other_dscps(planned: tuple[int, ...], told: tuple[int, ...] | None) -> str:
    lost = tuple(sorted(set(planned) - set(told or ())))
    extra = tuple(sorted(set(told or ()) - set(planned)))
    said = [f"leaves {named('DSCP', lost)} out of the paused class"] if lost else []
    said += [f"puts {named('DSCP', extra)} into it unplanned"] if extra else []
    return " and ".join(said)


def _not_stopped(planned: tuple[int, ...], told: tuple[int, ...] | None) -> str:
    lost = tuple(sorted(set(planned) - set(told or ())))
    extra = tuple(sorted(set(told or ()) - set(planned)))
    said = [f"stops no queue of {named('DSCP', lost)} when it is paused"] if lost else []
    said += [f"stops that of {named('DSCP', extra)} with it"] if extra else []
    return " and ".join(said)


def _room(room: Room, least_bytes: int) -> str:
    where = f"priority {room.priority}"
    if not room.profile:
        return f"has no buffer profile for {where}"
    if room.xoff_bytes is None:
        return f"has profile {room.profile} for {where}, which keeps no headroom"
    if room.xoff_bytes < least_bytes:
        size = f"{room.xoff_bytes} bytes of headroom, planned {least_bytes}"
        return f"has profile {room.profile} for {where}: {size}"
    return ""


def hint(dialect: str, one: PfcExpected, what: str) -> str:
    """Where to look on this system for one kind of difference; "" where nobody knows."""
    known = answers(dialect).lossless
    return known.hints.get(what, "").format(port=one.port) if known else ""
