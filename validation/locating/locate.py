"""From a fault to the part to go and look at. Both ends of a fault name the same part."""

from __future__ import annotations

from dataclasses import dataclass

from inventory.plan import Plan, PortRef
from switch_configs.answers.forms import Neighbour
from validation.routing.systems import words
from validation.stages.s20_cabling_routing.expect import RouteExpected

from .view import View

EXCHANGE = "exchange the two plugs at one end; `railbed cabling` says at which, with labels"


@dataclass(frozen=True, slots=True)
class Blame:
    """The suspect, what was seen of it, and what to do next."""

    suspect: str
    found: str = ""
    hint: str = ""


def hears(view: View, here: PortRef) -> tuple[PortRef, ...] | None:
    """The ports that `here` hears, domains taken off; None where that cannot be seen."""
    heard = view.lldp(here.device)
    return None if heard is None else as_ports(view.plan, heard.get(here.port, ()))


def as_ports(plan: Plan, heard: tuple[Neighbour, ...]) -> tuple[PortRef, ...]:
    """Neighbours as ports of the plan's devices."""
    ending = f".{plan.oob.domain}"
    return tuple(
        sorted(
            PortRef(neighbour.system.removesuffix(ending), neighbour.port) for neighbour in heard
        )
    )


def other_end(plan: Plan, here: PortRef) -> PortRef:
    """The port at the other end of the planned cable."""
    cable = plan.cable_at[here]
    return cable.b if cable.a == here else cable.a


def wiring(view: View, here: PortRef) -> Blame | None:
    """The cable to blame when `here` hears a port that it should not; None if it does not.

    Where it hears nobody, what its other end hears says it: a plug that was moved a moment ago is
    heard at one end first.
    """
    heard = hears(view, here)
    return _misheard(view, here if heard or heard is None else other_end(view.plan, here))


def _misheard(view: View, here: PortRef) -> Blame | None:
    plan, heard = view.plan, hears(view, here)
    planned = other_end(plan, here)
    if not heard or heard == (planned,):
        return None
    cable, wrong = plan.cable_at[here], next(end for end in heard if end != planned)
    found = f"{here} hears {wrong}"
    if wrong not in plan.cable_at:
        hint = f"find where the cable at {here} ends; it belongs into {planned}"
        return Blame(f"cable {cable}", found, hint)
    theirs = plan.cable_at[wrong]
    if theirs != cable and _may_hear(view, other_end(plan, wrong), planned):
        pair = " and ".join(sorted((str(cable), str(theirs))))
        return Blame(f"swapped cables {pair}", found, EXCHANGE)
    hint = f"move the plug at {wrong} to {planned}"
    return Blame(f"cable {cable}", found, hint)


def _may_hear(view: View, here: PortRef, there: PortRef) -> bool:
    """Whether `here` hears `there`, cannot be seen, or is up and has heard nobody yet."""
    heard = hears(view, here)
    if heard:
        return there in heard
    mine = (view.ports(here.device) or {}).get(here.port)
    return heard is None or (mine is not None and mine.up)


def set_mtu(plan: Plan, here: PortRef, ip_mtu_bytes: int) -> str:
    """What to do about a port's MTU: `apply` compares files, and sees none set by hand."""
    mend = words(plan, here.device).mtu.format(port=here.port, bytes=ip_mtu_bytes)
    return (
        f"{mend} on {here.device}, and see what changed it; where `diff` shows a difference, apply"
    )


def link(view: View, here: PortRef) -> Blame | None:
    """The port or cable to blame when the link at `here` is down; None where it is up."""
    mine = (view.ports(here.device) or {}).get(here.port)
    if mine is None or mine.up:
        return None
    for end in (here, other_end(view.plan, here)):
        port = (view.ports(end.device) or {}).get(end.port)
        if port is not None and not port.admin_up:
            enable = words(view.plan, end.device).enable.format(port=end.port)
            hint = f"{enable} on {end.device}, and see what took it down"
            return Blame(f"port {end}", f"{end} is switched off", hint)
    cable = view.plan.cable_at[here]
    return Blame(f"cable {cable}", f"{here} has no signal", "reseat or replace the cable")


def asn(view: View, device: str) -> Blame | None:
    """The device, when it speaks for another ASN than planned, or does not speak at all."""
    speaker = view.bgp(device)
    planned = view.plan.switch[device].asn if device in view.plan.switch else None
    if speaker is None or planned is None or speaker.asn == planned:
        return None
    if speaker.asn is None:
        return Blame(f"device {device}", f"{device} runs no BGP", words(view.plan, device).no_bgp)
    hint = f"{words(view.plan, device).other_asn}; push the plan's to {device} again"
    return Blame(f"device {device}", f"{device} speaks as AS {speaker.asn}, not {planned}", hint)


def _mute(view: View, device: str) -> Blame | None:
    """The device, when it does not even say which sessions it has: its BGP hangs, or it does."""
    if device not in view.plan.switch or view.bgp(device) is not None:
        return None
    hint = words(view.plan, device).mute.format(device=device)
    return Blame(f"device {device}", f"{device} does not say what sessions it has", hint)


def session(view: View, here: PortRef, *, asked: bool = True) -> Blame:
    """What to blame when the BGP session over the link at `here` is not as planned.

    Where both ends were `asked` about their sessions, one that did not answer is the first suspect.
    """
    peer = other_end(view.plan, here)
    blame = wiring(view, here) or wiring(view, peer) or link(view, here) or link(view, peer)
    blame = blame or asn(view, here.device) or asn(view, peer.device)
    if asked:
        blame = blame or _mute(view, here.device) or _mute(view, peer.device)
    if blame:
        return blame
    hint = (
        f"the link and both ASNs are right: {words(view.plan, here.device).sessions} on both ends"
    )
    return Blame(f"BGP over {view.plan.cable_at[here]}", "", hint)


def established(view: View, device: str, port: str) -> bool | None:
    """Whether the session over a port is up; None where that cannot be seen."""
    speaker = view.bgp(device)
    if speaker is None:
        return None
    keys = [one.key for one in view.plan.switch[device].sessions if one.port == port]
    return any(key in speaker.peers and speaker.peers[key].established for key in keys)


def missing_path(view: View, want: RouteExpected, port: str) -> Blame:
    """Follow a missing path towards its origin, to the first place where it breaks."""
    here = PortRef(want.device, port)
    for _ in range(len(view.plan.switches)):
        peer = other_end(view.plan, here).device
        up = established(view, here.device, here.port)
        if up is None:
            return Blame(f"device {here.device}", f"{here.device} does not say what it knows")
        if not up:
            return session(view, here)
        # A session between the wrong two may well be up, and all it says is about others.
        if found := wiring(view, here) or wiring(view, other_end(view.plan, here)):
            return found
        if peer == want.origin:
            hint = words(view.plan, here.device).received.format(peer=here.port)
            return Blame(f"device {peer}", f"{peer} does not announce {want.prefix}", hint)
        known = view.rib(peer)
        if known is None:
            return Blame(f"device {peer}", f"{peer} does not say what it knows")
        planned = view.routes.get((peer, want.prefix))
        if planned is None or want.prefix in known:
            said = f"{peer} has the route, {here.device} does not use it over {here.port}"
            return Blame(f"device {here.device}", said, "see its policy and maximum-paths")
        here = PortRef(peer, planned.ports[0])
    return Blame(f"device {want.device}")
