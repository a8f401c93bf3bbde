"""Small packets over single cables, as work: a ping from one end, answered by the other. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from inventory.own_yaml import own_yaml
from inventory.plan import Plan, PortRef, Switch, SwitchPort
from switch_configs import is_typed
from validation.probes.work import Job, Step

THRESHOLDS = Path(__file__).with_name("wire.yml")
NEIGHBOUR = "ff02::1"  # all nodes of the link (RFC 4291): on one cable, its other end
_SPARE_S = 4
_PING = (
    "(ping -n -q {family} -I {port} -c {packets} -i {gap} -s {payload} -W 1 {target} "
    '>"$RAILBED_TMP/wire-{n}-{part}" 2>/dev/null) &'
)
_SHOW = 'echo "wire {port} {target} {pings}"; cat "$RAILBED_TMP/wire-{n}-"*'


@dataclass(frozen=True, slots=True, order=True)
class Terms:
    """How a cable is asked, and how many packets it may lose; `wire.yml`."""

    packets: int
    pings: int
    interval_ms: int
    payload_bytes: int
    most_lost: int
    source: str

    @property
    def packets_each(self) -> int:
        """Of one ping."""
        return self.packets // self.pings


@dataclass(frozen=True, slots=True, order=True)
class Wire:
    """One cable, pinged from `here`. `target` is an address, or all of an unnumbered link."""

    here: PortRef
    there: PortRef
    target: str
    packets: int

    @property
    def ip_bytes(self) -> int:
        """Of one packet: ICMP's header (RFC 792, RFC 4443), and that of IPv4 or IPv6 (RFC 8200)."""
        return terms().payload_bytes + 8 + (40 if ":" in self.target else 20)


@cache
def terms() -> Terms:
    """The settings and limits. ValueError where the file lacks or adds one, or cannot be shared."""
    said: dict[str, Any] = own_yaml(THRESHOLDS)
    if set(said) != {field.name for field in fields(Terms)}:
        raise ValueError(f"{THRESHOLDS.name}: a key is missing or unknown")
    found = Terms(**said)
    if found.packets % found.pings:
        raise ValueError(f"{THRESHOLDS.name}: {found.pings} pings cannot share the packets evenly")
    return found


def wires(plan: Plan, configured: frozenset[str]) -> tuple[Wire, ...]:
    """Every cable that can be asked, from its lower end, sorted; that must have a shell."""
    found = (
        wire
        for switch in plan.switches
        if not is_typed(switch.dialect)
        for port in switch.ports
        if {switch.name, port.peer.device} <= configured
        for wire in _of_port(plan, switch, port)
    )
    return tuple(sorted(found))


def _of_port(plan: Plan, switch: Switch, port: SwitchPort) -> Iterator[Wire]:
    here = PortRef(switch.name, port.name)
    if port.direction == "down" and port.peer.device in plan.switch:
        return
    numbered = next((session for session in switch.sessions if session.port == port.name), None)
    if port.peer.device in plan.node:
        rails = plan.node[port.peer.device].rails
        nic = next((one for one in rails if one.port == port.peer.port), None)
        if nic and port.address and nic.address.ip in port.address.network:
            yield Wire(here, port.peer, str(nic.address.ip), terms().packets)
    elif numbered and not numbered.vlan:
        target = str(numbered.peer_address or NEIGHBOUR)
        yield Wire(here, port.peer, target, terms().packets)


def command(some: tuple[Wire, ...]) -> str:
    """The name of the frame in which a device says what came of its cables."""
    asked = terms()
    ends = " ".join(f"{wire.here.port}>{wire.target}" for wire in some)
    return (
        f"probe wire packets={asked.packets} pings={asked.pings} "
        f"interval_ms={asked.interval_ms} bytes={asked.payload_bytes} {ends}"
    )


def step(plan: Plan, configured: frozenset[str]) -> Step:
    """One job a device: all its cables at once."""
    by_device: dict[str, list[Wire]] = {}
    for wire in wires(plan, configured):
        by_device.setdefault(wire.here.device, []).append(wire)
    return tuple(_job(device, tuple(some)) for device, some in sorted(by_device.items()))


def _job(device: str, some: tuple[Wire, ...]) -> Job:
    asked = terms()
    limit_s = asked.packets_each * asked.interval_ms // 1000 + _SPARE_S
    starts = [
        _PING.format(
            family="-6 -L" if one.target == NEIGHBOUR else "",
            port=one.here.port,
            packets=asked.packets_each,
            gap=asked.interval_ms / 1000,
            payload=asked.payload_bytes,
            target=one.target,
            n=n,
            part=part,
        )
        for n, one in enumerate(some)
        for part in range(asked.pings)
    ]
    shows = [
        _SHOW.format(port=one.here.port, target=one.target, pings=asked.pings, n=n)
        for n, one in enumerate(some)
    ]
    text = "\n".join([*starts, "wait", *shows, "echo end"])
    return Job(device, command(some), text, limit_s + _SPARE_S)
