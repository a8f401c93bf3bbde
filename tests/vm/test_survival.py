"""A node on a kernel of its own: what is set there survives what happens to servers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from .blows import BLOWS, BY_HAND, ByHand
from .machine import Machine
from .node import OTHER, VmNode, vm_node
from .whole import assert_whole, differences

pytestmark = [pytest.mark.lab, pytest.mark.full]

SIGNALS = "ls /run/railbed/reboot-required.d 2>/dev/null || true"


@dataclass(frozen=True)
class Applied:
    """A node after its roles' first run, and before any reboot."""

    node: VmNode
    engine: str
    booted_as: str
    signals: str
    notes: tuple[str, ...]


# Each way to boot, and each engine.
@pytest.fixture(scope="module", params=[("file", "pyinfra"), ("grub", "ansible")], ids="-".join)
def applied(request: pytest.FixtureRequest) -> Iterator[Applied]:
    boot, engine = request.param
    with vm_node(boot) as node:
        before = node.machine.boot_id()
        node.apply(engine)
        notes = tuple(one.says for one in node.drift().found.notes)
        yield Applied(node, engine, before, node.machine.out(SIGNALS), notes)


@pytest.fixture(scope="module")
def rebooted(applied: Applied) -> Applied:
    """The reboot that an administrator gives it, when nothing rebooted it before."""
    assert applied.node.machine.boot_id() == applied.booted_as, "a role has rebooted the node"
    applied.node.machine.reboot()
    return applied


@pytest.fixture
def node(rebooted: Applied) -> VmNode:
    """As planned at the begin of each test."""
    assert_whole(rebooted.node)
    return rebooted.node


def test_arguments_are_staged_and_nobody_reboots(applied):
    """Wanted and staged are not running: a signal says so, and the manifest's comparison."""
    assert "kernel_tuning" in applied.signals.split()
    assert any("reboot is required" in one for one in applied.notes)


def test_the_reboot_that_was_asked_for_takes_the_arguments(rebooted):
    """What the kernel was started with is what the plan wants, and the signal is gone."""
    node, machine = rebooted.node, rebooted.node.machine
    assert_whole(node)
    assert machine.out(SIGNALS) == ""
    wanted = node.values("kernel_tuning")["kernel_tuning_arguments"]
    assert " ".join(wanted) in machine.out("cat /proc/cmdline")
    assert node.drift().found.notes == ()
    if machine.form.boot == "grub":
        assert "BOOT_IMAGE=" in machine.out("cat /proc/cmdline")


def test_an_engine_finds_nothing_to_do(node, rebooted):
    """After the reboot, by the engine that did it and by the other."""
    node.assert_unchanged(rebooted.engine)
    node.assert_unchanged(OTHER[rebooted.engine])


@pytest.mark.parametrize("blow", BLOWS, ids=lambda one: one.__name__)
def test_all_comes_back(node: VmNode, blow: Callable[[Machine], None]):
    """Settings of kernel, NICs and RDMA devices, addresses, routes, bond and VLANs."""
    blow(node.machine)
    assert_whole(node)


@pytest.mark.parametrize("change", BY_HAND, ids=lambda one: one.name)
def test_a_change_by_hand_is_found_and_mended(node: VmNode, change: ByHand):
    """In the kernel alone, past all files."""
    node.machine.run(change.script)
    assert differences(node)
    node.machine.run(f"systemctl restart {change.unit}")
    assert differences(node) == []


def test_a_bond_and_its_vlans_are_the_kernels(node):
    """LACP, both NICs in it, and the tagged VLAN above it."""
    said = node.machine.out("cat /proc/net/bonding/bond-biz; ip -d link show bond-biz.301")
    assert "Bonding Mode: IEEE 802.3ad" in said
    assert said.count("MII Status: up") >= 3
    assert "vlan protocol 802.1Q id 301" in said
