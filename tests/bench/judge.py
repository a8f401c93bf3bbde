"""How long it takes to judge the saved state of 1,280 nodes: python -m tests.bench.judge [NODES]

The nodes of superpod-10k with profiles that ask for all that one can ask, each with the frames of a
whole first trip (stages 30 and 40: roles, kernel, RDMA, GPUs, QoS of each NIC), as files on disk.
Mostly equal: only names, addresses and MACs differ. All different: every answer of every node has
something of its own besides (serial numbers, versions of packages nobody owns, other routes, ages).
Loading the files counts; building the plan is printed apart.
"""

from __future__ import annotations

import gc
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from inventory import open_site
from inventory.plan import Node, Plan
from tests.validation import host_machine
from tests.validation.healthy import frame
from tests.validation.healthy.stage_30 import node_says
from validation.evidence import ask
from validation.evidence.store import SUFFIX, EvidenceStore, dump
from validation.host_state import ask as host_ask
from validation.ladder import ladder
from validation.manifest import ask_node, node_state
from validation.run import validate
from validation.verdict import Verdict

from .results import result

SITE, NODES = "superpod-10k", 1280
MOST_EQUAL_S, MOST_DIFFERENT_S = 30, 90
CHECKS = frozenset(
    {"state", "reboot", "units", "rail", "clock", "memlock", "software", "signal", "kernel", "nic",
     "mtu"}
)  # fmt: skip
Noise = Callable[[str, str, int], str]


def main() -> None:
    many = int(sys.argv[1]) if len(sys.argv) > 1 else NODES
    began = time.perf_counter()
    plan = whole(open_site(SITE), many)
    print(f"plan of {len(plan.nodes)} nodes: {time.perf_counter() - began:.1f} s")
    for name, noise, most in (
        ("equal", equal, MOST_EQUAL_S),
        ("different", different, MOST_DIFFERENT_S),
    ):
        took = judged(plan, many, noise)
        print(result(f"judge_{name}_s", took, "s", most))


def whole(plan: Plan, many: int) -> Plan:
    """The plan with nodes that ask for all, and have MACs."""
    nodes = [
        replace(
            made := host_machine.asking_for_all(node),
            management=replace(made.management, mac=f"02:00:00:00:{one >> 8:02x}:{one & 255:02x}"),
        )
        for one, node in enumerate([one for one in plan.nodes if one.software.gpu][:many])
    ]
    return replace(plan, nodes=tuple(nodes), undeployable=())


def judged(plan: Plan, many: int, noise: Noise) -> float:
    """Seconds to load and judge the evidence of all nodes; all must pass.

    The manifests are made anew, as a new process makes them.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, node in enumerate(plan.nodes):
            frames = (frame(plan, node.name, *one) for one in said(plan, node, number, noise))
            data = b"".join(dump(one) for one in frames)
            (folder / f"{node.name}{SUFFIX}").write_bytes(data)
        size = sum(path.stat().st_size for path in folder.iterdir())
        again = replace(plan)
        gc.collect()
        began = time.perf_counter()
        store = EvidenceStore.load(folder)
        loaded = time.perf_counter() - began
        names = frozenset(one.name for one in plan.nodes)
        others = frozenset(ladder()) - {30, 40}
        found = validate(again, 40, store, None, names, checks=CHECKS, leave_out=others)
        took = time.perf_counter() - began
    bad = [one for one in found.findings if one.verdict is not Verdict.PASS]
    if bad:
        raise SystemExit(f"{len(bad)} of {len(found.findings)} do not pass: {bad[0]}")
    print(
        f"{many} nodes, {len(store)} frames, {size / 1e6:.0f} MB: {len(found.findings)} "
        f"expectations pass; loaded in {loaded:.1f} s, judged in {took - loaded:.1f} s"
    )
    return took


def said(plan: Plan, node: Node, number: int, noise: Noise) -> Iterator[tuple[str, str]]:
    """What a node says to each line, with noise in every answer and every part of its state."""
    told = {
        name: (status, noise(name, text, number) if status == 0 else text)
        for name, (status, text) in host_machine.answers_of(plan, node).items()
    }
    yield host_ask.HOST_STATE, host_machine.sealed(told).decode()
    yield ask.LINKS, noise(ask.LINKS, told[ask.LINKS][1], number)
    for line, text in node_says(plan, node).items():
        yield line, noise(line, text, number)


def equal(_: str, text: str, __: int) -> str:
    """What nodes of one kind say alike."""
    return text


def different(line: str, text: str, number: int) -> str:
    """The same facts, and one more that only this node has."""
    if text.startswith("[{"):
        return text.replace("[{", f'[{{"of":{number},', 1)
    if text.startswith("{"):
        return text.replace("{", f'{{"of":{number},', 1)
    more = _MORE.get(line.split(" ", maxsplit=1)[0] if line.startswith("mlx") else line, "")
    return text + more.format(number)


_MORE = {
    node_state.PACKAGES: "package\town-{0}\t1.{0}\tinstall\tinstalled\n",
    node_state.FILES: "stat 644 root root 7 /etc/own-{0}|regular file\n",
    node_state.UNITS: "\nNames=own-{0}.service\nLoadState=loaded\nActiveState=active\n"
    "UnitFileState=enabled\nNeedDaemonReload=no\nFragmentPath=/lib/own-{0}.service\nDropInPaths=\n",
    "nvidia-smi -q": "    Own                                   : {0}\n",
    "lspci": "0000:ff:00.0 Own device {0}\n",
    "cat /proc/cmdline": "",
    "units": "\nId=own-{0}.service\nLoadState=loaded\nActiveState=active\nSubState=running\n"
    "UnitFileState=enabled\n",
    "mlxconfig": "        OWN_{0:<44}{0:<20}{0:<20}{0:<20}\n",
    "gids": "/sys/class/infiniband/own{0}/ports/1/gids/0:fe80:0000:0000:0000:0000:00ff:fe00:0001\n"
    "/sys/class/infiniband/own{0}/ports/1/gid_attrs/types/0:RoCE v2\n"
    "/sys/class/infiniband/own{0}/ports/1/gid_attrs/ndevs/0:own{0}\n",
    "modules": "own_{0}|loaded|1|A|1|A|/lib/own_{0}.ko\n",
    ask_node.FIRST_PROCESS: "Name:\town-{0}\n",
}


if __name__ == "__main__":
    main()
