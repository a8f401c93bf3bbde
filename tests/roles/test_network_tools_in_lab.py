"""One plan, four network tools, on booted machines by both engines: the kernel ends the same."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from typing import Any

import pytest

from deploy import lab
from deploy.context import no_journal
from deploy.lab import machine
from deploy.lab.image import Images, ensure_images
from deploy.session import Selection, open_context
from deploy.supply import prepare
from inventory import site_folder
from inventory.host_network import network_vars
from inventory.plan import AccessNic
from tests.labs import lab_name

from . import lab_engines, tools_layer
from .owned import PLAN

pytestmark = pytest.mark.lab

NAME = lab_name("netw")
SELECTION = Selection("lab", NAME)
TOOLS = ("ifupdown2", "netplan", "networkd", "networkmanager")
NODE = dict(zip(TOOLS, (one.name for one in PLAN.nodes), strict=True))
# Each engine begins on two of the nodes, and looks at the two others afterwards.
FIRST = dict(zip(TOOLS, ("ansible", "pyinfra", "ansible", "pyinfra"), strict=True))
OTHER = {"ansible": "pyinfra", "pyinfra": "ansible"}

MONITOR = "(timeout 900 ip -o monitor link address route rule >/run/events 2>&1 &) ; sleep 0.3"
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


def apply(
    values: dict[str, Any], engines: dict[str, str], check: bool = False
) -> dict[str, tuple[str, str]]:
    """Every node by its engine, the role roce_nic alone; by tool, the engine and what it said."""

    def one(tool: str) -> str:
        data = {**values, "roce_nic_network_tool": tool}
        return lab_engines.run(SELECTION, engines[tool], NODE[tool], check, ("roce_nic",), data)

    with ThreadPoolExecutor() as pool:
        return {
            tool: (engines[tool], said)
            for tool, said in zip(TOOLS, pool.map(one, TOOLS), strict=True)
        }


def inside(device: str, script: str) -> str:
    done = machine.inside(NAME, device, ["sh", "-c", script], timeout_s=120)
    assert done.returncode == 0, done.stderr.decode() + done.stdout.decode()
    return done.stdout.decode()


def kernel(device: str) -> dict[str, list[str]]:
    """Addresses, MTU, routes and rules of the data ports, in one form whoever set them."""
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


def moved(device: str, port: str) -> list[str]:
    """What was taken from a port, or happened to its link; systemd-networkd says again what is."""
    events = inside(device, "cat /run/events").replace("\0", "").splitlines()
    return [
        line
        for line in events
        if port in line and (line.startswith("Deleted") or f": {port}@" in line)
    ]


def rules_of(device: str) -> list[dict[str, Any]]:
    return list(json.loads(inside(device, RULES)))


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A lab whose nodes have every tool, each its own one unmasked; nothing is configured."""
    folder = tmp_path_factory.mktemp("tools")
    upper = tools_layer.build(folder, ensure_images(print))
    plain = Images.lower

    def lower(images: Images, layer: str) -> str:
        return f"{upper}:{plain(images, layer)}" if layer == "node" else plain(images, layer)

    lab.down(NAME)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Images, "lower", lower)
        lab.up(site_folder("lab"), NAME, say=print)
    try:
        prepare(SELECTION, print)
        open_context(SELECTION, print, no_journal)
        lab_engines.run(SELECTION, "pyinfra", PLAN.oob.name)
        for tool, unit in {"ifupdown2": "networking", "networkmanager": "NetworkManager"}.items():
            inside(NODE[tool], f"systemctl unmask -q {unit}; systemctl daemon-reload")
        for tool in ("ifupdown2", "networkmanager"):
            inside(NODE[tool], "systemctl mask -q systemd-networkd systemd-networkd.socket")
        yield
    finally:
        lab.down(NAME)


@pytest.fixture(scope="module")
def first(ready: None) -> dict[str, tuple[str, str]]:
    for device in NODE.values():
        inside(device, MONITOR)
    return apply(given(), FIRST)


@pytest.fixture(scope="module")
def converged(first: dict[str, tuple[str, str]]) -> dict[str, dict[str, list[str]]]:
    return {tool: kernel(NODE[tool]) for tool in TOOLS}


WANTED = {
    "addresses": ["rail0 9000 10.16.0.1/31", "rail1 4200 10.32.64.1/31"],
    "rules": [
        "0 all local", "1000 10.16.0.1 100", "2010 10.32.64.1 201",
        "32766 all main", "32767 all default",
    ],
}  # fmt: skip
UNICAST = [
    "dst=10.16.0.0/17 gateway=10.16.0.0 dev=rail0",
    "dst=10.32.0.0/17 gateway=10.32.64.0 dev=rail1 metric=2010",
    "dst=10.32.64.0/18 gateway=10.32.64.0 dev=rail1",
    "table=100 dst=10.16.0.0/16 gateway=10.16.0.0 dev=rail0",
    "table=201 dst=10.32.0.0/17 gateway=10.32.64.0 dev=rail1",
]


def test_the_kernel_ends_the_same_by_all_four_tools_and_as_planned(converged):
    """`ip -j` of addresses, rules and routes: the plan's, by whichever tool."""
    for tool in TOOLS:
        assert converged[tool] == converged["networkd"], tool
    found = converged["networkd"]
    assert {key: found[key] for key in WANTED} == {key: sorted(WANTED[key]) for key in WANTED}
    assert [one for one in found["routes"] if "gateway" in one] == sorted(UNICAST)


def test_the_management_port_was_never_touched(converged):
    for tool in TOOLS:
        assert moved(NODE[tool], "rail0") != []
        assert moved(NODE[tool], "eth0") == [], tool


def test_either_engine_then_finds_nothing(converged):
    for engines in (FIRST, {tool: OTHER[FIRST[tool]] for tool in TOOLS}):
        for engine, said in apply(given(), engines).values():
            lab_engines.assert_nothing_changed(engine, said)
    assert {tool: kernel(NODE[tool]) for tool in TOOLS} == converged


# NetworkManager gives a link some seconds to come back: a port that is not ours shows when it
# no longer does.
CONTROL = """
ip link add ctl0 type veth peer name ctl1
ip link set ctl1 up
nmcli -w 30 connection add type ethernet ifname ctl0 con-name ctl0 \\
    ipv4.method manual ipv4.addresses 192.0.2.1/24 ipv6.method disabled
nmcli -w 30 connection up ctl0
"""
CONTROLLED = "ip -4 -br address show dev ctl0"
CONTROL_AWAY = "nmcli -w 30 connection delete ctl0; ip link delete ctl0"


def test_an_address_stays_while_its_link_is_down(converged):
    """It is the NIC's RoCE GID (networkd: IgnoreCarrierLoss, NetworkManager: ignore-carrier)."""
    rails = {tool: PLAN.node[NODE[tool]].rails[0] for tool in TOOLS}
    managed = NODE["networkmanager"]
    inside(managed, CONTROL)
    assert "192.0.2.1" in inside(managed, CONTROLLED)
    for tool in TOOLS:
        leaf = rails[tool].leaf
        inside(leaf.device, f"ip link set {leaf.port} down")
    inside(managed, "ip link set ctl1 down")
    give_up = time.monotonic() + 120
    while "192.0.2.1" in inside(managed, CONTROLLED):
        assert time.monotonic() < give_up, "NetworkManager takes no address for a lost link"
        time.sleep(0.2)
    inside(managed, CONTROL_AWAY)
    lost = {tool: inside(NODE[tool], "cat /sys/class/net/rail0/carrier").strip() for tool in TOOLS}
    found = {tool: kernel(NODE[tool]) for tool in TOOLS}
    for tool in TOOLS:
        leaf = rails[tool].leaf
        inside(leaf.device, f"ip link set {leaf.port} up")
    assert lost == dict.fromkeys(TOOLS, "0")
    assert found == converged


HURT = (
    "ip rule del priority 1000; ip route del 10.16.0.0/16 table 100; ip link set rail1 mtu 1500; "
    "ip address add 10.9.9.9/24 dev rail1"
)


def test_what_was_done_by_hand_is_taken_back_by_either_engine(converged):
    for tool in TOOLS:
        inside(NODE[tool], HURT)
        done = machine.inside(NAME, NODE[tool], ["railbed-network", "check"], timeout_s=60)
        assert done.returncode == 1
        told = sorted(line.split(": ", 2)[1:] for line in done.stderr.decode().splitlines())
        assert [port for port, _ in told] == ["rail0", "rail0", "rail1", "rail1"]
    apply(given(), FIRST)
    assert {tool: kernel(NODE[tool]) for tool in TOOLS} == converged


def test_a_change_of_one_nic_touches_no_other(converged):
    """Its old address, rule and routes go; neither the other NIC nor the management port moves."""
    other = given("10.32.64.3", 4300)
    for device in NODE.values():
        inside(device, ": >/run/events")
    apply(other, FIRST)
    found = {tool: kernel(NODE[tool]) for tool in TOOLS}
    for tool in TOOLS:
        assert moved(NODE[tool], "rail1") != [], tool
        assert [moved(NODE[tool], port) for port in ("rail0", "eth0")] == [[], []], tool
        assert found[tool] == found["networkd"], tool
    text = json.dumps(found["networkd"])
    assert "rail1 4300 10.32.64.3/31" in text
    assert "10.32.64.1" not in text
    apply(given(), FIRST)
    assert {tool: kernel(NODE[tool]) for tool in TOOLS} == converged


def test_all_is_there_again_after_a_reboot(converged):
    for device in NODE.values():
        lab.restart(NAME, device)
    for tool in TOOLS:
        unit = "systemctl is-active railbed-network.service || journalctl -o cat -u railbed-network"
        deadline = time.monotonic() + 60
        while (said := inside(NODE[tool], unit).strip()) != "active":
            assert time.monotonic() < deadline, f"{tool}: {said}"
            time.sleep(1)
        assert kernel(NODE[tool]) == converged[tool], tool
