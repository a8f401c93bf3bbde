"""Whether anything still crosses a drained switch: the counters of its ports, read until they rest.

What its own sessions need goes on: BFD, keepalives, LLDP. All else is somebody's traffic.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

from deploy.switches.push_session import PushStopped
from inventory.plan import Plan, Switch
from inventory.reading.fields import Unreadable
from switch_configs.answers.carried import Carried
from validation.counters.ask import carried as asked
from validation.counters.read import carried
from validation.evidence.gather import Ask, Transport, gather

MOST_S = 120.0
BETWEEN_S = 2.0
_READ_S = 60.0
_HINT = (
    "see what has no other way (routes that only it announces), or drain the jobs that send it; "
    "--accept-loss changes it anyway"
)
# Of each session: BFD's packets (RFC 5880: 24 bytes, with UDP, IP, Ethernet and a tag), both its
# control and what a route or two more may add; beside them LLDP, ARP and keepalives of the port.
_BFD_BYTES = 100
_PORT_BYTES_S = 2000.0


def seen_idle(plan: Plan, name: str, transport: Transport) -> str:
    """Wait until its ports hear no more than their sessions need; what was counted, in words.

    PushStopped where more comes in for too long, or the counters cannot be read.
    """
    switch, begun, before = plan.switch[name], time.monotonic(), None
    ports = _ports(switch)
    line = asked(switch.dialect, ports)
    if line is None:
        raise PushStopped(f"nobody here counts what ports of {switch.dialect} carry")
    time.sleep(BETWEEN_S / 2)  # neighbours follow within a second
    while True:
        try:
            now = _read(plan, switch, line, ports, transport)
            told, idle = _heard(switch, ports, before or now, now)
            before = now
        except Unreadable as error:
            told, idle = f"whether it is idle is not known: {error}", False
        if idle:
            return told
        if (took_s := time.monotonic() - begun) > MOST_S:
            raise PushStopped(f"not seen idle in {took_s:.0f} s: {told}", hint=_HINT)
        time.sleep(BETWEEN_S)


def _heard(switch: Switch, ports: Iterable[str], before: Carried, now: Carried) -> tuple[str, bool]:
    """What came in between two readings, in words, and whether it is the sessions' own."""
    over_s = now.uptime_s - before.uptime_s
    if over_s <= 0:
        return "its counters were read once", False
    heard = {one: (now.ports[one][0] - before.ports[one][0]) / over_s for one in ports}
    worst = max(heard, key=lambda one: heard[one] - limit_bytes_s(switch, one))
    limit, told = limit_bytes_s(switch, worst), f"{heard[worst]:,.0f} B/s on {worst}"
    if min(heard.values()) >= 0 and heard[worst] <= limit:
        share = f"its sessions' share is {limit:,.0f}"
        return f"idle by its counters: at most {told} over {over_s:.1f} s, {share}", True
    return f"it still hears {told}", False


def limit_bytes_s(switch: Switch, port: str) -> float:
    """What a port may hear of a drained switch: twice what the sessions over it send by plan."""
    sessions = sum(1 for one in switch.sessions if one.port == port)
    return _PORT_BYTES_S + 2 * sessions * _BFD_BYTES * 1000 / switch.timers.bfd_interval_ms


def _ports(switch: Switch) -> tuple[str, ...]:
    """Where others' traffic comes in: what a leaf hears of its own nodes is theirs."""
    mine = (one for one in switch.sessions if switch.tier != "leaf" or one.direction == "up")
    return tuple(sorted({one.port for one in mine}))


def _read(
    plan: Plan, switch: Switch, line: str, ports: Iterable[str], transport: Transport
) -> Carried:
    """The counters of all these ports. Raises Unreadable."""
    found = gather(plan, transport, {switch.name: [Ask("carried", line, _READ_S)]})
    for frame in found.frames:
        told = carried(switch.dialect, frame.payload.decode("utf-8", "replace"))
        missing = [one for one in ports if one not in told.ports]
        if missing or frame.exit_status:
            raise Unreadable(f"no counters of {', '.join(missing) or 'its ports'}")
        return told
    raise Unreadable(found.errors.get(switch.name, "no answer"))
