"""What healthy servers answer: manifests, kernel, host state, modules of NICs."""

from __future__ import annotations

from inventory.plan import Node, Plan
from switch_configs.answers.linux import ntp
from validation.host_state import ask as host_ask
from validation.manifest import ask_node
from validation.manifest.device import manifests
from validation.stages.s15_optics import ask
from validation.stages.s15_optics.expect import ends

from .. import host_machine, modules_shown
from ..healthy import stage_10
from ..healthy.stage_30 import node_says
from ..modules_shown import Shown
from ..planned import says
from .said import Said


def time(plan: Plan) -> Said:
    """The OOB server has the time, in each zone, from its source where the site names one."""
    found = {ntp.question(zone.server_address.ip): stage_10.TIME for zone in plan.oob.zones}
    if plan.oob.time.sources:
        found |= {ask_node.TRACKING: stage_10.TRACKING, ask_node.DATE: stage_10.DATE}
    return {plan.oob.name: found}


def modules(plan: Plan) -> Said:
    """A module in every NIC that RDMA passes."""
    found: Said = {}
    for at, (here, _) in enumerate(ends(plan, frozenset(plan.devices))):
        if here.device in plan.node:
            line = ask.mlxlink_line(plan, here)
            text = modules_shown.mlxlink(Shown(f"EX2300A{at:04d}"))
            found.setdefault(here.device, {})[line] = text
    return found


def state(plan: Plan) -> Said:
    """Every node is as its manifest says, and its hardware as its profile."""
    found: Said = {}
    for node in plan.nodes:
        told = _fitted(node, host_machine.answers_of(plan, node))
        if plan.lossless.mode != "full":
            told = {name: (status, _unpaused(text)) for name, (status, text) in told.items()}
        state = host_machine.sealed(told).decode()
        found[node.name] = node_says(plan, node) | {host_ask.HOST_STATE: state}
    found[plan.oob.name] = says(manifests(plan).of(plan.oob.name)) | {ask_node.FAILED: ""}
    return found


def _fitted(node: Node, told: host_machine.Answers) -> host_machine.Answers:
    """The same of a node whose NICs have the drivers of the kernel itself, where planned."""
    if node.software.nics.stack == "doca":
        return told
    status, text = told["modules"]
    rows = "".join(f"{_of_kernel(row)}\n" for row in text.splitlines())
    missing = (127, "timeout: no such command")
    return {**told, "ofed_info -s": missing, "modules": (status, rows)}


def _of_kernel(row: str) -> str:
    """A driver of NICs as the kernel itself brings it."""
    name, *rest = row.split("|")
    if not name.startswith(("mlx5", "ib_")):
        return row
    version, path = host_machine.KERNEL, rest[-1].replace("updates/dkms", "kernel/drivers")
    return "|".join([name, "loaded", version, rest[2], version, rest[2], path])


def _unpaused(text: str) -> str:
    """What mlnx_qos and dcb print of a NIC that pauses nothing."""
    text = text.replace("enabled     0   0   0   1", "enabled     0   0   0   0")
    return text.replace('"off","off","off","on"', '"off","off","off","off"')
