"""One plan, four network tools, on booted machines by both engines: the kernel ends the same.

A run draws a tool that Ansible begins with and one that pyinfra does; `--full` tries all four.
The nodes are brought to a first plan and then to the one that is meant, once; what their kernels
showed meanwhile is noted. Each test begins with nodes that show the end of it, or are brought
there again, whatever ran before it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from deploy import lab
from deploy.context import no_journal
from deploy.lab.machines import machine
from deploy.lab.machines.image import Images, ensure_images
from deploy.session import open_context
from tests.labs import OOB, kept_lab, started
from tests.plugins.seed import drawn

from . import lab_engines, tools_layer
from .owned import PLAN
from .tool_nodes import (
    BASE,
    FIRST,
    NAME,
    NODE,
    OTHER,
    SECOND,
    TOOLS,
    Kernel,
    apply,
    given,
    inside,
    kernel,
    moved,
    on_all,
)

pytestmark = [
    pytest.mark.lab,
    pytest.mark.instances(keep=1, files_of="roles by both engines, on machines"),
]

MONITOR = "(timeout 900 ip -o monitor link address route rule >/run/events 2>&1 &) ; sleep 0.3"


@dataclass(frozen=True)
class Brought:
    """By tool, what the kernel showed after each of two plans, and which ports moved till then."""

    first: dict[str, Kernel]
    moved_first: dict[str, dict[str, list[str]]]
    second: dict[str, Kernel]
    moved_second: dict[str, dict[str, list[str]]]


@pytest.fixture(scope="module")
def ready() -> Iterator[None]:
    """A lab whose nodes have every tool, each its own one unmasked; nothing is configured."""
    # Made before the nodes' image is another one: others start from it too.
    leased = kept_lab("lab", only=OOB)
    upper, plain = tools_layer.ensure(ensure_images(print)), Images.lower

    def lower(images: Images, layer: str) -> str:
        return f"{upper}:{plain(images, layer)}" if layer == "node" else plain(images, layer)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Images, "lower", lower)
        with started(BASE, leased) as selection:
            open_context(selection, print, no_journal)
            for tool, unit in {
                "ifupdown2": "networking",
                "networkmanager": "NetworkManager",
            }.items():
                inside(NODE[tool], f"systemctl unmask -q {unit}; systemctl daemon-reload")
                inside(NODE[tool], "systemctl mask -q systemd-networkd systemd-networkd.socket")
            yield


@pytest.fixture(scope="module")
def tools(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """Two drawn by the seed, one for each engine to begin with; all in `--full`."""
    if request.config.getoption("--full"):
        return TOOLS
    rng = drawn(request.config.option.seed, __name__)
    return tuple(rng.choice([one for one in TOOLS if FIRST[one] == engine]) for engine in OTHER)


@pytest.fixture(scope="module")
def brought(ready: None, tools: tuple[str, ...]) -> Brought:
    """The first plan by one engine, and the second, of which one NIC is another, by the other."""
    for tool in tools:
        inside(NODE[tool], MONITOR)
    apply(given("10.32.64.3", 4300), {tool: FIRST[tool] for tool in tools})
    first, moved_first = on_all(kernel, tools), on_all(moved, tools)
    apply(given(), {tool: SECOND[tool] for tool in tools})
    return Brought(first, moved_first, on_all(kernel, tools), on_all(moved, tools))


@pytest.fixture
def converged(brought: Brought) -> dict[str, Kernel]:
    """The nodes show the end of the second plan, also where an earlier test left them otherwise."""
    tools = tuple(brought.second)
    if on_all(kernel, tools) != brought.second:
        apply(given(), {tool: SECOND[tool] for tool in tools})
    assert on_all(kernel, tools) == brought.second
    return brought.second


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


def test_the_kernel_ends_the_same_by_each_tool_and_as_planned(brought, tools):
    """`ip -j` of addresses, rules and routes: the plan's, by whichever tool."""
    found, *others = (brought.second[tool] for tool in tools)
    assert [one == found for one in others] == [True] * (len(tools) - 1), brought.second
    assert {key: found[key] for key in WANTED} == {key: sorted(WANTED[key]) for key in WANTED}
    assert [one for one in found["routes"] if "gateway" in one] == sorted(UNICAST)


def test_the_management_port_was_never_touched(brought, tools):
    for tool in tools:
        assert brought.moved_first[tool]["rail0"] != [], tool
        assert brought.moved_first[tool]["eth0"] == [], tool


def test_either_engine_then_finds_nothing(converged, tools, rng, is_full):
    """Each engine, after itself or after the other; in `--full` both, whatever the tool."""
    as_first = rng.random() < 0.5
    looks = {tool: (FIRST if as_first else SECOND)[tool] for tool in tools}
    others = {tool: OTHER[engine] for tool, engine in looks.items()}
    for engines in (looks, others) if is_full else (looks,):
        for engine, said in apply(given(), engines).values():
            lab_engines.assert_nothing_changed(engine, said)
    assert on_all(kernel, tools) == converged


# NetworkManager gives a link some seconds to come back: a port that is not ours shows when it
# no longer does. It does not run yet where its tool was not drawn, and nothing else starts it.
CONTROL = """
systemctl start NetworkManager
ip link add ctl0 type veth peer name ctl1
ip link set ctl1 up
nmcli -w 30 connection add type ethernet ifname ctl0 con-name ctl0 \\
    ipv4.method manual ipv4.addresses 192.0.2.1/24 ipv6.method disabled
nmcli -w 30 connection up ctl0
"""
CONTROLLED = "ip -4 -br address show dev ctl0"
CONTROL_AWAY = "nmcli -w 30 connection delete ctl0; ip link delete ctl0"


def test_an_address_stays_while_its_link_is_down(converged, tools):
    """It is the NIC's RoCE GID (networkd: IgnoreCarrierLoss, NetworkManager: ignore-carrier)."""
    leaves = {tool: PLAN.node[NODE[tool]].rails[0].leaf for tool in tools}
    managed = NODE["networkmanager"]
    inside(managed, CONTROL)
    try:
        assert "192.0.2.1" in inside(managed, CONTROLLED)
        for leaf in leaves.values():
            inside(leaf.device, f"ip link set {leaf.port} down")
        inside(managed, "ip link set ctl1 down")
        give_up = time.monotonic() + 120
        while "192.0.2.1" in inside(managed, CONTROLLED):
            assert time.monotonic() < give_up, "NetworkManager takes no address for a lost link"
            time.sleep(0.2)
        carrier = "cat /sys/class/net/rail0/carrier"
        lost = on_all(lambda tool: inside(NODE[tool], carrier).strip(), tools)
        found = on_all(kernel, tools)
    finally:
        for leaf in leaves.values():
            inside(leaf.device, f"ip link set {leaf.port} up")
        inside(managed, CONTROL_AWAY)
    assert lost == dict.fromkeys(tools, "0")
    assert found == converged


HURT = (
    "ip rule del priority 1000; ip route del 10.16.0.0/16 table 100; ip link set rail1 mtu 1500; "
    "ip address add 10.9.9.9/24 dev rail1"
)


def test_what_was_done_by_hand_is_taken_back_by_either_engine(converged, tools):
    def hurt(tool: str) -> list[list[str]]:
        """Each difference that the program then tells: port and words."""
        inside(NODE[tool], HURT)
        done = machine.inside(NAME, NODE[tool], ["railbed-network", "check"], timeout_s=60)
        assert done.returncode == 1, tool
        return sorted(line.split(": ", 2)[1:] for line in done.stderr.decode().splitlines())

    for tool, told in on_all(hurt, tools).items():
        assert [port for port, _ in told] == ["rail0", "rail0", "rail1", "rail1"], tool
    apply(given(), {tool: FIRST[tool] for tool in tools})
    assert on_all(kernel, tools) == converged


# The NIC that changes: address, gateway and MTU before, and afterwards.
CHANGED = {"10.32.64.3": "10.32.64.1", "10.32.64.2": "10.32.64.0", "rail1 4300": "rail1 4200"}


def test_a_change_of_one_nic_touches_no_other(brought, tools):
    """Its old address, rule and routes go; neither the other NIC nor the management port moves."""
    for tool in tools:
        assert brought.moved_second[tool]["rail1"] != [], tool
        assert [brought.moved_second[tool][port] for port in ("rail0", "eth0")] == [[], []], tool
    for tool, found in brought.first.items():
        text = json.dumps(found)
        for old, new in CHANGED.items():
            assert old in text, (tool, old)
            text = text.replace(old, new)
        assert {key: sorted(lines) for key, lines in json.loads(text).items()} == (
            brought.second[tool]
        ), tool


def test_all_is_there_again_after_a_reboot(converged, tools):
    for tool in tools:
        lab.restart(NAME, NODE[tool])
    for tool in tools:
        unit = "systemctl is-active railbed-network.service || journalctl -o cat -u railbed-network"
        deadline = time.monotonic() + 60
        while (said := inside(NODE[tool], unit).strip()) != "active":
            assert time.monotonic() < deadline, f"{tool}: {said}"
            time.sleep(1)
        assert kernel(tool) == converged[tool], tool
