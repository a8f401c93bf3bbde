"""Routes that a switch lets in and out, worked out a second time: a path goes up, then down.

Policies are made once for all dialects (`switch_configs.policies`), and what is wanted of a
readback with them, so a slip there would be found as wanted. Here the same follows from the plan's
tables and tiers alone: who announces what (RFC 7938, 5.2), no way down and up again, and who is
drained is used last (RFC 8326).
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Network

from inventory.plan import BgpSession, RoutingTable, Switch
from switch_configs.intent import SwitchIntent
from switch_configs.readback.facts import PermitFacts, PolicyFacts, SwitchFacts

_DRAINED = "65535:0"


def passes(asked: SwitchIntent, found: SwitchFacts) -> Iterator[str]:
    """What sessions let through otherwise than the plan's tables, a sentence for each policy."""
    held = {policy.name: policy for policy in found.policies}
    names = {
        (session.vrf, session.key): (session.policy_in, session.policy_out)
        for session in found.sessions
    }
    alike: set[tuple[str, str, str | None, str | None]] = set()
    for one in asked.switch.sessions:
        enters, leaves = names.get((one.vrf, one.key), (None, None))
        kind = one.vrf, one.direction, enters, leaves
        if kind in alike:
            continue
        alike.add(kind)
        inward, outward = held.get(enters or ""), held.get(leaves or "")
        if inward is None or outward is None:
            yield f"routes: session {one.key} has no policy, and passes everything"
        else:
            yield from (f"routes: {said}" for said in _of_session(asked, one, inward, outward))


def _of_session(
    asked: SwitchIntent, session: BgpSession, inward: PolicyFacts, outward: PolicyFacts
) -> Iterator[str]:
    switch = asked.switch
    table = next(one for one in switch.tables if one.vrf == session.vrf)
    if set(inward.permits) != _exactly(table.learns):
        yield f"{inward.name} lets other prefixes in than the table may learn"
    if set(outward.permits) != _announced(switch, table):
        yield f"{outward.name} lets other prefixes out than a {switch.tier} announces"
    if not inward.drained_last:
        yield f"{inward.name} uses routes of who is drained like any other"
    if outward.drained_last:
        yield f"{outward.name} looks for routes of who is drained, which are for what comes in"
    if asked.drained != (_DRAINED in outward.adds):
        does = "does not mark" if asked.drained else "marks"
        yield f"{outward.name} {does} its routes as drained"
    if session.direction == "up" and _is_between(switch):
        marks = set(inward.adds) - {_DRAINED}
        if not marks or not marks <= set(outward.refuses):
            yield f"{outward.name} sends up again what came from above"
    elif outward.refuses or inward.adds:
        yield f"{outward.name} or {inward.name} marks or refuses routes, and nobody asked for it"


def _is_between(switch: Switch) -> bool:
    """Whether paths go through it both ways: above and below it are switches."""
    return {"up", "down"} <= {session.direction for session in switch.sessions}


def _announced(switch: Switch, table: RoutingTable) -> set[PermitFacts]:
    """A leaf speaks for itself alone; all others pass on what they may learn."""
    if switch.tier != "leaf":
        return _exactly(table.learns)
    return {PermitFacts(str(one), one.prefixlen, one.prefixlen) for one in table.originates}


def _exactly(prefixes: tuple[tuple[IPv4Network, int], ...]) -> set[PermitFacts]:
    return {PermitFacts(str(net), bits, bits) for net, bits in prefixes}
