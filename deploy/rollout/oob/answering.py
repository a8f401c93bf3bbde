"""Who answers behind a switch of the OOB plane, by new connections from the OOB server."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import ceil

from deploy.switches.push_session import PushStopped
from inventory.oob.paths import Behind
from inventory.plan import Plan
from inventory.visible import one_line
from validation.evidence.gather import Transport

# Devices are logged in to from there; BMCs and PDUs are spoken to by Redfish or their pages
# (`inventory/oob/flows.py`). Whoever did not answer before is not asked for afterwards.
_PORTS = {"netmgmt": 22, "hostmgmt": 22}
_OTHERS = 443
_AT_ONCE = 64
_EACH_S = 3
_START_S = 15.0
# A port that comes up listens and learns for twice the forward delay of 15 s where spanning tree
# is not rapid (IEEE 802.1D-1998, 8.10.2); links of copper take seconds to come up before it.
_LINKS_S = 40.0
_END = "end"


def look_s(count: int) -> float:
    """How long one look may take where nobody answers."""
    return _START_S + ceil(count / _AT_ONCE) * _EACH_S


def comes_back_s(count: int) -> float:
    """How long it may take until so many are reached again: links, and then two looks."""
    return _LINKS_S + 2 * look_s(count)


def answering(plan: Plan, transport: Transport, asked: Collection[Behind]) -> frozenset[Behind]:
    """Those to whom a new TCP connection could be made. PushStopped where nobody knows."""
    if not asked:
        return frozenset()
    ends = {f"{one.address} {_PORTS.get(one.zone, _OTHERS)}": one for one in asked}
    reply = transport.run(plan.oob.name, _script(sorted(ends)), look_s(len(ends)) + _START_S)
    lines = reply.stdout.decode("utf-8", "replace").splitlines()
    if reply.error or reply.exit_status != 0 or lines[-1:] != [_END]:
        why = reply.error or f"exit status {reply.exit_status}"
        raise PushStopped(f"{plan.oob.name} does not say who answers: {one_line(why)}")
    return frozenset(ends[line] for line in lines if line in ends)


def said_of_way(plan: Plan, found: Mapping[str, tuple[Behind, ...]], switch: str) -> str:
    """What a preview says of a switch: whom its change cuts off, and when it is confirmed."""
    count = len(found[switch])
    below = any(one.name in plan.oob_switch for one in found[switch])
    alone = ", changed alone and after them," if below else ""
    return (
        f"the way to {count} addresses{alone} cut off meanwhile: confirmed once all that answer "
        "before answer again"
    )


def _script(ends: Collection[str]) -> str:
    """Each end that takes a connection is printed (bash(1), REDIRECTION: /dev/tcp)."""
    connect = f'timeout {_EACH_S} bash -c \'exec 3<>"/dev/tcp/$0/$1" && echo "$0 $1"\''
    every = "\n".join(ends)
    return f"xargs -L 1 -P {_AT_ONCE} {connect} 2>/dev/null <<'.'\n{every}\n.\necho {_END}\n"
