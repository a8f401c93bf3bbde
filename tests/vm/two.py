"""Two nodes of a small site, one cable between them: real soft-RoCE for the stages that load.

The cable stands for the leaf that the plan has between the rails: each node has its planned
address, and a route to the other's. Each sends at the planned rate by a shaper (tc-tbf(8)), far
below what these processors carry, so that a share of the rate means something.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from deploy.context import Context, no_journal
from deploy.loads.loading import Loading, runner
from deploy.transport.ssh_run import SshTransport
from inventory.plan import Plan
from validation.evidence.store import EvidenceStore
from validation.run import validate
from validation.verdict import Finding

from .image import ensure_image
from .machine import Form, Machine, Port
from .two_plan import CONFIGURED, NODES, RAIL, RATE_GBPS, RXE, two_node_plan

_WIRE = "stream,addr.type=unix,addr.path={path},server={server}"
# Room for all that soft-RoCE has in flight (64 packets a queue pair), so that nothing is dropped.
_SHAPE = "tc qdisc replace dev {rail} root tbf rate {rate}mbit burst 32kb limit 4mb"


@dataclass(frozen=True)
class TwoNodes:
    """The machines by node, their plan, and the way to them."""

    plan: Plan
    machines: dict[str, Machine]
    transport: SshTransport
    folder: Path

    def stage_50(self, run: str) -> dict[str, Finding]:
        """What stage 50 finds, by expectation: rounds, gathering and judging as `validate` does.

        The evidence lies below `folder`, under the name of the run.
        """
        store = EvidenceStore(self.folder / run)
        context = Context(
            self.plan, "two", self.folder, self.transport.config_path, Path(), print, no_journal
        )
        runner(50)(Loading(context, self.transport, store, CONFIGURED))
        found = validate(self.plan, 50, store, None, CONFIGURED).findings
        return {one.expectation: one for one in found if one.stage == 50}

    def shape(self, gbps: float = RATE_GBPS) -> None:
        """Let both rails send at this rate."""
        for one in self.machines.values():
            one.run(_SHAPE.format(rail=RAIL, rate=f"{gbps * 1000:g}"))

    def kernel(self, node: str, run: str) -> Finding:
        """What stage 30 finds of a node's kernel, asked over SSH now."""
        store = EvidenceStore(self.folder / run)
        asked = frozenset({"kernel"})
        (found,) = validate(
            self.plan, 30, store, self.transport, frozenset({node}), checks=asked
        ).findings
        return found


@contextmanager
def two_nodes() -> Iterator[TwoNodes]:
    """Both machines, booted, cabled, with soft-RoCE over their rails."""
    with tempfile.TemporaryDirectory(prefix="railbed-vm-") as name:
        folder = Path(name)
        plan = two_node_plan(folder / "two")
        machines = {node: _machine(plan, node, folder) for node in NODES}
        try:
            for one in machines.values():
                one.launch()
                wait_for_wire(folder / "wire")
            for node, one in machines.items():
                one.wait_login()
                one.wait(f"rdma link show {RXE}/1")
                one.run(_addressed(plan, node))
            other = plan.node[NODES[1]].rails[0].address.ip
            machines[NODES[0]].wait(f"ping -c 1 -W 2 {other}")
            config = folder / "ssh_config"
            texts = (one.ssh_config.read_text() for one in machines.values())
            config.write_text("\n".join(texts))
            made = TwoNodes(plan, machines, SshTransport(config), folder / "evidence")
            made.shape()
            yield made
        finally:
            for one in machines.values():
                one.cut()


def wait_for_wire(wire: Path) -> None:
    """Until the first machine listens: qemu's stream tries to connect once, and says nothing."""
    give_up = time.monotonic() + 60
    while not wire.exists():
        assert time.monotonic() < give_up, f"{wire} is not there"
        time.sleep(0.1)


def _machine(plan: Plan, name: str, folder: Path) -> Machine:
    node = plan.node[name]
    (zone,) = (one for one in plan.oob.zones if one.name == node.management.zone)
    wire = _WIRE.format(path=folder / "wire", server="on" if name == NODES[0] else "off")
    form = Form(
        name,
        str(node.management.address.ip),
        str(zone.server_address.ip),
        str(zone.prefix),
        str(node.management.mac),
        (Port(str(node.rails[0].mac), wire),),
        "file",
    )
    return Machine(ensure_image(lambda _: None), form, folder / name)


def _addressed(plan: Plan, name: str) -> str:
    """Address, MTU and the way to the other, as the role and the leaf would give them."""
    (other,) = (one for one in NODES if one != name)
    mine, theirs = plan.node[name].rails[0], plan.node[other].rails[0]
    return (
        f"set -e; ip link set {RAIL} up mtu {mine.ip_mtu_bytes}; "
        f"ip address add {mine.address} dev {RAIL}; "
        f"ip route add {theirs.address.ip}/32 dev {RAIL} src {mine.address.ip}"
    )
