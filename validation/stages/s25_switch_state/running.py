"""What a switch's running configuration says otherwise than the plan, in words. Pure.

The answer of `Dialect.state_command` is read back by the parser that also proves rendered text,
so the same facts are compared, with the same gaps: what a system never says of itself
(`Dialect.unsaid`) is not judged here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace

from inventory.plan import Plan
from inventory.reading.fields import Unreadable
from switch_configs import DialectError, dialect, intent, render
from switch_configs.changes import unplanned
from switch_configs.readback import accounts
from switch_configs.readback.facts import BufferFacts, ClassFacts, QosFacts, SwitchFacts
from switch_configs.readback.wanted import wanted
from switch_configs.shown.unread import Unread
from validation.proof.configuration import differences

# Lines and sentences that may concern the lossless class, whatever the system.
_ABOUT_CLASSES = re.compile(
    r"(?i)qos|pfc|priority|flow-?control|buffer|queu|ecn|wred|random-detect|dscp|traffic.class"
    r"|lossless|headroom|watchdog|service-policy|scheduler|pause"
)
_CLASS_WORDS = {
    "pfc_priority": "PFC priority",
    "strict": "strict priority",
    "weight_percent": "weight in percent",
    "rate_cap_percent": "cap in percent",
    "ecn": "ECN",
}
_PORT_WORDS = {"watchdog": "PFC watchdog", "cable_m": "cable length in m", "headroom": "headroom"}


@dataclass(frozen=True, slots=True)
class Otherwise:
    """What is not as planned of the lossless class: by port, of the whole switch, and unread.

    What will not work as it reads counts for the port that it names. `unread` are lines that may
    concern the class and that nobody here can read.
    """

    ports: tuple[tuple[str, str], ...]
    switch: tuple[str, ...]
    unread: tuple[str, ...]


def facts(plan: Plan, device: str, text: str, *, unconfirmed: bool = False) -> SwitchFacts:
    """What the answer to `state_command` says. Raises Unreadable.

    A change that takes itself back unless confirmed is no state to judge, but for who is about to
    confirm it (`unconfirmed`).
    """
    tongue = dialect(plan.any_switch[device].dialect)
    try:
        held = tongue.running(device, text)
        waiting = tuple(file for file in held.files if "pending" in file.path)
        if waiting and not unconfirmed:
            raise Unreadable(f"a change on {device} waits for its confirmation")
        return tongue.readback(
            replace(held, files=tuple(file for file in held.files if file not in waiting))
        )
    except DialectError as error:
        raise Unreadable(error.message) from None


def classes_otherwise(plan: Plan, device: str, found: SwitchFacts) -> Otherwise:
    """What `found` does with DSCPs, PFC, ECN and buffers otherwise than the plan."""
    want = _wanted(plan, device)
    held = {port.name: port.qos for port in found.ports}
    asked = {port.name: port.qos for port in want.ports}
    spare = _spare(found, want)
    hazards = [one for one in found.hazards if _is_of_classes(one) and not _is_of(spare, one)]
    broken = {name: [one for one in hazards if _names(one, name)] for name in {*held, *asked}}
    ports = [
        (name, "; ".join(said))
        for name in sorted({*held, *asked})
        if (said := [*_port(held.get(name), asked.get(name), name in spare), *broken[name]])
    ]
    told = {one for some in broken.values() for one in some}
    rest = [one for one in hazards if one not in told]
    switch = [*_buffers(found.buffers, want.buffers), *rest]
    known = _known(plan, device)
    unread = [str(one) for one in found.unread if _is_of_classes(str(one)) and one not in known]
    return Otherwise(tuple(ports), tuple(switch), tuple(unread))


def rest_otherwise(
    plan: Plan, device: str, found: SwitchFacts, *, unconfirmed: bool = False
) -> tuple[str, ...]:
    """All else that `found` says otherwise than the plan; with the classes where none are asked.

    Who is about to confirm a change may have drained the switch for it.
    """
    want = _wanted(plan, device, drained=unconfirmed and found.drained)
    known = _known(plan, device)
    if plan.lossless.mode == "full":
        spare = _spare(found, want)
        found, want = _without_classes(found, spare), _without_classes(want, spare)
    unknown = tuple(one for one in found.unread if one not in known)
    return tuple(differences(replace(found, unread=unknown), want))


def own_otherwise(plan: Plan, device: str, text: str) -> tuple[str, ...]:
    """What the answer to `state_command` shows of accounts and the like that nobody planned."""
    tongue = dialect(plan.any_switch[device].dialect)
    try:
        held, asked = tongue.held(device, text), render(plan, device)
        return unplanned(held, asked, tongue, accounts.planned(plan, device))
    except DialectError as error:
        raise Unreadable(error.message) from None


def _wanted(plan: Plan, device: str, *, drained: bool = False) -> SwitchFacts:
    asked = intent(plan, device, drained=drained)
    return wanted(asked, dialect(asked.switch.dialect).unsaid)


def _known(plan: Plan, device: str) -> frozenset[Unread]:
    """The raw lines of the site that nobody here can read: they are there because it says so."""
    asked = intent(plan, device)
    if not asked.switch.raw:
        return frozenset()
    return frozenset(dialect(asked.switch.dialect).readback(render(plan, device)).unread)


def _spare(found: SwitchFacts, want: SwitchFacts) -> frozenset[str]:
    """Ports that nobody planned, without address, VLAN, bond and pauses: being there is the fault.

    One that is used lets others' marks in, so what is said of it concerns the classes.
    """
    used = {
        port.name
        for port in found.ports
        if port.addresses or port.vlans or port.bond or (port.qos and port.qos.pfc_priorities)
    }
    return frozenset(
        {port.name for port in found.ports} - {port.name for port in want.ports} - used
    )


def _is_of(spare: frozenset[str], hazard: str) -> bool:
    return "pause" not in hazard and any(_names(hazard, one) for one in spare)


def _without_classes(said: SwitchFacts, spare: frozenset[str]) -> SwitchFacts:
    return replace(
        said,
        ports=tuple(replace(port, qos=None) for port in said.ports),
        buffers=BufferFacts(),
        hazards=tuple(one for one in said.hazards if not _is_of_classes(one) or _is_of(spare, one)),
        unread=tuple(one for one in said.unread if not _is_of_classes(str(one))),
    )


def _is_of_classes(text: str) -> bool:
    return bool(_ABOUT_CLASSES.search(text))


def _names(sentence: str, port: str) -> bool:
    return re.search(rf"(?<![\w/]){re.escape(port)}(?![\w/])", sentence) is not None


def _buffers(held: BufferFacts, asked: BufferFacts) -> Iterator[str]:
    if held != asked:
        yield f"its buffer: {_word(held)}, planned {_word(asked)}"


def _port(held: QosFacts | None, asked: QosFacts | None, is_spare: bool) -> Iterator[str]:
    """What a port does otherwise; nothing where it does as planned, or nobody planned it."""
    if is_spare:
        return
    if held is None or asked is None:
        if held is not asked:
            yield "does nothing by DSCP" if held is None else "has classes that nobody planned"
        return
    if held.pfc_priorities != asked.pfc_priorities:
        yield f"PFC of {_list(held.pfc_priorities)}, planned {_list(asked.pfc_priorities)}"
    yield from _classes(held.classes, asked.classes)
    for name, word in _PORT_WORDS.items():
        mine, other = getattr(held, name), getattr(asked, name)
        if mine != other:
            yield f"{word} {_word(mine)}, planned {_word(other)}"


def _classes(held: tuple[ClassFacts, ...], asked: tuple[ClassFacts, ...]) -> Iterator[str]:
    """DSCPs that are treated otherwise, those alike together."""
    mine = {dscp: traffic_class for traffic_class in held for dscp in traffic_class.dscps}
    other = {dscp: traffic_class for traffic_class in asked for dscp in traffic_class.dscps}
    apart: dict[str, list[int]] = {}
    for dscp in sorted({*mine, *other}):
        for said in _class(mine.get(dscp), other.get(dscp)):
            apart.setdefault(said, []).append(dscp)
    yield from (f"DSCP {_list(dscps)}: {said}" for said, dscps in apart.items())


def _class(held: ClassFacts | None, asked: ClassFacts | None) -> Iterator[str]:
    if held is None or asked is None:
        yield "in no class" if held is None else "in a class that nobody planned"
        return
    for name, word in _CLASS_WORDS.items():
        mine, other = getattr(held, name), getattr(asked, name)
        if mine != other:
            yield f"{word} {_word(mine)}, planned {_word(other)}"


def _word(value: object) -> str:
    """A value, or those of a fact as `name value`."""
    if isinstance(value, bool | None):
        return "yes" if value else "no" if value is False else "none"
    if is_dataclass(value):
        said = ((field.name, getattr(value, field.name)) for field in fields(value))
        return "(" + ", ".join(f"{name} {_word(held)}" for name, held in said) + ")"
    return str(value)


def _list(numbers: tuple[int, ...] | list[int]) -> str:
    """`0-7, 26` for numbers in ascending order."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    spans = [
        f"{part[0]}-{part[-1]}" if len(part) > 2 else ", ".join(map(str, part)) for part in parts
    ]
    return ", ".join(spans) or "none"
