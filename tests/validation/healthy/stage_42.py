"""Stage 42: cables whose other end answered every ping."""

from __future__ import annotations

from inventory import open_site
from inventory.plan import Plan
from validation.stages.s42_loss.wire import Wire, command, terms, wires

from . import Healthy, answered

LEAVES = ("leaf-p1-r0", "leaf-p1-r1")
CONFIGURED = frozenset({*LEAVES, "spine1", "spine2", "node-p1-1", "node-p1-2"})


def healthy() -> Healthy:
    """Two leaves with all that is plugged into them."""
    plan = open_site("lab")
    said = {leaf: leaf_says(mine(plan, CONFIGURED, leaf)) for leaf in LEAVES}
    return Healthy(42, plan, CONFIGURED, answered(plan, said))


def mine(plan: Plan, configured: frozenset[str], device: str) -> tuple[Wire, ...]:
    """The cables that a device asks."""
    return tuple(one for one in wires(plan, configured) if one.here.device == device)


def leaf_says(some: tuple[Wire, ...], lost: int = 0) -> dict[str, str]:
    """What ping(8) of iputils prints with -q, `lost` packets on each cable."""
    return {command(some): "".join(pinged(one, lost) for one in some) + "end\n"}


def pinged(one: Wire, lost: int) -> str:
    """One cable's part: the first of its pings loses what is lost."""
    asked = terms()
    counted = (counts(one, asked.packets_each, 0 if n else lost) for n in range(asked.pings))
    return f"wire {one.here.port} {one.target} {asked.pings}\n{''.join(counted)}"


def counts(one: Wire, packets: int, lost: int) -> str:
    """What one ping of them prints."""
    got, share = packets - lost, 100 * lost / packets
    return (
        f"PING {one.target} ({one.target}) from :: {one.here.port}: 1400 data bytes\n\n"
        f"--- {one.target} ping statistics ---\n"
        f"{packets} packets transmitted, {got} received, {share:g}% packet loss, time 995ms\n"
        "rtt min/avg/max/mdev = 0.035/0.047/0.085/0.011 ms\n"
    )
