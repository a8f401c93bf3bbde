"""The paths of management: over which switch of the OOB plane each other one is reached.

Everything is reached from the OOB server, so what hangs on a switch is cut off while that changes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address

from inventory.plan import OobSwitch, Plan


@dataclass(frozen=True, slots=True, order=True)
class Behind:
    """Something that is reached through a switch, by its address in a zone; a BMC or PDU too."""

    name: str
    zone: str
    address: IPv4Address


def above(server: str, switches: Iterable[OobSwitch]) -> dict[str, str]:
    """What each switch is reached over: another one, or the OOB server. The nearest come first.

    One without a way to the server is left out. Each cable is looked at twice at most.
    """
    mine = sorted(switches, key=lambda one: one.name)
    beside = {one.name: sorted({port.peer.device for port in one.ports}) for one in mine}
    found = {name: server for name, peers in beside.items() if server in peers}
    todo = deque(found)
    while todo:
        here = todo.popleft()
        new = [peer for peer in beside[here] if peer in beside and peer not in found]
        found |= dict.fromkeys(new, here)
        todo.extend(new)
    return found


def behind(plan: Plan) -> dict[str, tuple[Behind, ...]]:
    """All that is reached through each switch of the OOB plane, itself left out, sorted.

    What has no as-built row has no lease, and so no address that could answer.
    """
    over = above(plan.oob.name, plan.oob_switches)
    found: dict[str, list[Behind]] = {switch.name: [] for switch in plan.oob_switches}
    for zone in plan.oob.zones:
        for lease in zone.leases:
            at, _, port = lease.server_port.partition(":")
            if port and at in found:
                found[at].append(Behind(lease.name, zone.name, lease.address))
    for name in reversed(over):  # the farthest first: by then all that hangs on it is known
        if (there := over[name]) in found:
            reached = plan.oob_switch[name].management
            own = [Behind(name, reached.zone, reached.address.ip)] if reached.mac else []
            found[there] += [*own, *found[name]]
    return {name: tuple(sorted(some)) for name, some in found.items()}


def ways(over: Mapping[str, str]) -> frozenset[str]:
    """The switches over which another one is reached (`above`)."""
    return frozenset(over.values()) & over.keys()


def cut_off(plan: Plan, switches: Iterable[str]) -> frozenset[str]:
    """The devices of the plan that are not reached while any of these switches changes."""
    found = behind(plan)
    every = (one.name for name in switches for one in found.get(name, ()))
    return frozenset(every) & frozenset(plan.devices)


def path_last(plan: Plan, names: Iterable[str]) -> tuple[str, ...]:
    """The same devices in their order, then switches of the OOB plane, the nearest at the end."""
    asked = tuple(names)
    over = above(plan.oob.name, plan.oob_switches)
    far = [name for name in plan.oob_switch if name not in over]
    rest = [name for name in asked if name not in plan.oob_switch]
    return (*rest, *(name for name in (*far, *reversed(over)) if name in set(asked)))
