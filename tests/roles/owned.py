"""What each role's contract says, read by other code than the manifest's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from jinja2 import Environment, StrictUndefined
from jinja2.nativetypes import NativeEnvironment

from inventory import open_site
from inventory.nodes.host_network import network_vars
from inventory.nodes.hostvars import vars_for
from roles.pyinfra_role import ROLES
from tests.shipped import loaded

from . import interfaces, wishes

PLAN = open_site("lab")
PLAYS = loaded(ROLES.parent / "deploy/playbooks/nodes.yml")
WISHES = wishes.plan()
GPU_NODE = next(node.name for node in WISHES.nodes if node.software.gpu)
ON = {"kind_oob_server": PLAN.oob.name, "kind_node": PLAN.nodes[0].name}
# Every role, in the playbook's order, and a host that gets it: the lab's where it has one.
HOST_OF = {
    one["role"]: ON.get(play["hosts"], GPU_NODE)
    for play in PLAYS
    if "roles" in play
    for one in play["roles"]
}
PLAN_OF = {role: WISHES if host == GPU_NODE else PLAN for role, host in HOST_OF.items()}
# Roles of every node, which the lab asks for little, and a GPU node for much.
BOTH = sorted(role for role, host in HOST_OF.items() if host == PLAN.nodes[0].name)
NAMES = sorted(HOST_OF)
# Variables of the package repository: nodes' roles read them too.
SHARED = ("package_family", "package_repo_")
# What the lab does not ask for: more values for a second rendering of everything.
ELSEWHERE: dict[str, dict[str, object]] = {
    "container_runtime": {"container_runtime_engine": "docker", "container_runtime_gpus": False},
    "kernel_tuning": {
        "kernel_tuning_boot": "grub",
        "kernel_tuning_arguments": ["iommu=pt", "hugepagesz=1G", "hugepages=16"],
        "kernel_tuning_hugepages": [
            {"size_kib": 1048576, "node": "0", "count": 8},
            {"size_kib": 1048576, "node": "1", "count": 8},
        ],
        "kernel_tuning_governor": "performance",
        "kernel_tuning_energy_preference": "performance",
        "kernel_tuning_pstate": "intel active",
        "kernel_tuning_idle_exit_us": 2,
        "kernel_tuning_thp": "madvise",
        "kernel_tuning_acs": "disabled",
        "kernel_tuning_sysctls": {"kernel.numa_balancing": "0"},
    },
    "nccl": {"nccl_topology": '<system version="1"/>', "nccl_packages": {}},
    # One port for everything, and a trunk as a port's name may be at its longest.
    "oob_server": {
        "oob_server_access_port": "enp129s0f0np0",
        "oob_server_trunk_port": "enp129s0f0np0",
        "oob_server_trunk_mac": "02:52:42:00:00:01",
        "oob_server_vlans": [{"port": "vlan10", "id": 10}, {"port": "vlan20", "id": 20}],
        "oob_server_clock": "set",
        "oob_server_time_sources": ["192.0.2.5", "time.example.org"],
    },
    "os_base": {
        "package_family": "rpm",
        "os_base_ssh_unit": "sshd.service",
        "os_base_time_file": "/etc/chrony.conf",
        "os_base_time_unit": "chronyd.service",
        "os_base_clock": "set",
        "os_base_memlock": "unlimited",
        "os_base_time_servers": [],
        "package_repo_keyring_text": "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nx\n",
    },
    "ofed": {
        "ofed_burn": True,
        "ofed_excludes": [{"repository": "cuda-rhel9-x86_64", "packages": ["mft*"]}],
        "ofed_firmware": "28.47.2682",
        "ofed_modules": ["mlx5_ib", "rdma_ucm"],
        "ofed_peer_memory": True,
        "ofed_reload": "now",
        "ofed_stack": "doca",
        "package_family": "rpm",
    },
}
# The other network tools, each with every kind of interface there is.
NETWORK_TOOLS = ("ifupdown2", "networkd", "networkmanager")
CASES = [
    *((role, "") for role in NAMES),
    *((role, "elsewhere") for role in sorted(ELSEWHERE)),
    *((role, "gpu") for role in BOTH),
    *(("roce_nic", tool) for tool in NETWORK_TOOLS),
]


@dataclass
class Touched:
    """What a role has on a host, as its contract or one of its faces tells it.

    `files` by path: src, owner, group, mode, and more values for the template.
    `units` by name: enabled, active. `actions`: what is done when something changed,
    `always` those of them that do not ask whether it did, `tells` by path those that follow
    when this file changed.
    """

    files: dict[str, tuple[str, str, str, str, dict[str, Any]]] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    packages: set[str] = field(default_factory=set)
    units: dict[str, tuple[bool | str | None, bool | None]] = field(default_factory=dict)
    sysctls: dict[str, str] = field(default_factory=dict)
    actions: set[str] = field(default_factory=set)
    always: set[str] = field(default_factory=set)
    # Units whose files systemd is made to read, whoever changed them.
    read: set[str] = field(default_factory=set)
    # Packages by name: held, or let go where somebody holds them.
    holds: dict[str, bool] = field(default_factory=dict)
    # What packages are installed with.
    install_env: dict[str, str] = field(default_factory=dict)
    # How often the role looks whether anything speaks against it.
    preflights: int = 0
    # What the role says, in order, to what takes a change back that nobody confirms.
    way_back: list[str] = field(default_factory=list)
    # The options of the connection over which it is confirmed.
    confirmed_by: list[str] = field(default_factory=list)
    # The files before whose change that begins.
    guarded: set[str] = field(default_factory=set)
    # What must hold beside them, else it begins, too.
    must_run: str = ""
    tells: dict[str, set[str]] = field(default_factory=dict)


def read(role: str, path: str) -> Any:
    """A file of a role; tasks that are imported stand where they are imported."""
    found = loaded(ROLES / role / path)
    return list(_whole(role, found)) if path.startswith("tasks/") else found


def _whole(role: str, tasks: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for task in tasks:
        if "ansible.builtin.import_tasks" in task:
            yield from read(role, f"tasks/{task['ansible.builtin.import_tasks']}")
        else:
            yield task


def options(role: str) -> dict[str, dict[str, Any]]:
    return dict(read(role, "meta/argument_specs.yml")["argument_specs"]["main"]["options"])


def variables(role: str, case: str = "") -> dict[str, Any]:
    """The role's own variables on its host: the inventory's, over the role's defaults."""
    fallback = read(role, "defaults/main.yml") or {}
    gpu = case == "gpu" or case in NETWORK_TOOLS
    host = vars_for(WISHES if gpu else PLAN_OF[role], GPU_NODE if gpu else HOST_OF[role])
    more = ELSEWHERE[role] if case == "elsewhere" else {}
    if case in NETWORK_TOOLS:
        more = {**network_vars(interfaces.node()), "roce_nic_network_tool": case}
    return {key: {**fallback, **host, **more}[key] for key in options(role)}


JINJA = NativeEnvironment()
TEXT = Environment(undefined=StrictUndefined, autoescape=False)
# The same few expressions in every case; compiling one takes longer than its use.
expression = cache(JINJA.compile_expression)
_text = cache(TEXT.from_string)


def value_of(text: Any, values: dict[str, Any]) -> Any:
    """A value of a YAML file with its templates filled in; numbers in text stay text."""
    if isinstance(text, list):
        return [value_of(one, values) for one in text]
    if isinstance(text, dict):
        return {key: value_of(one, values) for key, one in text.items()}
    if not isinstance(text, str) or "{{" not in text:
        return text
    if text.startswith("{{") and text.count("{{") == 1 and text.endswith("}}"):
        return expression(text[2:-2].strip(), undefined_to_none=False)(**values)
    return _text(text).render(values)


def rows(kind: list[dict[str, Any]], values: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for row in kind:
        items = values[row["for"]] if "for" in row else [None]
        for item in items:
            more = {row["as"]: item} if "for" in row else {}
            here = {**values, **more}
            if "when" not in row or expression(row["when"])(**here):
                yield {**value_of(row, here), "more": more}


def owned(role: str, case: str = "") -> Touched:
    """What the contract says that the role has on its host."""
    owns, values = read(role, "meta/owns.yml"), variables(role, case)
    found = Touched()
    for one in rows(owns.get("files", []), values):
        found.files[one["path"]] = (
            one["src"], one["owner"], one["group"], one["mode"], one["more"],
        )  # fmt: skip
    found.folders = {one["path"] for one in rows(owns.get("folders", []), values)}
    packages = list(rows(owns.get("packages", []), values))
    found.packages = {one["name"] for one in packages}
    found.holds = {one["name"]: one.get("hold", False) for one in packages}
    for one in rows(owns.get("units", []), values):
        enabled = "masked" if one.get("masked") else one.get("enabled")
        found.units[one["name"]] = (enabled, one.get("active"))
    asked = owns.get("sysctls", [])
    if isinstance(asked, dict):
        found.sysctls = {name: str(value) for name, value in values[asked["from"]].items()}
    else:
        found.sysctls = {one["name"]: str(one["value"]) for one in rows(asked, values)}
    return found
