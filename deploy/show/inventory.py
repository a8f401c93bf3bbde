"""`check` and `plan`: what the inventory says."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from deploy.errors import RailbedError
from inventory.plan import Plan
from inventory.problems import InventoryError


def problems_json(error: InventoryError) -> dict[str, Any]:
    """Every problem of a site, for machines."""
    return {"ok": False, "problems": [asdict(one) for one in error.problems]}


def check_json(plan: Plan) -> dict[str, Any]:
    """A site without problems, in numbers."""
    return {
        "ok": True,
        "problems": [],
        "site": plan.site,
        "digest": plan.digest,
        "switches": dict(Counter(one.tier for one in plan.switches)),
        "nodes": len(plan.nodes),
        "cables": len(plan.cables),
        "undeployable": list(plan.undeployable),
        "assumptions_unmeasured": sum(not one.measured for one in plan.assumptions),
    }


def _engines(plan: Plan) -> str:
    """Who changes the nodes: `engine pyinfra`, or `pyinfra 2 nodes, ansible 2 nodes`."""
    count = Counter(one.engine for one in plan.nodes)
    if len(count) < 2:
        return f"engine {next(iter(count), plan.engine)}"
    return "engines: " + ", ".join(f"{name} {nodes} nodes" for name, nodes in sorted(count.items()))


def check_text(plan: Plan, out: Console) -> None:
    """The same in a few lines."""
    tiers = Counter(one.tier for one in plan.switches)
    switches = " + ".join(f"{count} {tier}" for tier, count in sorted(tiers.items()))
    rails = sum(len(one.rails) for one in plan.nodes)
    out.print(f"[bold]{plan.site}[/]: no problems. plan {plan.digest[:12]}, {_engines(plan)}")
    out.print(
        f"  {switches} switches, {len(plan.nodes)} nodes with {rails} rail NICs, "
        f"{len(plan.cables)} cables"
    )
    lossless = plan.lossless
    out.print(
        f"  lossless class: DSCP {lossless.dscp} -> priority {lossless.priority}, "
        f"CNP DSCP {lossless.cnp_dscp} -> priority {lossless.cnp_priority}, mode {lossless.mode}"
    )
    unmeasured = [one for one in plan.assumptions if not one.measured]
    if unmeasured:
        out.print(f"  {len(unmeasured)} assumptions nobody measured here:")
    for one in unmeasured:
        out.print(f"    {one.name}: {one.value} ({one.source})", markup=False)
    for name in plan.undeployable:
        out.print(f"  {name}: planned, not deployable: no as-built row")


def plan_json(plan: Plan, device: str) -> dict[str, Any]:
    """The whole plan, or one device of it."""
    if not device:
        return asdict(plan)
    return asdict(_device(plan, device))


def plan_text(plan: Plan, device: str, out: Console) -> None:
    """Tables of switches, nodes and waves, or one device in full."""
    if device:
        _print_device(plan, device, out)
        return
    for table in (_switch_table(plan), _node_table(plan), _wave_table(plan)):
        out.print(table)


def _device(plan: Plan, name: str) -> Any:
    found = plan.switch.get(name) or plan.node.get(name)
    if found is None and name == plan.oob.name:
        found = plan.oob  # type: ignore[assignment]
    if found is None:
        raise RailbedError(
            f"{name}: not a device of {plan.site}", hint=f"one of {', '.join(plan.devices)}"
        )
    return found


def _print_device(plan: Plan, name: str, out: Console) -> None:
    for key, value in asdict(_device(plan, name)).items():
        rows = value if isinstance(value, tuple) and value else (value,)
        for row in rows:
            text = ", ".join(f"{k} {v}" for k, v in row.items()) if isinstance(row, dict) else row
            out.print(f"{key:14} {text}", markup=False, soft_wrap=True)


def _switch_table(plan: Plan) -> Table:
    table = Table(title="Switches", title_justify="left", box=None, header_style="bold")
    for column in ("name", "tier", "ASN", "loopback", "aggregate", "management", "ECMP", "ports"):
        table.add_column(column)
    for one in plan.switches:
        table.add_row(
            one.name,
            one.tier,
            str(one.asn),
            str(one.loopback),
            ", ".join(map(str, one.aggregates)) or "-",
            str(one.management.address),
            str(one.ecmp_width),
            str(len(one.ports)),
        )
    return table


def _node_table(plan: Plan) -> Table:
    table = Table(title="Nodes", title_justify="left", box=None, header_style="bold")
    for column in ("name", "management", "NIC", "address", "leaf port", "MTU", "table"):
        table.add_column(column)
    for node in plan.nodes:
        for index, nic in enumerate(node.rails):
            first = (node.name, str(node.management.address)) if index == 0 else ("", "")
            table.add_row(
                *first,
                nic.port,
                str(nic.address),
                str(nic.leaf),
                str(nic.ip_mtu_bytes),
                str(nic.table),
            )
    return table


def _wave_table(plan: Plan) -> Table:
    table = Table(title="Waves", title_justify="left", box=None, header_style="bold")
    for column in ("#", "step", "wave", "devices"):
        table.add_column(column)
    for index, wave in enumerate(plan.waves, 1):
        name = f"{wave.name} (canary)" if wave.canary else wave.name
        table.add_row(str(index), wave.step, name, ", ".join(wave.devices))
    return table
