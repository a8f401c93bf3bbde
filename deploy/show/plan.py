"""`plan`: what must be true, whole or folded to a screen, or of one device, plane or domain."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console

from deploy.errors import RailbedError
from inventory.plan import Plan, Plane
from inventory.problems import close_to
from inventory.topology.domains import failure_domains

from .device import device_text, find_device
from .plan_tables import node_tables, oob_tables, switch_table, wave_table
from .words import many, print_line


@dataclass(frozen=True, slots=True)
class Look:
    """What of a plan is asked for; nothing said is all of it, folded where it is long."""

    device: str = ""
    plane: Plane | None = None
    domain: str = ""
    everything: bool = False

    def __post_init__(self) -> None:
        """RailbedError where two things are asked at once."""
        said = [
            flag
            for flag, value in (
                ("--device", self.device),
                ("--plane", self.plane),
                ("--domain", self.domain),
            )
            if value
        ]
        if len(said) > 1:
            raise RailbedError(f"{' and '.join(said)}: found both, expected one of them")


def plan_json(plan: Plan, look: Look) -> dict[str, Any]:
    """The whole plan, or what was asked of it."""
    if look.device:
        return asdict(find_device(plan, look.device))
    if look.domain:
        return {"domain": look.domain, "members": list(_members(plan, look.domain))}
    if look.plane:
        return _of_plane(plan, look.plane)
    return asdict(plan)


def _of_plane(plan: Plan, plane: Plane) -> dict[str, Any]:
    switches: list[Any] = [switch for switch in plan.switches if plane in switch.planes]
    return {
        "plane": plane,
        "switches": [
            asdict(switch) for switch in (plan.oob_switches if plane == "oob" else switches)
        ],
        "cables": [asdict(cable) for cable in plan.cables if cable.plane == plane],
    }


def plan_text(plan: Plan, look: Look, out: Console) -> None:
    """Tables of switches, nodes and waves; long ones by tier and by pod."""
    if look.device:
        device_text(plan, look.device, out)
    elif look.domain:
        _domain_text(plan, look.domain, out)
    else:
        _tables(plan, look, out)


def _tables(plan: Plan, look: Look, out: Console) -> None:
    if look.plane == "oob":
        tables = oob_tables(plan, everything=look.everything)
    else:
        tables = [switch_table(plan, look.plane, everything=look.everything)]
        tables += node_tables(plan, look.plane, everything=look.everything)
    if look.plane is None and plan.waves:
        tables.append(wave_table(plan, everything=look.everything))
    folded = not look.everything and any(" by " in str(one.title) for one in tables)
    for table in tables:
        out.print(table)
    if look.plane is None and not plan.waves:
        print_line(out, "no waves: no device has its as-built row, so none is deployable")
    if folded:
        _hints(plan, look, out)


def _hints(plan: Plan, look: Look, out: Console) -> None:
    """Where the rest is."""
    planes = [one for one in ("compute", "storage", "business", "oob") if _has(plan, one)]
    gpu = [node.name for node in plan.nodes if node.rails]
    rows = [f"--device {name}" for name in gpu[:1]]
    rows += [f"--plane {planes[1]}"] if look.plane is None and len(planes) > 1 else []
    rows += ["--domain pod:1"] if look.plane is None else []
    text = ", ".join([*rows, "--all, --json"])
    print_line(out, f"folded; see more by {text}")


def _has(plan: Plan, plane: str) -> bool:
    return plane == "oob" or any(plane in switch.planes for switch in plan.switches)


def _members(plan: Plan, name: str) -> tuple[str, ...]:
    known = failure_domains(plan)
    if name not in known:
        kinds = sorted({one.split(":")[0] for one in known})
        hint = close_to(name, known) or f"kinds: {', '.join(kinds)}; like {next(iter(known))}"
        raise RailbedError(f"{name}: not a failure domain of {plan.site}", hint)
    return known[name]


def _domain_text(plan: Plan, name: str, out: Console) -> None:
    members = _members(plan, name)
    if not members:
        print_line(out, f"{name}: nothing goes with it alone: the others carry the load")
        return
    devices = [member for member in members if ":" not in member]
    ports = [member for member in members if ":" in member]
    said = many(len(devices), "device")
    said += f" and {many(len(ports), 'NIC port')} of others" if ports else ""
    print_line(out, f"{name}: what goes with it: {said}")
    for one in members:
        print_line(out, f"  {one}")
