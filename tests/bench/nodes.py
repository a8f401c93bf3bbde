"""What it costs to bring nodes to their roles, and to find that nothing is to do.

For each number of nodes, on labs new from their images: the first run, a forced no-op (every
role runs, `--all`) and a plain no-op (`apply --only nodes`: one probe each), for both engines;
what the same state costs Ansible as it comes (`stock.py`); against the floor of one `ssh true`
to every node at once over new connections. Round trips are the sessions that a node's sshd
counted, bytes those of its management port. Nodes and controller share this machine's CPUs, so
wall times contain the nodes' own work.

The nodes ask for every role, and begin with os_base and the headers of their kernel, as an image
has them; GPU driver, storage path, container engine and NCCL are stand-in
packages and devices (tests/standins).

Prints a table and ends with RESULT lines. Run as root:
`python -m tests.bench.nodes [pyinfra|ansible] [NODES ...]`.
"""

from __future__ import annotations

import os
import re
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from deploy.context import Context
from deploy.record.journal import Record
from deploy.rollout.look import look
from deploy.rollout.runbook import rollout
from deploy.servers import ansible_run, engines
from deploy.servers.engine_run import environment, execute
from deploy.transport.ssh_run import SshTransport
from inventory.plan import Engine
from tests.standins.equip import equipped, install_headers
from tests.standins.site import site
from validation.manifest.contract import roles_of

from . import small_lab
from . import stock as stock_ansible
from .results import result

SIZES = (1, 4, 8, 32)
_ENGINES: tuple[Engine, ...] = ("pyinfra", "ansible")
FLEET = 1280


@dataclass(frozen=True)
class Cost:
    """Wall and controller CPU seconds; sessions and kilobytes of the busiest node."""

    what: str
    nodes: int
    wall_s: float
    cpu_s: float
    trips: int
    kilobytes: float

    def __str__(self) -> str:
        return (
            f"{self.nodes:3} nodes  {self.what:22} {self.wall_s:8.2f} s {self.cpu_s:8.2f} s CPU "
            f"{self.trips:5} trips {self.kilobytes:9.1f} KB a node"
        )


class Meter:
    """Measures work on the nodes of one lab."""

    def __init__(self, context: Context, name: str) -> None:
        self.context, self.name = context, name
        self.nodes = [node.name for node in context.plan.nodes]
        # Sessions are logged from VERBOSE on (sshd_config(5)); the first value read counts.
        script = (
            "echo 'LogLevel VERBOSE' > /etc/ssh/sshd_config.d/00-bench.conf; "
            "systemctl try-restart ssh.service || true"
        )
        for node in self.nodes:
            small_lab.inside(name, node, script)

    def cost(self, what: str, work: Callable[[], object]) -> Cost:
        """Do it once, over connections of its own."""
        small_lab.fresh_logins(self.context)
        before, cpu = self._counts(), _cpu_s()
        begin = time.perf_counter()
        work()
        wall_s, cpu_s = time.perf_counter() - begin, _cpu_s() - cpu
        after = self._counts()
        trips = max(late[0] - early[0] for early, late in zip(before, after, strict=True))
        size = max(late[1] - early[1] for early, late in zip(before, after, strict=True))
        found = Cost(what, len(self.nodes), wall_s, cpu_s, trips, size / 1024)
        print(found, flush=True)
        return found

    def _counts(self) -> list[tuple[int, int]]:
        script = (
            "journalctl -q -o cat -t sshd -t sshd-session | grep -c '^Starting session' || true; "
            "cat /sys/class/net/eth0/statistics/rx_bytes /sys/class/net/eth0/statistics/tx_bytes"
        )
        texts = (small_lab.inside(self.name, node, script).split() for node in self.nodes)
        return [(int(text[0]), int(text[1]) + int(text[2])) for text in texts]


def _cpu_s() -> float:
    """User and system time of this process and all its children that ended."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(use.ru_utime + use.ru_stime for use in map(resource.getrusage, kinds))


def floor(context: Context) -> None:
    """One `ssh true` to every node, all at once."""
    transport = SshTransport(context.ssh_config)
    names = [node.name for node in context.plan.nodes]
    with ThreadPoolExecutor(len(names)) as pool:
        for reply in pool.map(lambda name: transport.run(name, "true", 60), names):
            if reply.exit_status != 0:
                raise RuntimeError(reply.error)


def every_role(context: Context) -> None:
    """What `--all` runs on nodes, without gates."""
    work: dict[str, tuple[str, ...]] = {node.name: () for node in context.plan.nodes}
    small_lab.must(engines.run(context, work, dry_run=False))


def plain(context: Context) -> None:
    """What `railbed apply --only nodes` does on nodes that are as planned."""
    record = Record(context.state_dir / "record.sqlite")
    run = record.begin_run(context.plan.site, context.plan.digest)
    try:
        done = rollout(context, SshTransport(context.ssh_config), record, run, "nodes")
        if done.exit_code or done.changed:
            raise RuntimeError(done.outcome)
    finally:
        record.end_run(run, "bench")
        record.close()


def probe(context: Context) -> None:
    """The drift of every node, without judging it."""
    names = [node.name for node in context.plan.nodes]
    if found := look(context, SshTransport(context.ssh_config), names).differences:
        raise RuntimeError(str(found[0]))


def stock(context: Context, folder: Path, roles: tuple[str, ...]) -> None:
    """The nodes' wanted state as plain Ansible, with stock settings."""
    play = stock_ansible.playbook(folder, roles)
    env = environment(context, ANSIBLE_CONFIG=str(folder / "ansible.cfg"))
    argv = [sys.executable, "-m", "ansible", "playbook", "-i", ansible_run.INVENTORY, str(play)]
    done = execute(argv, env, lambda _: None)
    if done.status != 0 or re.search("changed=[1-9]", done.out):
        raise RuntimeError(done.out + done.err)


def measured(count: int, engine: Engine, folder: Path) -> Iterator[Cost]:
    """One lab of `count` nodes, changed by one engine."""
    where = site(folder / f"{engine}{count}", count)
    with ExitStack() as stack:
        selection = stack.enter_context(small_lab.standing(where, f"n{engine[:2]}{count}"))
        context = small_lab.context_of(selection, engine)
        small_lab.serve(context)
        stack.enter_context(equipped((context, selection.lab)))
        base: dict[str, tuple[str, ...]] = {node.name: ("os_base",) for node in context.plan.nodes}
        small_lab.must(engines.run(context, base, dry_run=False))
        for node in context.plan.nodes:
            install_headers(selection.lab, node.name)
        meter = Meter(context, selection.lab)
        yield meter.cost(f"{engine} first", lambda: every_role(context))
        yield meter.cost(f"{engine} forced no-op", lambda: every_role(context))
        if engine == "ansible":
            roles = roles_of(context.plan)[context.plan.nodes[0].name]
            plain_way = folder / f"stock{count}"
            yield meter.cost("stock forced no-op", lambda: stock(context, plain_way, roles))
        # Gates a first time, and lets stage 30 learn what it asks.
        plain(context)
        yield meter.cost(f"{engine} plain no-op", lambda: plain(context))
        yield meter.cost(f"{engine} probe", lambda: probe(context))
        floors = [meter.cost("floor", lambda: floor(context)) for _ in range(3)]
        yield replace(min(floors, key=lambda one: one.wall_s), what=f"{engine} floor")


def figures(found: dict[tuple[str, int], Cost]) -> Iterator[str]:
    """The RESULT lines that these sizes allow."""
    sizes = sorted({count for _, count in found})
    mark = 8 if 8 in sizes else sizes[-1]
    at = {what: one.wall_s for (what, count), one in found.items() if count == mark}
    for engine in _ENGINES:
        if f"{engine} plain no-op" not in at:
            continue
        ratio = at[f"{engine} plain no-op"] / at[f"{engine} floor"]
        yield result(f"nodes_{mark}_plain_{engine}", ratio, "x floor", 4)
    for engine, target in (("pyinfra", 1 / 15), ("ansible", 2 / 5)):
        if not {f"{engine} forced no-op", "stock forced no-op"} <= at.keys():
            continue
        share = at[f"{engine} forced no-op"] / at["stock forced no-op"]
        yield result(f"nodes_{mark}_forced_{engine}", share, "of stock", target)
    if len(sizes) > 1 and ("pyinfra probe", sizes[-1]) in found:
        few, many = sizes[-2:]
        early, late = (found["pyinfra probe", count].wall_s for count in (few, many))
        slope_s = (late - early) / (many - few)
        growth = (late / early) / (many / few)
        yield result(f"nodes_probe_growth_{few}_{many}", growth, "x linear", 1.2)
        seconds = late + slope_s * (FLEET - many)
        print(f"drift of {FLEET} nodes known after {seconds:.0f} s, {slope_s * 1000:.0f} ms a node")


def main(arguments: list[str]) -> None:
    """Measure the sizes and engines asked for, or all."""
    sizes = tuple(int(one) for one in arguments if one.isdigit()) or SIZES
    chosen = [one for one in _ENGINES if one in arguments] or _ENGINES
    found: dict[tuple[str, int], Cost] = {}
    print(f"{os.cpu_count()} CPUs for nodes and controller together")
    with tempfile.TemporaryDirectory() as folder:
        for count in sizes:
            for engine in chosen:
                for one in measured(count, engine, Path(folder)):
                    found[one.what, count] = one
    for line in figures(found):
        print(line)


if __name__ == "__main__":
    main(sys.argv[1:])
