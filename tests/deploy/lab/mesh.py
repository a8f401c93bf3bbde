"""Traffic between every pair of leaves of a lab, and what of it was lost."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from deploy.lab.machines.machine import leader
from deploy.lab.paths import LabPaths
from inventory import Plan
from inventory.plan import Node

Into = Callable[[str, str], list[str]]
_SCRIPT = Path(__file__).with_name("mesh_probe.py")
FLOWS = 16
PORT = 47911


@dataclass
class Traffic:
    """What was sent by all, and the flow of each datagram that nobody answered."""

    sent: int = 0
    lost: list[str] = field(default_factory=list)


def ends(plan: Plan) -> dict[str, list[str]]:
    """The rail addresses of one node in each pod, by node: together one below each leaf."""
    firsts: dict[int, Node] = {}
    for node in plan.nodes:
        firsts.setdefault(node.pod, node)
    return {one.name: [str(nic.address.ip) for nic in one.rails] for one in firsts.values()}


def netns(lab: str, node: str) -> list[str]:
    """Into a node of a lab of kind netns."""
    return ["ip", "netns", "exec", LabPaths(lab).netns(node)]


def machine(lab: str, node: str) -> list[str]:
    """Into the network of a booted machine."""
    return ["nsenter", "--target", str(leader(lab, node)), "--net"]


@contextmanager
def traffic(
    plan: Plan, lab: str, rate: int, payload_bytes: int = 64, into: Into = netns
) -> Iterator[Traffic]:
    """Datagrams between all leaves while the block runs, `rate` a second from each node.

    `into` begins a command line that runs in the network of a node.
    """
    told, own = Traffic(), ends(plan)
    started = [_start(into(lab, node)) for node in own]
    try:
        for one, (node, addresses) in zip(started, own.items(), strict=True):
            others = [address for name, of in own.items() if name != node for address in of]
            asked = {"own": addresses, "others": others, "flows": FLOWS}
            _say(one, json.dumps({**asked, "rate": rate, "bytes": payload_bytes}))
        for one in started:
            assert _answer(one) == "ready"
        for one in started:
            _say(one, "go")
        yield told
        for one in started:
            _say(one, "stop")
        for one in started:
            said = json.loads(_answer(one))
            told.sent += said["sent"]
            told.lost += said["lost"]
    finally:
        for one in started:
            one.kill()
            one.communicate()


def _start(inside: list[str]) -> subprocess.Popen[str]:
    argv = [*inside, sys.executable, str(_SCRIPT)]
    return subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _say(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin
    process.stdin.write(f"{line}\n")
    process.stdin.flush()


def _answer(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline().strip()
