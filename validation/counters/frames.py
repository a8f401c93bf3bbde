"""Frames that the ports of the lossless class sent, received and lost between two readings. Pure.

`ask` prints them, `read` reads them, `added` is what came between. Which ports: where the
plan is lossless, those of switches of the compute plane and NICs that do RDMA. Elsewhere frames are
lost by design: senders find their pace by it.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from inventory.plan import Plan
from inventory.reading.delta import difference
from inventory.reading.fields import Unreadable
from inventory.reading.sections import needed, sections, shell
from switch_configs import is_typed
from switch_configs.answers import answers
from switch_configs.answers.frames import Counted, Frames
from switch_configs.answers.linux.ethtool_stats import frames, stats
from switch_configs.answers.typed import in_parts


def ports(plan: Plan, device: str) -> tuple[str, ...]:
    """The ports of a device whose frames count, sorted; none where none does."""
    if plan.lossless.mode != "full":
        return ()
    if device in plan.node:
        return tuple(sorted(nic.port for nic in plan.node[device].rails if nic.rdma_device))
    switch = plan.switch.get(device)
    if switch is None or switch.plane != "compute":
        return ()
    return tuple(sorted(port.name for port in switch.ports))


def ask(plan: Plan, device: str) -> str:
    """POSIX sh, or lines to type, that print them; "" of a system whose form nobody reads."""
    mine = ports(plan, device)
    if device in plan.node:
        return shell({f"nic:{port}": f"ethtool -S {shlex.quote(port)}" for port in mine})
    dialect = plan.switch[device].dialect
    known = answers(dialect).frames
    if known is None:
        return ""
    return in_parts(known.ask(mine)) if is_typed(dialect) else shell(known.ask(mine))


def read(plan: Plan, device: str, text: str) -> Counted:
    """The counters by port. Raises Unreadable."""
    found = sections(text)
    if device in plan.node:
        return {port: frames(stats(needed(found, f"nic:{port}"))) for port in ports(plan, device)}
    known = answers(plan.switch[device].dialect).frames
    if known is None:
        raise Unreadable(f"nothing here reads the frames of dialect {plan.switch[device].dialect}")
    return known.read(found)


def added(plan: Plan, device: str, before: str, after: str) -> Mapping[str, Frames]:
    """What each port of a device counted meanwhile. Raises Unreadable, also where one lacks."""
    was, now = (read(plan, device, text) for text in (before, after))
    mine = ports(plan, device)
    if missing := [port for port in mine if port not in was or port not in now]:
        raise Unreadable(f"{device} counts nothing of {missing[0]}")
    return {port: difference(was[port], now[port], f"{device}:{port}") for port in mine}
