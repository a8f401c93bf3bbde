"""Four nodes of a lab, each with a network tool of its own, and what their kernels show."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from typing import Any, TypeVar

from deploy.lab.machines import machine
from deploy.session import Selection
from inventory.nodes.host_network import network_vars
from inventory.plan import AccessNic
from tests.labs import lab_name

from . import lab_engines
from .owned import PLAN

T = TypeVar("T")
BASE = "netw"
NAME = lab_name(BASE)
SELECTION = Selection("lab", NAME)
TOOLS = ("ifupdown2", "netplan", "networkd", "networkmanager")
NODE = dict(zip(TOOLS, (one.name for one in PLAN.nodes), strict=True))
# Each engine begins on two of the nodes, and changes the two others afterwards.
FIRST = dict(zip(TOOLS, ("ansible", "pyinfra", "ansible", "pyinfra"), strict=True))
OTHER = {"ansible": "pyinfra", "pyinfra": "ansible"}
SECOND = {tool: OTHER[engine] for tool, engine in FIRST.items()}
Kernel = dict[str, list[str]]

# Of a kernel, what a plan decides: who wrote it, and when, is left out.
ADDRESSES = "ip -j address show"
ROUTES = "ip -j -4 route show table all"
RULES = "ip -j -4 rule show"


def given(ip: str = "10.32.64.1", mtu: int = 4200) -> dict[str, Any]:
    """The same for all four: a rail, and a storage NIC with a table of its own."""
    node = PLAN.nodes[0]
    rail, other = node.rails
    gateway = IPv4Address(ip) - 1
    storage = AccessNic(
        plane="storage",
        port=other.port,
        rdma_device=None,
        pci=None,
        numa=None,
        mac=None,
        leaf=other.leaf,
        cable_m=3.0,
        ip_mtu_bytes=mtu,
        rate_gbps=1.0,
        address=IPv4Interface(f"{ip}/31"),
        gateway=gateway,
        prefix=IPv4Network("10.32.0.0/17"),
        nic_prefix=IPv4Network("10.32.64.0/18"),
        table=201,
        rule_priority=2010,
        bond=None,
    )
    made = network_vars(replace(node, rails=(rail,), nics=(storage,)))
    return {name: made[name] for name in ("roce_nic_interfaces", "roce_nic_sysctls")}


def apply(values: dict[str, Any], engines: dict[str, str]) -> dict[str, tuple[str, str]]:
    """The nodes of these tools, each by its engine, the role roce_nic alone.

    By tool, the engine and what it said.
    """

    def one(tool: str) -> tuple[str, str]:
        engine, data = engines[tool], {**values, "roce_nic_network_tool": tool}
        said = lab_engines.run(SELECTION, engine, NODE[tool], roles=("roce_nic",), values=data)
        return engine, said

    return on_all(one, engines)


def on_all(ask: Callable[[str], T], tools: Iterable[str]) -> dict[str, T]:
    """What is said for each of these tools; all are asked at once."""
    asked = tuple(tools)
    with ThreadPoolExecutor() as pool:
        return dict(zip(asked, pool.map(ask, asked), strict=True))


def inside(device: str, script: str) -> str:
    done = machine.inside(NAME, device, ["sh", "-c", script], timeout_s=120)
    assert done.returncode == 0, done.stderr.decode() + done.stdout.decode()
    return done.stdout.decode()


def kernel(tool: str) -> Kernel:
    """Addresses, MTU, routes and rules of a node's data ports, in one form whoever set them."""
    device = NODE[tool]
    addresses = [
        f"{link['ifname']} {link['mtu']} {one['local']}/{one['prefixlen']}"
        for link in json.loads(inside(device, ADDRESSES))
        if link["ifname"].startswith("rail")
        for one in link["addr_info"]
    ]
    routes = [
        " ".join(f"{key}={one[key]}" for key in ROUTE if key in one)
        for one in json.loads(inside(device, ROUTES))
        if one.get("dev", "").startswith("rail")
    ]
    rules = [f"{one['priority']} {one['src']} {one['table']}" for one in rules_of(device)]
    return {"addresses": sorted(addresses), "routes": sorted(routes), "rules": sorted(rules)}


ROUTE = ("type", "table", "dst", "gateway", "dev", "metric", "scope")


def moved(tool: str) -> dict[str, list[str]]:
    """By port, what was taken from it, or happened to its link, since the last time.

    What is only said again, as systemd-networkd does, is none of it.
    """
    events = inside(NODE[tool], "cat /run/events; : >/run/events").replace("\0", "").splitlines()
    return {
        port: [
            line
            for line in events
            if port in line and (line.startswith("Deleted") or f": {port}@" in line)
        ]
        for port in ("eth0", "rail0", "rail1")
    }


def rules_of(device: str) -> list[dict[str, Any]]:
    return list(json.loads(inside(device, RULES)))
