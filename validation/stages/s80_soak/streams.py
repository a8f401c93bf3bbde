"""Which streams cross what is pulled, and over how many source ports: by the planned routes. Pure.

Nobody chooses a path under ECMP. A flow crosses one of 64 uplinks once in 64 times, so that a wide
fabric needs more flows than a narrow one before a drill on one of its cables says anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from inventory.plan import Plan, PortRef
from validation.probes.planned import MISSED_UPLINK_CHANCE, Probe, probes
from validation.routing.paths import Ports, ports_towards

from .crossing import own_frames
from .terms import drilling

# Streams of a drill: so many where there are, and more where a flow seldom crosses what is pulled.
_LEAST_STREAMS, _MOST_STREAMS = 8, 256
# Source ports of one stream: a sender that paces 16 of them sends 3,200 packets a second.
# The most of both end at the last port there is: 49152 + 256 * 64.
_USUAL_PORTS, _MOST_PORTS = 16, 64
# As many times what a device may send by itself: half of the flows may miss it.
_OVER_OWN = 3


@dataclass(frozen=True, slots=True, order=True)
class Crossing:
    """The streams across a drill, and the frames a second that ports count of them on average.

    A port counts a packet once, a drained device as it comes in and as it leaves.
    """

    streams: tuple[Probe, ...] = ()
    source_ports: int = 0
    frames_per_s: float = 0.0


@dataclass(slots=True)
class _Flows:
    """Streams that cross, and what part of their flows does: there and back are two chances."""

    times_counted: int
    streams: list[Probe] = field(default_factory=list)
    missed: float = 1.0
    shares: float = 0.0

    def add(self, stream: Probe, there: float, back: float) -> None:
        """A stream, unless none of its flows crosses."""
        if there + back:
            self.streams.append(stream)
            self.missed *= (1 - there) * (1 - back)
            self.shares += there + back

    def frames_per_s(self, ports: int) -> float:
        """What is counted of them on average, of so many source ports each."""
        return self.times_counted * self.shares * ports * 1000 / drilling().gap_ms

    def enough(self, ports: int, needed_per_s: float) -> bool:
        """Whether hardly ever none crosses, and those that do are seen."""
        hit = self.missed**ports <= MISSED_UPLINK_CHANCE
        return hit and self.frames_per_s(ports) >= needed_per_s


class Routes:
    """The planned routes between leaves; each is worked out once."""

    def __init__(self, plan: Plan) -> None:
        every = probes(plan, frozenset(plan.devices))
        self._plan = plan
        self._between_leaves = [one for one in every if len(set(one.leaves)) > 1]
        self._towards = cache(self._ports_towards)
        self.crossing = cache(self._crossing)

    def _crossing(self, device: str, port: str) -> Crossing:
        """Streams over a cable at `port`, or over the whole device where `port` is "".

        Where the site has them: enough flows that the chance of none on it is below 1 in 10,000,
        and enough packets that what the device itself sends does not decide.
        """
        outs = self._outs(device, port)
        switch = self._plan.switch[device]
        counted = [port] if port else [one.name for one in switch.ports]
        needed_per_s = _OVER_OWN * own_frames(switch, counted, 1)
        found = _Flows(times_counted=1 if port else 2)
        for one in self._between_leaves:
            here, there = one.leaves
            found.add(one, self._share(here, there, outs), self._share(there, here, outs))
            enough = found.enough(_USUAL_PORTS, needed_per_s)
            if len(found.streams) == _MOST_STREAMS or (
                enough and len(found.streams) >= _LEAST_STREAMS
            ):
                break
        ports = drilling().source_ports
        while ports < _MOST_PORTS and not found.enough(ports, needed_per_s):
            ports += 1
        return Crossing(tuple(found.streams), ports, found.frames_per_s(ports))

    def _ports_towards(self, leaf: str) -> Ports:
        return ports_towards(self._plan, leaf, frozenset(self._plan.switch))

    def _outs(self, device: str, port: str) -> frozenset[PortRef]:
        """The ports out of which a packet goes where it crosses it."""
        if not port:
            return frozenset(PortRef(device, one.name) for one in self._plan.switch[device].ports)
        cable = self._plan.cable_at[PortRef(device, port)]
        return frozenset((cable.a, cable.b))

    def _share(self, here: str, there: str, outs: frozenset[PortRef]) -> float:
        """The part of many flows from one leaf to another that goes out of these ports."""
        return sum(part for port, part in self._spread(here, there) if port in outs)

    def _spread(self, here: str, there: str) -> Iterator[tuple[PortRef, float]]:
        """Each port on the way, and the part of the flows that takes it."""
        towards, level = self._towards(there), {here: 1.0}
        while level:
            reached: dict[str, float] = {}
            for device, part in level.items():
                ports = towards.get(device, ()) if device != there else ()
                for name in ports:
                    port = PortRef(device, name)
                    yield port, part / len(ports)
                    peer = self._peer(port)
                    reached[peer] = reached.get(peer, 0.0) + part / len(ports)
            level = reached

    def _peer(self, port: PortRef) -> str:
        cable = self._plan.cable_at[port]
        return cable.b.device if cable.a == port else cable.a.device
