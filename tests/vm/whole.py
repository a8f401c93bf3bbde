"""Whether a node is what its plan says, by what its kernel runs; files are the manifest's."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from ipaddress import IPv4Interface

from deploy.servers.drift import DeviceDrift
from inventory.plan import AccessNic, Node, RailNic
from validation.manifest.differences import Drift, Unknown

from .blows import MARKS, RAILS
from .node import NODE, RINGS, VmNode

CM_MODE = "RoCE v2"
_FAILED = "systemctl list-units --failed --plain --no-legend"


def differences(node: VmNode, roles: str = "") -> list[str]:
    """Everything that is not as planned; empty where all is. Of the manifest, only these roles'."""
    return [*_by_kernel(node), *by_manifest(node.drift(), roles)]


def assert_whole(node: VmNode, roles: str = "", limit_s: float = 1200) -> DeviceDrift:
    """Wait for what udev and systemd start; what the manifest then finds.

    AssertionError says what does not come back. The manifest, which asks for most, is read once
    the kernel has all. The limit is for an emulated processor beside a load of 15: alone it takes
    less than a minute.
    """
    give_up = time.monotonic() + limit_s
    while True:
        if not (left := list(_by_kernel(node))):
            found = node.drift()
            if not (left := by_manifest(found, roles)):
                return found
        assert time.monotonic() < give_up, "\n".join(left)
        time.sleep(1)


def by_manifest(found: DeviceDrift, roles: str = "") -> list[str]:
    """What its manifest says of the node, of these roles."""
    odd: list[Drift | Unknown] = [*found.found.drifts, *found.found.unknowns]
    return [f"drift: {one}" for one in odd if not roles or one.role in roles.split(",")]


def _by_kernel(node: VmNode) -> Iterator[str]:
    """What the kernel, systemd and the node's own program say."""
    plan = node.context.plan
    for one in node.machine.out(_FAILED).splitlines():
        unit = one.split()[0]
        why = node.machine.out(f"journalctl --boot --no-pager --output=cat --lines=20 -u {unit}")
        yield f"failed: {one}\n{why}"
    yield from _marks(node, plan.lossless.tos)
    yield from _addresses(node, plan.node[NODE])
    yield from _memory(node, plan.node[NODE])
    yield from _rings(node)
    yield from _by_roles(node)


def _marks(node: VmNode, tos: int) -> Iterator[str]:
    wanted = {
        MARKS.format(rail=rail, what=what): value
        for rail in RAILS
        for what, value in (("tos", str(tos)), ("mode", CM_MODE))
    }
    said = node.machine.run(f"grep -s . /dev/null {' '.join(wanted)}", check=False).out
    found = dict(line.split(":", 1) for line in said.splitlines())
    for path, value in wanted.items():
        if found.get(path) != value:
            yield f"{path} is {found.get(path)}, not {value}"


def _addresses(node: VmNode, planned: Node) -> Iterator[str]:
    """Each interface of a data plane is up with its address and MTU."""
    wanted: dict[str, tuple[IPv4Interface | None, int]] = {}
    nics: tuple[RailNic | AccessNic, ...] = (*planned.rails, *planned.nics)
    for one in nics:
        wanted[one.port] = (one.address, one.ip_mtu_bytes)
    for vlan in planned.vlans:
        name = f"{vlan.interface}.{vlan.vlan}" if vlan.tagged else vlan.interface
        wanted[name] = (vlan.address, vlan.ip_mtu_bytes)
    told = json.loads(node.machine.out("ip -json address"))
    found = {one["ifname"]: one for one in told if one}
    for name, (address, mtu_bytes) in wanted.items():
        if name not in found:
            yield f"{name} is not there"
            continue
        has = {f"{one['local']}/{one['prefixlen']}" for one in found[name]["addr_info"]}
        if address is not None and str(address) not in has:
            yield f"{name} has {sorted(has)}, not {address}"
        if found[name]["mtu"] != mtu_bytes or "UP" not in found[name]["flags"]:
            yield f"{name} is {found[name]['flags']} with MTU {found[name]['mtu']}, not {mtu_bytes}"


def _memory(node: VmNode, planned: Node) -> Iterator[str]:
    """Pages of each NUMA node, and transparent ones."""
    for one in planned.tuning.hugepages:
        path = f"/sys/devices/system/node/node*/hugepages/hugepages-{one.size_kib}kB/nr_hugepages"
        found = tuple(map(int, node.machine.out(f"cat {path}").split()))
        if found != one.per_numa:
            yield f"pages of {one.size_kib} KiB are {found}, not {one.per_numa}"
    thp = node.machine.out("cat /sys/kernel/mm/transparent_hugepage/enabled")
    if f"[{planned.tuning.thp}]" not in thp:
        yield f"transparent huge pages: {thp}"


def _rings(node: VmNode) -> Iterator[str]:
    for rail in RAILS:
        said = node.machine.run(f"ethtool -g {rail}", check=False).out
        now = said.partition("Current hardware settings")[2]
        found = re.findall(r"^[RT]X:\s+(\d+)$", now, re.MULTILINE)
        if found != [str(RINGS)] * 2:
            yield f"rings of {rail} are {found}, not {RINGS}"


def _by_roles(node: VmNode) -> list[str]:
    """What the node's own program finds."""
    return node.machine.run("railbed-roce-nic check", check=False).err.splitlines()
