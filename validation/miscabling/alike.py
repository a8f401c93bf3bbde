"""Where an exchange of cables changes nothing that matters, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from inventory.plan import BgpSession, Plan, PortRef, SwitchPort

_NOBODY = PortRef("", "")


def difference(plan: Plan, group: Iterable[PortRef], now: Mapping[PortRef, PortRef]) -> str:
    """The first thing that the cables as they are would change in the plan; empty for none.

    Nothing changes where each port still leads to the same switch, and the port it now meets has
    the same of all that is configured: no address (unnumbered), sessions with the same ASNs, the
    same direction, rail, VLANs, rate, MTU, FEC and cable length. A port of a node has an address
    of its own, so it is never alike.
    """
    for here in sorted(group):
        planned, found = plan.cable_at.get(here), now.get(here)
        if planned is None or found is None:
            return f"{here} has a cable in the plan or in the fabric, not in both"
        there = planned.b if planned.a == here else planned.a
        if why := _differs(plan, here, there, found):
            return why
    return ""


def _differs(plan: Plan, here: PortRef, there: PortRef, found: PortRef) -> str:
    if there.device != found.device:
        return f"{here} belongs to {there.device} and leads to {found.device}"
    mine, theirs, new = (_port(plan, one) for one in (here, there, found))
    if mine is None or theirs is None or new is None:
        return f"{here} -- {found} has an end at a node, whose NIC has its own place"
    for port, end in ((mine, here), (new, found)):
        if port.address is not None:
            return f"{end} has the address {port.address}"
    if _plain(theirs) != _plain(new):
        return f"{there} and {found} are not configured alike"
    if _sessions(plan, there) != _sessions(plan, found):
        return f"{there} and {found} have other sessions"
    return ""


def _port(plan: Plan, end: PortRef) -> SwitchPort | None:
    switch = plan.switch.get(end.device)
    ports = switch.ports if switch else ()
    return next((port for port in ports if port.name == end.port), None)


def _plain(port: SwitchPort) -> SwitchPort:
    return replace(port, name="", peer=_NOBODY, cage=0, part=0, description="")


def _sessions(plan: Plan, end: PortRef) -> list[BgpSession]:
    mine = (session for session in plan.switch[end.device].sessions if session.port == end.port)
    return [replace(session, port="", peer=PortRef(session.peer.device, "")) for session in mine]
