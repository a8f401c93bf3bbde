"""What becomes of marked packets in a running lab: sent, seen at switches, judged by their classes.

Three programs that share nothing with ours: `sender.py` on each node marks as the node's NIC
says now; `witness.py` on each switch writes down what comes; and the stand-in `tc` there says
when which DSCP had which priority. Here both are laid side by side.
"""

from __future__ import annotations

import bisect
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from deploy.lab.machines.machine import leader
from inventory.plan import Plan
from tests.deploy.lab.mesh import machine

_HERE = Path(__file__).parent
TC = _HERE / "tc.py"
"""What stands for tc(8) on a switch, with the start of a program."""
RATES = {"data": 60, "cnp": 15, "rest": 30}
_TC_LOG = "run/standin-tc/log"
# What a node's NIC marks with, as the role has set it: RDMA-CM's TOS, and the DSCP of CNPs.
_TOS = "sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos"
_CNP = "sys/class/net/rail0/ecn/roce_np/cnp_dscp"


@dataclass
class Wire:
    """What was sent and heard by kind, and what switches took: by kind, DSCP and right or wrong.

    `unseen` are packets that the kernel could not keep for a witness.
    """

    sent: Counter[str] = field(default_factory=Counter)
    heard: Counter[str] = field(default_factory=Counter)
    hops: Counter[tuple[str, int]] = field(default_factory=Counter)
    wrong: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    unseen: int = 0

    def lines(self) -> Iterator[str]:
        """For people."""
        lost = {kind: count - self.heard[kind] for kind, count in sorted(self.sent.items())}
        yield f"sent {dict(sorted(self.sent.items()))}, lost {lost}"
        yield f"seen at switches, by kind and DSCP: {dict(sorted(self.hops.items()))}"
        yield f"unmarked or in the wrong class: {sum(self.wrong.values())} {dict(self.wrong)}"


def place(lab: str, device: str, path: str) -> Path:
    """A file of a machine, from outside."""
    return Path(f"/proc/{leader(lab, device)}/root/{path}")


@contextmanager
def watched(plan: Plan, lab: str, folder: Path, priorities: Mapping[str, int]) -> Iterator[Wire]:
    """Traffic of all kinds between all nodes while the block runs; then what became of it.

    `priorities` says which priority each kind must have in a switch.
    """
    wire = Wire()
    with ExitStack() as stack:
        witnesses = {
            switch: stack.enter_context(_started(lab, switch, "witness.py", folder / switch))
            for switch in plan.switch
        }
        for one in witnesses.values():
            assert _answer(one) == "ready"
        senders = {
            node.name: stack.enter_context(_started(lab, node.name, "sender.py"))
            for node in plan.nodes
        }
        own = {node.name: [str(nic.address.ip) for nic in node.rails] for node in plan.nodes}
        for name, one in senders.items():
            others = [address for node, of in own.items() if node != name for address in of]
            files = {"tos": place(lab, name, _TOS), "cnp_dscp": place(lab, name, _CNP)}
            asked = {"own": own[name], "others": others, "rates": RATES}
            _say(one, json.dumps({**asked, **{key: str(path) for key, path in files.items()}}))
        for one in senders.values():
            assert _answer(one) == "ready"
        for one in senders.values():
            _say(one, "go")
        yield wire
        for one in senders.values():
            _say(one, "stop")
        for one in senders.values():
            said = json.loads(_answer(one))
            wire.sent.update(said["sent"])
            wire.heard.update(said["heard"])
        for one in witnesses.values():
            _say(one, "stop")
            wire.unseen += int(_answer(one))
    for switch in witnesses:
        classes = place(lab, switch, _TC_LOG).read_text()
        judge(wire, switch, (folder / switch).read_text(), classes, priorities)


def judge(wire: Wire, switch: str, seen: str, classes: str, priorities: Mapping[str, int]) -> None:
    """Count what a switch took, by the classes that its port had at that moment."""
    times: dict[str, list[int]] = {}
    sorts: dict[str, list[dict[str, int]]] = {}
    for line in classes.splitlines():
        at, port, sort = json.loads(line)
        times.setdefault(port, []).append(at)
        sorts.setdefault(port, []).append(sort)
    for line in seen.splitlines():
        when, port, dscp, kind = line.split()
        number = bisect.bisect_right(times.get(port, []), int(when)) - 1
        has = sorts[port][number].get(dscp, 0) if number >= 0 else 0
        wire.hops[kind, int(dscp)] += 1
        if has != priorities[kind]:
            wire.wrong[switch, kind, int(dscp)] += 1


@contextmanager
def _started(lab: str, device: str, program: str, *words: Path) -> Iterator[subprocess.Popen[str]]:
    argv = [*machine(lab, device), sys.executable, str(_HERE / program), *map(str, words)]
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def _say(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin
    process.stdin.write(f"{line}\n")
    process.stdin.flush()


def _answer(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline().strip()
