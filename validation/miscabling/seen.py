"""What LLDP proves of the cables: links that both ends agree on, empty ports, and doubts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from inventory.plan import Plan, PortRef
from switch_configs.answers.forms import Links, Neighbours
from validation.locating.locate import as_ports
from validation.locating.view import View

Joined = dict[PortRef, PortRef]


@dataclass(frozen=True, slots=True)
class Answer:
    """What one device said: who its ports hear, and whether they have a signal.

    None where that cannot be seen; `why` then says so.
    """

    heard: Neighbours | None
    ports: Links | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Seen:
    """Every port of a data plane, and every other port that takes part, once.

    `now` has both directions of each link whose ends hear each other and nobody else. `empty` are
    planned ports without signal on a device that says so. `doubts` are all others, with a reason.
    `strangers` are ports outside the plan that hear something outside the plan.
    """

    now: Mapping[PortRef, PortRef]
    empty: frozenset[PortRef]
    doubts: Mapping[PortRef, str]
    strangers: Mapping[PortRef, str]


def wanted_of(plan: Plan) -> Joined:
    """Both directions of every planned cable of the data planes."""
    data = [cable for cable in plan.cables if cable.plane != "oob"]
    return {
        here: there for cable in data for here, there in ((cable.a, cable.b), (cable.b, cable.a))
    }


def look(view: View, asked: frozenset[str]) -> Seen:
    """What the whole fabric shows; devices outside `asked` are not asked, and so not known."""
    answers = dict[str, Answer]()
    for device in sorted({end.device for end in wanted_of(view.plan)}):
        if device not in asked:
            why = f"{device} has no as-built row, so it cannot be asked"
            answers[device] = Answer(None, None, why)
            continue
        heard = view.lldp(device)
        why = view.silent(device) or f"{device} does not say what it hears"
        answers[device] = Answer(heard, view.ports(device), "" if heard is not None else why)
    return seen(view.plan, answers)


def seen(plan: Plan, answers: Mapping[str, Answer]) -> Seen:
    """Put all answers together. Where they disagree, every port that takes part is in doubt."""
    wanted = wanted_of(plan)
    claims, doubts, empty = Joined(), dict[PortRef, str](), set[PortRef]()
    strangers = dict[PortRef, str]()
    for here, heard in _heard(plan, wanted, answers):
        planned, known = here in wanted, len(heard) == 1 and heard[0].device in answers
        if known and heard[0] != here:
            claims[here] = heard[0]
        elif not planned:
            strangers[here] = f"hears {_names(heard)}"
        elif heard:
            doubts[here] = f"hears {_names(heard)}: {_odd(heard)}"
        elif why := _not_empty(here, answers[here.device]):
            doubts[here] = why
        else:
            empty.add(here)
    for here, there in claims.items():
        if claims.get(there) == here:
            continue
        said = _other_side(there, claims, empty, answers)
        doubts.setdefault(here, f"hears {there}, but {said}")
        doubts.setdefault(there, f"is heard by {here}, but {said}")
    # A second one that hears an end makes the whole link doubtful.
    for here in [end for end in doubts if end in claims]:
        if claims.get(claims[here]) == here:
            doubts.setdefault(claims[here], f"its other end {here} is in doubt")
    now = {a: b for a, b in claims.items() if a not in doubts}
    return Seen(now, frozenset(empty - doubts.keys()), doubts, strangers)


def _heard(
    plan: Plan, wanted: Mapping[PortRef, PortRef], answers: Mapping[str, Answer]
) -> Iterator[tuple[PortRef, tuple[PortRef, ...]]]:
    """Every planned port, and every other one that hears something; never one of the OOB plane."""
    ports = dict.fromkeys(wanted)
    for device, answer in sorted(answers.items()):
        hearing = (PortRef(device, port) for port, who in (answer.heard or {}).items() if who)
        ports |= dict.fromkeys(end for end in hearing if end not in plan.cable_at)
    for here in sorted(ports):
        heard = answers[here.device].heard or {}
        yield here, as_ports(plan, heard.get(here.port, ()))


def _names(heard: tuple[PortRef, ...]) -> str:
    return ", ".join(str(end) if end.device else f"a nameless one:{end.port}" for end in heard)


def _odd(heard: tuple[PortRef, ...]) -> str:
    return "more than one" if len(heard) > 1 else "no port of another device of the plan"


def _not_empty(here: PortRef, answer: Answer) -> str:
    if answer.heard is None:
        return answer.why
    if answer.ports is None:
        return f"hears nobody, and {here.device} does not say whether it has a signal"
    port = answer.ports.get(here.port)
    if port is None:
        return "does not exist on the device"
    if port.up:
        return "has a signal and hears nobody"
    return "" if port.admin_up else "is switched off, so nothing in it can be heard"


def _other_side(
    there: PortRef, claims: Joined, empty: set[PortRef], answers: Mapping[str, Answer]
) -> str:
    if there in claims:
        return f"{there} hears {claims[there]}"
    if there in empty:
        return f"{there} has no signal"
    return answers[there.device].why or f"{there} does not hear it"
