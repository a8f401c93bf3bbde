"""The ports that a probe's packets can pass, and which of them is to blame for a loss."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from inventory.plan import Plan, PortRef
from validation.evidence import ask
from validation.locating.locate import Blame, link, other_end, set_mtu, wiring
from validation.locating.view import View
from validation.parse.loads.df_probe import PortResult
from validation.routing.paths import ports_towards
from validation.routing.systems import dialect_of
from validation.stages.s40_lossless_mtu.expect import DfExpected

from .planned import Probe

End = tuple[str, PortRef]
Well = Callable[[PortResult], bool]
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


def too_small(view: View, places: Iterable[PortRef], ip_bytes: int) -> Blame | None:
    """The port with the least MTU of these, when it is less than a packet of `ip_bytes`."""
    found: dict[PortRef, int] = {}
    for hop in places:
        port = (view.ports(hop.device) or {}).get(hop.port)
        if port is not None and port.mtu_bytes < ip_bytes:
            found[hop] = port.mtu_bytes
    if not found:
        return None
    hop = min(found, key=lambda one: (found[one], one))
    hint = set_mtu(view.plan, hop, _planned_mtu(view.plan, hop))
    return Blame(f"port {hop}", f"{hop} has IP MTU {found[hop]}", hint)


def _planned_mtu(plan: Plan, here: PortRef) -> int:
    if here.device in plan.switch:
        ports = plan.switch[here.device].ports
        return next(port.ip_mtu_bytes for port in ports if port.name == here.port)
    rails = plan.node[here.device].rails
    return next(nic.ip_mtu_bytes for nic in rails if nic.port == here.port)


def blame(view: View, probe: Probe, ports: tuple[PortResult, ...], well: Well) -> Blame:
    """What to blame when packets from some source ports are not `well`: lost, or changed.

    In this order: a port with too small an MTU, a wrong or dead cable on the way, the one uplink
    that only those take, the one NIC that is well with nobody, the path as a whole.
    """
    bad = [result.port for result in ports if not well(result)]
    good = [result.port for result in ports if well(result)]
    return (
        too_small(view, passed(view.plan, probe), probe.ip_bytes)
        or _lost_way(view, probe)
        or guilty_uplink(view, probe, bad, good)
        or (None if good else guilty_nic(view, probe, well))
        or Blame(f"path {probe.sender} > {probe.receiver}")
    )


def guilty_nic(view: View, probe: Probe, well: Well) -> Blame | None:
    """The cable of the one NIC of this probe that no other probe clears, when there is just one.

    A probe that is well clears what its sender sends and what its receiver gets; what is left of
    another one is to blame (group testing, COMP decoder). Where two are left, one that another
    probe points at alone explains this one too.
    """
    good, bad = set[End](), list[tuple[End, End]]()
    for one in {one.probe for one in view.wanted if isinstance(one, DfExpected)}:
        found = view.look(one.sender, partial(ask.probe, one=one))
        if found is not None and all(map(well, found.ports)):
            good.update(_ends(one))
        elif found is not None:
            bad.append(_ends(one))
    alone = {left[0] for ends in bad if len(left := [end for end in ends if end not in good]) == 1}
    mine = [end for end in _ends(probe) if end not in good]
    mine = [end for end in mine if end in alone] or mine
    if len(mine) != 1:
        return None
    does, port = mine[0]
    hint = "NIC, cable and leaf port are one suspect: compare both ends' settings and counters"
    found_there = f"{port}: {does} is bad with everybody"
    return Blame(f"cable {view.plan.cable_at[port]}", found_there, hint)


def _ends(probe: Probe) -> tuple[End, End]:
    sender = PortRef(probe.sender, probe.sender_port)
    receiver = PortRef(probe.receiver, probe.receiver_port)
    return ("what it sends", sender), ("what it receives", receiver)


def _lost_way(view: View, probe: Probe) -> Blame | None:
    for hop in passed(view.plan, probe):
        if found := wiring(view, hop) or link(view, hop):
            return found
    return None


def guilty_uplink(view: View, probe: Probe, bad: list[int], good: list[int]) -> Blame | None:
    """The leaf's port that `bad` flows take and no `good` one does, when there is just one."""
    if not bad or not good:
        return None
    arrives = other_end(view.plan, PortRef(probe.sender, probe.sender_port))
    taken_bad = {_taken(view, probe, arrives, port) for port in bad[:_ASKED_FLOWS]}
    taken_good = {_taken(view, probe, arrives, port) for port in good[:_ASKED_FLOWS]}
    guilty = taken_bad - taken_good
    if None in taken_bad | taken_good or len(guilty) != 1:
        return None
    out = PortRef(arrives.device, str(guilty.pop()))
    if out not in view.plan.cable_at:
        return None
    found = f"only flows that leave {out.device} by {out.port} are touched"
    hint = "look at the ports and switches behind it"
    return Blame(f"cable {view.plan.cable_at[out]}", found, hint)


def _taken(view: View, probe: Probe, arrives: PortRef, port: int) -> str | None:
    dialect = dialect_of(view.plan, arrives.device)
    return view.look(
        arrives.device, lambda host: ask.port_taken(host, probe, arrives.port, port, dialect)
    )
