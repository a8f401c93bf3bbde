"""A node of a small site on a machine with a kernel of its own, set up by the real engines.

Its NICs take the marks of the lossless class and no more: no emulated one has DCB. qemu stands
where the OOB server is: it leases the node its address and name, and hands on what is asked of
the package port.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import yaml

from deploy.context import Context, no_journal
from deploy.packages.repo_run import build
from deploy.rollout.supply import prepare
from deploy.servers.drift import DeviceDrift, drift
from deploy.session import Selection, open_offline, open_plan
from deploy.transport.ssh_run import SshTransport
from inventory.plan import Plan
from tests.generated.sites import make_up_asbuilt
from tests.switch_configs import sites
from validation.manifest.device import manifests

from .image import ensure_image
from .machine import Form, Machine, Port, pci

ROOT = Path(__file__).parents[2]
NODE = "node-p1-1"
TOOLS = Path(sys.executable).parent
OTHER = {"pyinfra": "ansible", "ansible": "pyinfra"}

# What a node of the lab cannot have, because it has its host's kernel.
TUNING: dict[str, Any] = {
    "kernel_arguments": ["nohz=on"],
    "hugepages": [{"size_kib": 2048, "per_numa": [16, 32]}],
    "cpu": {"vendor": "amd"},
    "iommu": "passthrough",
    "thp": "never",
    "numa_balancing": False,
    "sysctls": {"vm.zone_reclaim_mode": "0"},
    "modules": ["rdma_rxe", "rdma_ucm"],
}
RINGS = 512


@dataclass(frozen=True)
class Here(Selection):
    """A site whose state lies in a folder of the test's own."""

    folder: Path = Path()

    @property
    def state_dir(self) -> Path:
        return self.folder


@dataclass(frozen=True)
class VmNode:
    """A machine, and the plan that says what must be on it."""

    machine: Machine
    selection: Here

    @property
    def context(self) -> Context:
        """What the rest of railbed needs to reach it."""
        return open_offline(self.selection, print, no_journal)

    def apply(self, engine: str, check: bool = False, roles: str = "") -> str:
        """A command line as a user types it; its output. AssertionError where it fails."""
        env = {**os.environ, "PATH": f"{TOOLS}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
        env |= {"RAILBED_SITE": self.selection.site, "PYINFRA_PROGRESS": "off"}
        env |= {"RAILBED_STATE": str(self.selection.state_dir)}
        done = subprocess.run(
            _command(engine, check, roles),
            cwd=ROOT,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=900,
        )
        assert done.returncode == 0, done.stdout[-4000:]
        assert "Traceback" not in done.stdout
        return done.stdout

    def assert_unchanged(self, engine: str) -> None:
        """A run of an engine that must find nothing to do."""
        said = self.apply(engine)
        if engine == "ansible":
            recap = re.search(r"changed=(\d+)", said)
            assert recap is not None
            assert recap[1] == "0", said[-4000:]
        else:
            total = re.search(r"Grand total\s+(\S+)\s+(\S+)", said)
            assert total is not None
            assert total[2] == "-", said[-4000:]

    def values(self, role: str) -> dict[str, Any]:
        """What the inventory says to a role."""
        return manifests(self.context.plan).values(NODE, role)

    def drift(self) -> DeviceDrift:
        """What its manifest says against what it is, in one round trip."""
        context = self.context
        return drift(context, SshTransport(context.ssh_config), [NODE]).of(NODE)


@contextmanager
def vm_node(boot: str, tuning: Mapping[str, Any] | None = None) -> Iterator[VmNode]:
    """A booted node as it was installed, and the packages of the lock within its reach."""
    image = ensure_image()
    with tempfile.TemporaryDirectory(prefix="railbed-vm-") as folder, _server() as server:
        state = Path(folder) / "state"
        site = _site(
            Path(folder) / "small", server.server_port, {**TUNING, **(tuning or {}), "boot": boot}
        )
        selection = Here(str(site), "vm", state)
        state.mkdir()
        plan = prepare(selection, print, open_plan(selection))
        tree = build(plan, state, datetime.now(UTC))
        server.RequestHandlerClass = partial(_Quiet, directory=str(tree))
        with Machine(image, _form(plan, boot), state) as machine:
            yield VmNode(machine, selection)


def _form(plan: Plan, boot: str) -> Form:
    node = plan.node[NODE]
    (zone,) = (one for one in plan.oob.zones if one.name == node.management.zone)
    macs = [*(one.mac for one in node.rails), *(one.mac for one in node.nics)]
    return Form(
        NODE,
        str(node.management.address.ip),
        str(zone.server_address.ip),
        str(zone.prefix),
        str(node.management.mac),
        tuple(Port(str(mac), f"hubport,hubid={at}") for at, mac in enumerate(macs)),
        boot,
    )


def _site(folder: Path, packages_port: int, tuning: Mapping[str, Any]) -> Path:
    """Rails, routed storage, and a bond with VLANs; nothing that only real NICs can do."""
    wanted = sites.small_site("linux_frr")
    wanted["lossless"]["mode"] = "marking-only"
    wanted["oob"]["packages_port"] = packages_port
    (profile,) = wanted.pop("profiles").values()
    ports = [*profile["rails"], *profile["storage"], *profile["business"]]
    for number, port in enumerate(ports):
        port["pci"] = pci(number)
        port.pop("gpu", None)
    folder.mkdir()
    (folder / "profiles").mkdir()
    more = {"gpus": [], "tuning": dict(tuning), "nics": {"rings": RINGS}}
    said = {"tiny-node": {**profile, **more}}
    (folder / "profiles/nodes.yml").write_text(yaml.safe_dump(said))
    (folder / "fabric.yml").write_text(yaml.safe_dump(wanted))
    (folder / "asbuilt.csv").write_text("device,port,mac,serial\n")
    make_up_asbuilt(folder)
    return folder


def _command(engine: str, check: bool, roles: str) -> list[str]:
    if engine == "ansible":
        argv = [sys.executable, "-m", "ansible", "playbook", "-i", "inventory/ansible_source.py"]
        argv += ["deploy/playbooks/nodes.yml", "--limit", NODE, "--diff"]
        argv += ["--tags", roles] if roles else []
        return [*argv, *(["--check"] if check else [])]
    # What the console script does, from this checkout whatever else is installed.
    argv = [sys.executable, "-c", "from pyinfra_cli.main import main; main()"]
    argv += ["inventory.pyinfra_source:hosts", "deploy/nodes.py", "--limit", NODE]
    argv += ["--data", f"railbed_roles={roles}"] if roles else []
    return [*argv, "--dry" if check else "--yes"]


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Nothing: pytest shows what a test says."""


@contextmanager
def _server() -> Iterator[ThreadingHTTPServer]:
    """Answers on a free port of this host's loopback, where qemu hands the node's requests."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Quiet) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
