"""What ports of a switch count in a second of a drill's streams: each flow by a hash of its own.

A switch picks one of its equal ports by the packet's addresses and ports, each switch by a seed of
its own. No flow is spread evenly here, and none is sure to cross what is pulled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from hashlib import sha256

from inventory.plan import Plan, PortRef
from validation.routing.paths import ports_towards
from validation.stages.s80_soak.drills import Drill
from validation.stages.s80_soak.terms import drilling

# An interval of BFD is shortened by 0 to 25 % (RFC 5880, 6.8.7): by an eighth on average.
_BFD_SHORTENED = 0.875


def frames_per_s(plan: Plan, drill: Drill, *, pulled: bool = False, seed: str = "") -> Counter[str]:
    """Sent and received frames of each port of the device, BFD with them; `pulled`: meanwhile."""
    device, counted = drill.device, Counter[str]()
    without = drill.port or "every" if pulled else ""
    switch = plan.switch[device]
    for session in switch.sessions:
        if without not in ("every", session.port):
            counted[session.port] += round(
                2 * 1000 / (_BFD_SHORTENED * switch.timers.bfd_interval_ms)
            )
    for stream in drill.streams:
        here, there = stream.leaves
        for flow in range(drill.crossing.source_ports):
            for way in ((here, there), (there, here)):
                key = f"{seed} {stream.id} {flow} {way}"
                for port in _ports(plan, device, _walk(plan, *way, key, device, without)):
                    counted[port] += 1000 // drilling().gap_ms
    return counted


def _ports(plan: Plan, device: str, outs: list[PortRef]) -> Iterator[str]:
    """The ports of one device that a packet passes: out of them, or into them."""
    for out in outs:
        cable = plan.cable_at[out]
        for end in (cable.a, cable.b):
            if end.device == device:
                yield end.port


def _walk(plan: Plan, here: str, there: str, key: str, device: str, without: str) -> list[PortRef]:
    """The ports that one packet goes out of, leaf to leaf; round what is off."""
    every = frozenset(plan.switch) - ({device} if without == "every" else set())
    towards = _known(plan, there, every)
    off = set[PortRef]()
    if without and without != "every":
        cable = plan.cable_at[PortRef(device, without)]
        off = {cable.a, cable.b}
    outs, at = list[PortRef](), here
    while at != there:
        ports = [one for one in towards[at] if not off or PortRef(at, one) not in off]
        if not ports:  # the route over here was withdrawn
            return _walk(plan, here, there, f"{key} again", device, without)
        drawn = int.from_bytes(sha256(f"{key} {at}".encode()).digest()[:4])
        out = PortRef(at, ports[drawn % len(ports)])
        outs.append(out)
        cable = plan.cable_at[out]
        at = (cable.b if cable.a == out else cable.a).device
    return outs


_KNOWN: dict[tuple[str, str, frozenset[str]], dict[str, tuple[str, ...]]] = {}


def _known(plan: Plan, there: str, every: frozenset[str]) -> dict[str, tuple[str, ...]]:
    """The ports towards a leaf, worked out once for a plan."""
    key = (plan.digest, there, every)
    if key not in _KNOWN:
        _KNOWN[key] = ports_towards(plan, there, every)
    return _KNOWN[key]
