"""What the tests of nodes share: a lab of four nodes, two for each engine, and ways to hurt one."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread

from deploy.change import apply_site
from deploy.lab import machine
from deploy.record import Record
from deploy.runbook import ApplyResult
from deploy.session import Selection
from tests.labs import lab_name

BASE = "hurt"
NAME = lab_name(BASE)
# Canaries of both engines in the first wave, then the rest in one of two nodes.
CANARY = {"pyinfra": "node-p1-1", "ansible": "node-p1-3"}
REST = ("node-p1-2", "node-p1-4")
MORE = "\nengine_groups: {rack_p1_2: ansible}\n"
SSH_DIES = "systemctl stop ssh.socket ssh.service; pkill -KILL sshd; true"
OWNED = "/etc/sysctl.d/90-railbed-os.conf"
# Of each role a file after which it has more to do: services to tell, parameters to set.
EARLY = {
    "os_base": OWNED,
    "kernel_tuning": "/etc/default/railbed-kernel-tuning",
    "ofed": "/etc/default/railbed-ofed",
    "roce_nic": "/etc/systemd/networkd.conf.d/50-railbed.conf",
}
OOB_EARLY = {
    "oob_server": "/etc/systemd/networkd.conf.d/50-railbed.conf",
    "package_repo": "/etc/railbed/packages/nginx.conf",
}


def silent(_: str) -> None:
    """No progress."""


def inside(device: str, script: str) -> str:
    """Run a script in a machine, past its network; its output."""
    done = machine.inside(NAME, device, ["sh", "-c", script], timeout_s=120)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def applied(selection: Selection, step: str = "nodes") -> ApplyResult:
    """Apply a step."""
    return apply_site(selection, step, dry_run=False, say=silent)


def forget(*nodes: str, path: str = OWNED) -> None:
    """Take an owned file away, so that its role has to run."""
    for node in nodes:
        inside(node, f"rm -f {path}")


def has_it(node: str, path: str = OWNED) -> bool:
    """Whether the file is there again."""
    return inside(node, f"test -e {path} && echo yes || echo no").strip() == "yes"


def touched(selection: Selection) -> set[str]:
    """The devices that the record says were changed, or tried, in the last run."""
    record = Record(selection.state_dir / "record.sqlite")
    try:
        return {one.device for one in record.changes(record.runs()[-1].id)}
    finally:
        record.close()


def when_begun(selection: Selection, node: str, hurt: Callable[[], object]) -> Thread:
    """Hurt a node as soon as the record says that an engine begins on it; join the result."""
    path = selection.state_dir / "record.sqlite"
    before = _begins(path, node)

    def wait() -> None:
        until(lambda: _begins(path, node) > before)
        hurt()

    thread = Thread(target=wait, daemon=True)
    thread.start()
    return thread


def until(look: Callable[[], bool]) -> None:
    """Poll until it is so; two minutes are far more than it needs."""
    for _ in range(6000):
        if look():
            return
        time.sleep(0.02)
    raise AssertionError("it did not happen")


def _begins(path: Path, node: str) -> int:
    record = Record(path)
    try:
        rows = (one for run in record.runs() for one in record.changes(run.id))
        return sum(one.device == node and one.detail.startswith("begins") for one in rows)
    finally:
        record.close()
