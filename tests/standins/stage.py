"""A folder that is a machine for the stand-in tools: no root, no lab, a tenth of a second."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from deploy.lab.hardware import TOOLS
from deploy.lab.hardware.modules import module

KERNEL = "6.1.0-41-amd64"
NIC = {"bdf": "0000:1a:00.0", "netdev": "mce0", "rdma": "mlx5_0"}


class Stage:
    """A machine made of files; `hardware` as in /etc/standin/hardware.json."""

    def __init__(self, root: Path, **hardware: Any) -> None:
        self.root = root
        self.hardware = {"nics": [NIC], **hardware}
        self.put("etc/standin/hardware.json", json.dumps(self.hardware))
        self.put("proc/sys/kernel/osrelease", f"{KERNEL}\n")
        self.boot("boot-1")
        for number, nic in enumerate(self.hardware["nics"], start=7):
            self.interface(nic["netdev"], number)

    def put(self, name: str, content: str | bytes) -> Path:
        """Write a file."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def boot(self, boot_id: str) -> None:
        """The machine has booted again; what is below /run is gone."""
        self.put("proc/sys/kernel/random/boot_id", f"{boot_id}\n")

    def interface(self, name: str, ifindex: int) -> None:
        """An interface of this name is there; another index is another interface."""
        self.put(f"sys/class/net/{name}/ifindex", f"{ifindex}\n")

    def module(self, name: str, version: str) -> None:
        """A module lies where DKMS puts it."""
        self.put(f"lib/modules/{KERNEL}/updates/dkms/{name}.ko", module(name, version))

    def driver(self, version: str, libraries: str = "") -> None:
        """The GPU driver is installed: its module, and libraries of that version or another."""
        self.module("nvidia", version)
        self.put("usr/share/standin/nvidia/userspace", f"{libraries or version}\n")

    def run(
        self, *argv: str, text: str = "", folder: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a stand-in tool."""
        env = {**os.environ, "STANDIN_ROOT": str(self.root), "LC_ALL": "C"}
        env["PATH"] = f"{TOOLS}:{env['PATH']}"
        command = [str(TOOLS / argv[0]), *argv[1:]]
        return subprocess.run(
            command, env=env, input=text, capture_output=True, text=True, cwd=folder
        )

    def said(self, *argv: str) -> str:
        """What a tool prints; an error where it refuses."""
        done = self.run(*argv)
        assert done.returncode == 0, f"{argv}: {done.stdout}{done.stderr}"
        return done.stdout

    def refused(self, *argv: str) -> str:
        """What a tool says when it refuses; an error where it does not."""
        done = self.run(*argv)
        assert done.returncode != 0, f"{argv}: {done.stdout}"
        return done.stdout + done.stderr


def recorded(path: Path) -> str:
    """A recording without its first line, which names its source."""
    first, _, rest = path.read_text(encoding="utf-8").partition("\n")
    assert first.startswith("# SOURCE")
    return rest
