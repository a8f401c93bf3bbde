"""What `init` adds to what was asked, and by which flag each goes without."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rich.console import Console

from inventory.plan import Plan

from .words import counted, print_line

_WITHOUT = {"storage": "--storage none", "business": "--business none"}


def added_text(plan: Plan, out: Console) -> None:
    """A line for each plane of a new site; nodes asked for first, all switches last."""
    asked = sum(node.kind == "gpu" for node in plan.nodes)
    every = len(plan.switches) + len(plan.oob_switches)
    nodes = f"{asked:,} node{'' if asked == 1 else 's'}"
    print_line(out, f"{nodes} asked for; {every:,} switches come with that:")
    for line in _lines(plan):
        print_line(out, f"  {line}")


def _lines(plan: Plan) -> Iterator[str]:
    shared = {switch.plane: switch.planes for switch in plan.switches}
    for plane, planes in shared.items():
        tiers = counted(switch.tier for switch in plan.switches if switch.plane == plane)
        without = ", ".join(_WITHOUT[one] for one in planes if one in _WITHOUT)
        yield f"{' and '.join(planes)}: {tiers}" + (f"; without: {without}" if without else "")
    servers = Counter(node.kind for node in plan.nodes if node.kind != "gpu")
    if servers:
        words = ", ".join(f"{count} of {kind}" for kind, count in servers.items())
        yield f"servers beside the nodes: {words}; fewer: `servers` in fabric.yml"
    if plan.oob_switches:
        tiers = counted(switch.tier for switch in plan.oob_switches)
        yield f"OOB: {tiers}; without: --no-oob-switches"
