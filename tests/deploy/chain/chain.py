"""What the tests of the chain share: their lab, commands in its machines, fingerprints."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.lab.machines import machine
from deploy.measuring.stages import QUIET_STAGE
from deploy.rollout import runbook
from deploy.rollout.change import apply_site
from deploy.session import Selection
from tests.labs import lab_name

ROOT = Path(__file__).parents[3]
NAME = lab_name("chain")
SELECTION = Selection("lab", NAME)

# A line that nobody planned: typed into FRR, saved nowhere, harmless (RFC 5737 addresses).
STRAY = "ip prefix-list STRAY seq 5 permit 192.0.2.0/24"
# Every file outside volatile places with its time, and since when each unit runs.
FINGERPRINT = """
find / -xdev \\( -path /proc -o -path /sys -o -path /run -o -path /tmp -o -path /var/log \
-o -path /var/tmp -o -path /var/lib/systemd -o -path /var/lib/dhcp \\) -prune -o -type f \
-newermt 2020-01-01 -printf '%p %T@ %s %m %u:%g\\n' | sort
systemctl show '*.service' -p Id -p ActiveState -p ExecMainStartTimestampMonotonic \
-p ExecMainPID | grep -v '^$'
"""
# Units that a login itself starts: one sshd per connection, and the user's session.
_BY_LOGIN = ("ssh@", "user@", "user-runtime-dir@", "systemd-logind", "systemd-hostnamed")


def silent(_: str) -> None:
    """No progress."""


def mended(step: str = "") -> None:
    """Bring the lab, or a step, back to its plan, for the next test.

    No rail is loaded for it: that is a quarter of a minute each time, and what the faults that
    are mended here would not change. The next apply loads them, as after every change.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runbook, "LOADED_STAGE", QUIET_STAGE)
        result = apply_site(SELECTION, step, dry_run=False, say=silent)
    assert result.exit_code == 0, result.outcome


def inside(device: str, script: str, lab: str = NAME) -> str:
    """Run a script in a machine, past its network; its output."""
    done = machine.inside(lab, device, ["sh", "-c", script], timeout_s=120)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def fingerprint(device: str, lab: str = NAME) -> list[str]:
    """All that a change would leave behind on a machine, in lines."""
    lines: list[str] = []
    block: list[str] = []
    for line in [*inside(device, FINGERPRINT, lab).splitlines(), "Id="]:
        if line.startswith(("Id=", "/")):
            lines.append(" ".join(block))
            block = []
        block.append(line)
    return [line for line in lines if not any(f"Id={unit}" in line for unit in _BY_LOGIN)]


def railbed(*arguments: str, lab: str = NAME) -> subprocess.Popen[str]:
    """The command line itself, in its own process, on a lab."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "deploy", *arguments],
        cwd=ROOT,
        env={**os.environ, "RAILBED_LAB": lab, "RAILBED_SITE": "lab"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
