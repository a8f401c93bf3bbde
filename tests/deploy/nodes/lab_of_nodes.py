"""What the tests of nodes share: the lab of the chain, each engine's nodes, ways to hurt one."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread

from deploy.record.journal import Record
from deploy.rollout.change import apply_site
from deploy.rollout.runbook import ApplyResult
from tests.deploy.chain.chain import SELECTION, inside, silent

# Canaries of both engines in the first wave, then the rest in one of two nodes.
CANARY = {"pyinfra": "node-p1-1", "ansible": "node-p1-2"}
REST = ("node-p2-1", "node-p2-2")
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


def applied(step: str = "nodes") -> ApplyResult:
    """Apply a step."""
    return apply_site(SELECTION, step, dry_run=False, say=silent)


def forget(*nodes: str, path: str = OWNED) -> None:
    """Take an owned file away, so that its role has to run."""
    for node in nodes:
        inside(node, f"rm -f {path}")


def has_it(node: str, path: str = OWNED) -> bool:
    """Whether the file is there again."""
    return inside(node, f"test -e {path} && echo yes || echo no").strip() == "yes"


def touched() -> set[str]:
    """The devices that the record says were changed, or tried, in the last run."""
    record = Record(SELECTION.state_dir / "record.sqlite")
    try:
        return {one.device for one in record.changes(record.runs()[-1].id)}
    finally:
        record.close()


def when_begun(node: str, hurt: Callable[[], object]) -> Thread:
    """Hurt a node as soon as the record says that an engine begins on it; join the result."""
    path = SELECTION.state_dir / "record.sqlite"
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
