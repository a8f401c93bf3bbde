"""Stage 30: what servers say that are as their manifests want them, in the words of their tools."""

from __future__ import annotations

from inventory import open_site
from inventory.plan import Node, Plan
from validation.host_state import ask as host_ask
from validation.manifest import ask_node, node_state
from validation.manifest.device import manifests

from .. import host_machine
from ..planned import says
from . import Healthy, answered

LAB_NODES = ("node-p1-1", "node-p1-2")
_OWNED = {
    node_state.FILES: ("files", "folders"),
    node_state.STRAYS: ("strays",),
    node_state.PACKAGES: ("packages",),
    node_state.UNITS: ("units",),
    node_state.KERNEL: ("sysctls", "arguments"),
    node_state.NETWORKS: ("ports",),
    node_state.SSHD: ("options",),
}
_LIMITS = "CapEff:\t000001ffffffffff\nMax locked memory  8388608  8388608  bytes\n"


def healthy() -> Healthy:
    """Two nodes of the lab."""
    plan = open_site("lab")
    said = {name: node_says(plan, plan.node[name]) for name in LAB_NODES}
    return Healthy(30, plan, frozenset(LAB_NODES), answered(plan, said), spares)


def spares(command: str, expectation: str) -> bool:
    """A role that owns nothing of a kind does not rest on that answer; a reboot on the kernel's."""
    check, device, *role = expectation.split(":")
    if check not in ("state", "reboot") or command not in _OWNED:
        return False
    if check == "reboot":
        return command != node_state.KERNEL
    mine = manifests(open_site("lab")).of(device)
    things = [one for kind in _OWNED[command] for one in getattr(mine, kind)]
    return role[0] not in {one.role for one in things}


def node_says(plan: Plan, node: Node) -> dict[str, str]:
    """All that stage 30 asks a node."""
    told = says(manifests(plan).of(node.name))
    limit = str(manifests(plan).values(node.name, "os_base")["os_base_memlock"])
    return {
        **told,
        ask_node.RULES: host_machine.rules(node),
        ask_node.TABLES: host_machine.routes(node),
        ask_node.FAILED: "",
        ask_node.TRACKING: "0A580101,10.88.1.1,11,1.0,0.0,0,0,0,0,0,0,0,64.2,Normal\n",
        ask_node.LOGIN_LIMIT: f"{limit}\n",
        ask_node.SERVICE_LIMIT: "DefaultLimitMEMLOCK="
        f"{int(limit) * 1024 if limit.isdigit() else 'infinity'}\n",
        ask_node.FIRST_PROCESS: _LIMITS,
    }


def gpu_node_says(plan: Plan, node: Node) -> dict[str, str]:
    """The same of a GPU node that asks for all, with its host state."""
    state = host_machine.sealed(host_machine.answers_of(plan, node)).decode()
    return {**node_says(plan, node), host_ask.HOST_STATE: state}
