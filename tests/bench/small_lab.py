"""A lab for benches: one pod, one spine, as many nodes as asked, of the lab's own hardware."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from deploy import lab
from deploy.context import Context, no_journal
from deploy.lab.machines import machine
from deploy.packages.repo_run import sync
from deploy.rollout import supply
from deploy.servers import engines
from deploy.servers.engine_run import RunResult
from deploy.session import Selection, open_context, open_plan
from deploy.transport.ssh_run import SshTransport, hang_up
from inventory import open_site
from inventory.plan import Engine
from tests.generated.sites import Size, generated_site

ANSWER_TRIES = 120


def site(folder: Path, nodes: int, more: str = "") -> Path:
    """Write a site of `nodes` nodes with two rails; its cables are those of the plan.

    Each two nodes share a rack; `more` is added to `fabric.yml`.
    """
    size = Size(pods=1, spines=1, rails=2, nodes_per_pod=nodes, site="bench")
    path = generated_site(folder, size) / "fabric.yml"
    text = path.read_text().replace("generated-node", "lab-node")
    racks = "  nodes_per_rack: 2\n  uplinks_per_spine"
    text = text.replace("  uplinks_per_spine", racks)
    # A container may not set its clock.
    path.write_text(text.replace("\noob:\n", "\noob:\n  time: {clock: measure}\n") + more)
    with (folder / "wiring.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("a_device", "a_port", "b_device", "b_port", "plane"))
        for cable in open_site(folder).cables:
            rows.writerow((cable.a.device, cable.a.port, cable.b.device, cable.b.port, cable.plane))
    return folder


@contextmanager
def standing(folder: Path, name: str) -> Iterator[Selection]:
    """The lab of a site, new from its images; gone afterwards."""
    lab.down(name)
    try:
        lab.up(folder, name, say=_silent)
        selection = Selection(str(folder), name)
        supply.prepare(selection, _silent, open_plan(selection))
        yield selection
    finally:
        lab.down(name)


def context_of(selection: Selection, engine: Engine) -> Context:
    """Everything a run needs, as if the site named this engine alone."""
    context = open_context(selection, _silent, no_journal)
    nodes = tuple(replace(node, engine=engine) for node in context.plan.nodes)
    return replace(context, plan=replace(context.plan, engine=engine, nodes=nodes))


def serve(context: Context) -> list[RunResult]:
    """Bring the OOB server to its roles and its packages; returns once every node answers."""
    done = must(engines.run(context, {context.plan.oob.name: ()}, dry_run=False))
    publish(context)
    await_nodes(context)
    return done


def publish(context: Context) -> None:
    """Send the packages to the OOB server."""
    sync(context)


def await_nodes(context: Context) -> None:
    """Leases take a second or two; RuntimeError where one never comes."""
    for node in context.plan.nodes:
        log_in(context, node.name)


def log_in(context: Context, host: str) -> None:
    """Log in anew; RuntimeError where it does not answer for a while."""
    hang_up(context.ssh_config, [host])
    transport = SshTransport(context.ssh_config)
    for _ in range(ANSWER_TRIES):
        if transport.run(host, "true", 15).exit_status == 0:
            return
    raise RuntimeError(f"{host} does not answer")


def must(results: list[RunResult]) -> list[RunResult]:
    """The results; RuntimeError with what was said where a host failed."""
    for one in engines.hosts_of(results):
        if one.failed:
            raise RuntimeError(f"{one.host}: {one.message}")
    return results


def fresh_logins(context: Context) -> None:
    """End shared connections, so that the next tool pays for its own."""
    hang_up(context.ssh_config, context.plan.devices)


def inside(name: str, device: str, script: str) -> str:
    """Run a script in a machine, past its network; its output."""
    done = machine.inside(name, device, ["sh", "-c", script], timeout_s=120)
    if done.returncode != 0:
        raise RuntimeError(f"{device}: {done.stderr.decode(errors='replace')}")
    return done.stdout.decode()


def share_keys(one: Selection, other: Selection) -> None:
    """Let two labs trust one key of packages, so that one plan is true of both."""
    shutil.copytree(one.state_dir / "packages", other.state_dir / "packages", dirs_exist_ok=True)


def _silent(_: str) -> None:
    """No progress."""
