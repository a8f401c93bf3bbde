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
    "nothing was changed; see what has no other way (routes that only it announces), or drain the "
    "jobs that send it"
)
# Of each session: BFD's packets (RFC 5880: 24 bytes, with UDP, IP, Ethernet and a tag), both its
# control and what a route or two more may add; beside them LLDP, ARP and keepalives of the port.
_BFD_BYTES = 100
_PORT_BYTES_S = 2000.0


def seen_idle(plan: Plan, name: str, transport: Transport) -> str:
    """Wait until its ports hear no more than their sessions need; what was counted, in words.

    PushStopped where more comes in for too long, or the counters cannot be read.
    """
    switch, begun = plan.switch[name], time.monotonic()
    ports = _ports(switch)
    time.sleep(BETWEEN_S / 2)  # neighbours follow within a second
    before = _read(plan, switch, ports, transport)
    while True:
        time.sleep(BETWEEN_S)
        now = _read(plan, switch, ports, transport)
        over_s = now.uptime_s - before.uptime_s
        if over_s <= 0:
            raise PushStopped("it restarted while its traffic was led past it")
        heard = {one: (now.ports[one][0] - before.ports[one][0]) / over_s for one in ports}
        if min(heard.values()) < 0:
            raise PushStopped("its counters went back while its traffic was led past it")
        worst = max(ports, key=lambda one: heard[one] - limit_bytes_s(switch, one))
        limit, took_s = limit_bytes_s(switch, worst), time.monotonic() - begun
        told = f"{heard[worst]:,.0f} B/s on {worst} over {over_s:.1f} s"
        if heard[worst] <= limit:
            return f"idle by its counters: at most {told}, its sessions' share is {limit:,.0f} B/s"
        if took_s > MOST_S:
            raise PushStopped(f"not idle after {took_s:.0f} s: it still hears {told}", hint=_HINT)
        before = now


def limit_bytes_s(switch: Switch, port: str) -> float:
    """What a port may hear of a drained switch: twice what the sessions over it send by plan."""
    sessions = sum(1 for one in switch.sessions if one.port == port)
    return _PORT_BYTES_S + 2 * sessions * _BFD_BYTES * 1000 / switch.timers.bfd_interval_ms


def _ports(switch: Switch) -> tuple[str, ...]:
    """Where others' traffic comes in: what a leaf hears of its own nodes is theirs."""
    mine = (one for one in switch.sessions if switch.tier != "leaf" or one.direction == "up")
    return tuple(sorted({one.port for one in mine}))


def _read(plan: Plan, switch: Switch, ports: Iterable[str], transport: Transport) -> Carried:
    line = asked(switch.dialect, tuple(ports))
    if line is None:
        raise PushStopped(f"whether it is idle is not known: nobody here counts {switch.dialect}")
    found = gather(plan, transport, {switch.name: [Ask("carried", line, _READ_S)]})
    why = found.errors.get(switch.name, "")
    for frame in found.frames:
        try:
            told = carried(switch.dialect, frame.payload.decode("utf-8", "replace"))
        except Unreadable as error:
            why = str(error)
        else:
            missing = [one for one in ports if one not in told.ports]
            if not missing and not frame.exit_status:
                return told
            why = f"no counters of {missing[0]}" if missing else "its counters were not read"
    raise PushStopped(f"whether it is idle is not known: {why or 'no answer'}")
