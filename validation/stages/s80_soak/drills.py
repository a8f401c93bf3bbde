"""What is pulled: chosen by the plan, told before, and refused where there is no second path. Pure.

One uplink of each tier of the compute plane is switched off and one is made silent (light on,
nothing gets through), and one switch of its highest tier is drained. Where no flow of a rail
crosses leaves, as in a pod whose rails have a leaf each, nothing of these is on any flow's way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from inventory.plan import Plan, PortRef, Switch
from switch_configs import dialect, intent
from switch_configs.intent import SwitchIntent
from validation.probes.planned import Probe
from validation.routing.paths import ports_towards

from .streams import Crossing, Routes
from .terms import drilling, guard

How = Literal["off", "silent", "drain"]
# Gives the streams across a port of a device, or with "" across the device.
_Streams = Callable[[str, str], Crossing]


@dataclass(frozen=True, slots=True, order=True)
class Drill:
    """One thing pulled at `device` (and at `port`, unless the device is drained) and put back.

    Streams are `crossing` it. `refusal` says why it is not done; then nothing is touched.
    `guarded`: it is held under the switch's own timer while its ports are counted, as a rule by a
    push that nobody confirms; else one text on the device does and counts all.
    """

    id: str
    how: How
    device: str
    port: str
    pull: str
    restore: str
    crossing: Crossing
    detect_ms: float
    gap_ms: float
    refusal: str
    guarded: bool = False

    @property
    def what(self) -> str:
        """The thing, in words."""
        thing = f"port {self.device}:{self.port}" if self.port else f"device {self.device}"
        return {"off": f"{thing} off", "silent": f"{thing} silent", "drain": f"{thing} drained"}[
            self.how
        ]

    @property
    def streams(self) -> tuple[Probe, ...]:
        """The streams that cross it."""
        return self.crossing.streams

    @property
    def unit(self) -> str:
        """The unit of systemd that puts it back, where its device has a shell."""
        return unit(self.id)

    @property
    def held_s(self) -> int:
        """For how long it is pulled; at most so long, where the switch itself puts it back."""
        return guard().window_s if self.guarded else drilling().hold_s

    @property
    def impact(self) -> str:
        """What jobs notice, said before anything is touched."""
        if self.how == "drain":
            return "no packet lost: routes move before the switch is taken"
        return f"at most {self.gap_ms:g} ms without packets on flows over this cable; none stays so"


def unit(drill_id: str) -> str:
    """Its name: of the drill alone, so that whoever ends a drill that was cut off knows it."""
    return f"railbed-drill-{re.sub(r'[^A-Za-z0-9:_.-]', '_', drill_id)}"


def drills(plan: Plan, configured: frozenset[str]) -> tuple[Drill, ...]:
    """The drills of a site that `configured` is enough for, sorted; some say why they are refused.

    The whole plan chooses, so that a growing `configured` only adds drills.
    """
    every = _drills(plan, Routes(plan).crossing)
    return tuple(sorted(drill for drill in every if _needs(plan, drill) <= configured))


def crosses(plan: Plan) -> bool:
    """Whether the flows of some rail cross leaves, so that something may be pulled under them."""
    leaves = {(nic.index, nic.leaf.device) for node in plan.nodes for nic in node.rails}
    return len({rail for rail, _ in leaves}) < len(leaves)


def refused(plan: Plan) -> frozenset[str]:
    """Why drills of this plan are refused, worked out without their streams."""
    return frozenset(one.refusal for one in _drills(plan, _no_streams) if one.refusal)


def guarded(plan: Plan) -> frozenset[str]:
    """The dialects on which a port is pulled by a push."""
    every = _drills(plan, _no_streams)
    return frozenset(
        plan.switch[one.device].dialect
        for one in every
        if one.guarded and one.port and not one.refusal
    )


def _needs(plan: Plan, drill: Drill) -> set[str]:
    near = {session.peer.device for session in plan.switch[drill.device].sessions}
    ends = {end for probe in drill.streams for end in (probe.sender, probe.receiver, *probe.leaves)}
    return {drill.device, *near, *ends}


def _drills(plan: Plan, streams: _Streams) -> Iterator[Drill]:
    compute = [switch for switch in plan.switches if switch.plane == "compute"]
    if not crosses(plan):
        return
    for tier in sorted({switch.tier for switch in compute}):
        lower = next((switch for switch in compute if switch.tier == tier and _ups(switch)), None)
        if lower is not None:
            yield _pulled(plan, lower, _ups(lower)[0], "off", streams)
            yield _pulled(plan, lower, _ups(lower)[0], "silent", streams)
    top = next((switch for switch in compute if switch.sessions and not _ups(switch)), None)
    if top is not None:
        yield _drained(plan, top, streams)


def _ups(switch: Switch) -> list[str]:
    return [port.name for port in switch.ports if port.direction == "up"]


def _no_streams(_device: str, _port: str) -> Crossing:
    return Crossing()


def _pulled(plan: Plan, one: Switch, port: str, how: How, streams: _Streams) -> Drill:
    tongue = dialect(one.dialect)
    pull, restore = (
        (tongue.link_command(port, up=False), tongue.link_command(port, up=True))
        if how == "off"
        else (tongue.silence_command(port, silent=True), tongue.silence_command(port, silent=False))
    )
    terms, bfd_ms = drilling(), one.timers.bfd_interval_ms * one.timers.bfd_multiplier
    silent_ms = bfd_ms * terms.detect_by_bfd
    detect = terms.most_detect_ms if how == "off" else silent_ms
    return Drill(
        f"{how}:{one.name}:{port}",
        how,
        one.name,
        port,
        pull,
        restore,
        streams(one.name, port),
        min(detect, terms.most_gap_ms),
        terms.most_gap_ms,
        _refusal(plan, one, port, pull),
        guarded=tongue.drills_by_push,
    )


def _refusal(plan: Plan, one: Switch, port: str, pull: str) -> str:
    """Why a cable must not be pulled."""
    peer = next((two.peer.device for two in one.ports if two.name == port), "")
    if peer not in plan.switch:
        return f"{one.name}:{port} is the only way of {peer or 'nobody'} into this rail"
    if not pull:
        return _unsilenced(one) if dialect(one.dialect).drills_by_push else _untried(one)
    left = _without(plan, PortRef(one.name, port))
    return "" if left else f"{one.name} has no second path without {port}"


def _untried(one: Switch) -> str:
    return f"nobody has tried to do this on switches of dialect {one.dialect}"


def _unsilenced(one: Switch) -> str:
    """Why a port that goes off by a push is not made silent."""
    return (
        f"{one.dialect} would need an access list to let nothing in at a port whose light is on, "
        "and nobody has tried whether that stops BFD and BGP as well"
    )


def _without(plan: Plan, gone: PortRef) -> bool:
    """Whether every other leaf is still reached over another port."""
    every = frozenset(plan.switch)
    for other in plan.switches:
        ports = ports_towards(plan, other.name, every).get(gone.device, ())
        if ports and not set(ports) - {gone.port} and other.name != _peer(plan, gone):
            return False
    return True


def _peer(plan: Plan, here: PortRef) -> str:
    cable = plan.cable_at[here]
    return cable.b.device if cable.a == here else cable.a.device


def _drained(plan: Plan, one: Switch, streams: _Streams) -> Drill:
    tongue, wanted = dialect(one.dialect), intent(plan, one.name)
    every, rest = frozenset(plan.switch), frozenset(plan.switch) - {one.name}
    # Other planes may have switches that nobody reaches over this one.
    lonely = [
        name
        for name in sorted({port.peer.device for port in one.ports} & set(plan.switch))
        if {*ports_towards(plan, name, every)} - {*ports_towards(plan, name, rest), one.name}
    ]
    assert isinstance(wanted, SwitchIntent)  # with sessions it is no OOB switch
    pull = tongue.drain_command(wanted, drained=True)
    alone = f"without {one.name} there is no way to {lonely[0]}" if lonely else ""
    return Drill(
        f"drain:{one.name}",
        "drain",
        one.name,
        "",
        pull,
        tongue.drain_command(wanted, drained=False),
        streams(one.name, ""),
        0.0,
        drilling().most_drain_gap_ms,
        alone or ("" if pull else _untried(one)),
        guarded=tongue.drills_by_push,
    )
