"""A transport whose nodes are this machine: the script of a trip, run by a real shell."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from inventory.plan import Plan
from validation.evidence.gather import Reply

_WHO = re.compile(r"cat /proc/sys/kernel/hostname \S+ /proc/sys/kernel/random/boot_id")


@dataclass
class LocalNodes:
    """Only who answers is made up: its name and its planned MAC.

    `tools` come first on PATH; stand-ins find a node's hardware below `roots`/NODE.
    """

    plan: Plan
    tools: Path | None = None
    roots: Path | None = None
    trips: list[str] = field(default_factory=list)

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        self.trips.append(device)
        mac = self.plan.management_mac[device]
        told = f"echo {device} && echo {mac} && cat /proc/sys/kernel/random/boot_id"
        text = _WHO.sub(told, script, count=1)
        assert text != script
        text = text.replace("$(hostname)", device)
        if self.tools:
            text = text.replace("PATH=/usr/sbin", f"PATH={self.tools}:/usr/sbin", 1)
        env = {**os.environ, "STANDIN_ROOT": str(self.roots / device) if self.roots else ""}
        done = subprocess.run(
            ["sh", "-s"], input=text.encode(), capture_output=True, timeout=timeout_s, env=env
        )
        return Reply(done.stdout, done.returncode, "")
