"""The ports that a probe's packets can pass, and which of them is to blame for a loss."""

from __future__ import annotations

from inventory.plan import Plan, PortRef

from . import ask
from .locate import Blame, link, other_end
from .parse.df_probe import ProbeResult
from .paths import ports_towards
from .probes import Probe
from .view import View

_ASKED_FLOWS = 8


def passed(plan: Plan, probe: Probe) -> tuple[PortRef, ...]:
    """Every port on every planned path of a probe, both ends of each link, in order."""
    first = PortRef(probe.sender, probe.sender_port)
    last = PortRef(probe.receiver, probe.receiver_port)
    found = [first, other_end(plan, first)]
    towards = ports_towards(plan, probe.leaves[1], frozenset(plan.switch))
    level = [probe.leaves[0]]
    while level and level != [probe.leaves[1]]:
        outs = [PortRef(name, port) for name in level for port in towards.get(name, ())]
        ends = [other_end(plan, out) for out in outs]
        found += [*outs, *ends]
        level = sorted({end.device for end in ends})
    return tuple(dict.fromkeys([*found, other_end(plan, last), last]))


def too_small(view: View, probe: Probe) -> Blame | None:
    """The port with the least MTU on the way, when it is less than the packet."""
    found: dict[PortRef, int] = {}
    for hop in passed(view.plan, probe):
        port = (view.ports(hop.device) or {}).get(hop.port)
        if port is not None and port.mtu_bytes < probe.ip_bytes:
            found[hop] = port.mtu_bytes
    if not found:
        return None
    hop = min(found, key=lambda one: (found[one], one))
    return Blame(
        f"port {hop}", f"{hop} has IP MTU {found[hop]}", f"push the plan's to {hop.device}"
    )


def lost_way(view: View, probe: Probe) -> Blame | None:
    """A link on the way that is down."""
    for hop in passed(view.plan, probe):
        if blame := link(view, hop):
            return blame
    return None


def guilty_uplink(view: View, probe: Probe, result: ProbeResult) -> Blame | None:
    """The leaf's port that lost flows take and no other does, when there is just one."""
    arrives = other_end(view.plan, PortRef(probe.sender, probe.sender_port))
    bad = [one.port for one in result.ports if not one.full][:_ASKED_FLOWS]
    good = [one.port for one in result.ports if one.full][:_ASKED_FLOWS]
    if not bad or not good:
        return None
    taken = {port: _taken(view, probe, arrives, port) for port in (*bad, *good)}
    if None in taken.values():
        return None
    guilty = {taken[port] for port in bad} - {taken[port] for port in good}
    if len(guilty) != 1:
        return None
    out = PortRef(arrives.device, str(guilty.pop()))
    cable = view.plan.cable_at.get(out)
    found = f"only flows that leave {arrives.device} by {out.port} are lost"
    return Blame(f"cable {cable}", found, "look at the ports and switches behind it")


def _taken(view: View, probe: Probe, arrives: PortRef, port: int) -> str | None:
    return view.look(arrives.device, lambda host: ask.port_taken(host, probe, arrives.port, port))
