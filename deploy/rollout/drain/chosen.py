"""Which switches a change drains first, and why others are not. Pure.

A drained switch asks its neighbours to use it last (RFC 8326), so it helps only where they have
another way, and not against what its own nodes send.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from deploy.switches.push_result import is_at_least
from inventory.plan import BgpSession, Plan, Switch
from switch_configs import dialect
from switch_configs.intent import Impact, Rendered

from .marks import NO_PLACE, drained_as

DRAINS_FIRST = "is drained first"
Works = Callable[[str, BgpSession], bool]
_SHOWN = 4


@dataclass(frozen=True, slots=True)
class Choice:
    """What to do before a change of the impact `least` or worse, and why, in words."""

    drains: bool
    least: Impact
    why: str


def choice(plan: Plan, name: str, works: Works = lambda _switch, _session: True) -> Choice:
    """Whether a switch is drained first. `works` says whether a session was seen to work.

    Of the tiers above leaves any change counts that something which forwards reads; of a leaf
    those that take its links down.
    """
    switch = plan.switch[name]
    least: Impact = "link flap" if switch.tier == "leaf" else "runtime"
    if switch.tier == "leaf" and (alone := _single_homed(plan, switch)):
        why = (
            f"the traffic of its own nodes stays ({_several(alone)}); the jobs on them are to be "
            "drained, or lose packets"
        )
        return Choice(False, least, why)
    if stuck := _without_another(plan, switch, works):
        return Choice(False, least, f"a drain would change nothing: no other way works {stuck}")
    if not dialect(switch.dialect).keeps_drain:
        return Choice(False, least, f"{switch.dialect} ends a drain as it applies a change")
    if switch.tier == "leaf" and switch.pair:
        why = f"{switch.pair.peer} can take what comes to its nodes; what they send goes both ways"
        return Choice(True, least, why)
    return Choice(True, least, f"{_several(_beside(plan, switch))} can take its traffic")


def preview(
    plan: Plan, name: str, impact: Impact, running: Rendered, goal: Rendered | None = None
) -> str:
    """What a change would do first, as far as the plan says; "" where that is nothing.

    Whether sessions work is measured by the change alone; who runs none now has no traffic. `goal`
    is what it is to run where that is not its plan.
    """
    chosen = choice(plan, name)
    if (
        not is_at_least(impact, chosen.least)
        or not dialect(running.dialect).readback(running).sessions
    ):
        return ""
    if chosen.drains and goal and drained_as(plan, name, goal) is None:
        return f"is not drained: {NO_PLACE}"
    first = f"{DRAINS_FIRST}, if its sessions work" if chosen.drains else "is not drained"
    return f"{first}: {chosen.why}"


def neighbours(plan: Plan, name: str) -> frozenset[str]:
    """Whom to ask for `choice`: a switch, its sessions' peers, and those beside it.

    A switch of the OOB plane has none.
    """
    if name not in plan.switch:
        return frozenset({name})
    switch = plan.switch[name]
    peers = {one.peer.device for one in switch.sessions}
    beside = _beside(plan, switch) if choice(plan, name).drains else ()
    return frozenset({name, *peers, *beside}) & frozenset(plan.switch)


def _without_another(plan: Plan, switch: Switch, works: Works) -> str:
    """Between which ends nothing but this switch works; "" where all who use it have another."""
    for session in switch.sessions:
        if session.direction != "down" or not works(switch.name, session):
            continue
        below = plan.switch[session.peer.device]
        others = {
            one.peer.device
            for one in below.sessions
            if one.direction == "up"
            and one.vrf == session.vrf
            and one.peer.device != switch.name
            and works(below.name, one)
        }
        if not others:
            return f"from {below.name} up"
    return ""


def _beside(plan: Plan, switch: Switch) -> list[str]:
    """The switches to which those below it can go instead."""
    below = {one.peer.device for one in switch.sessions if one.direction == "down"}
    return sorted(
        {
            one.peer.device
            for name in below
            for one in plan.switch[name].sessions
            if one.direction == "up" and one.peer.device != switch.name
        }
    )


def _single_homed(plan: Plan, leaf: Switch) -> list[str]:
    """Its nodes that have a port of theirs on it alone."""
    return sorted(
        {
            port.peer.device
            for port in leaf.ports
            if port.peer.device in plan.node and (port.bond is None or leaf.pair is None)
        }
    )


def _several(names: list[str]) -> str:
    rest = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
