"""A switch of Linux and FRR in the bench of a push's faults: a machine of a lab, not a model.

systemd, FRR, ifupdown2 and nftables are real; the shell of the login is the machine's own, without
SSH before it. "Later" is the unit that its timer would start. Its flash is a small file system.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from deploy import lab as labs
from deploy.context import Context, Journal
from deploy.lab.lab import is_up
from deploy.lab.machines import machine
from deploy.switches.push_secrets import Secrets
from deploy.switches.push_session import Reply, Session
from deploy.switches.switch_push import NetmikoSession
from inventory.plan import Plan
from switch_configs import render
from switch_configs.intent import Rendered
from tests.switch_configs.on_machines import (
    DIALECT,
    LAB,
    carry_out,
    fetched,
    shell,
    until,
    with_texts,
)
from tests.switch_configs.plans import LAB as SITE
from tests.switch_configs.plans import lab

NAME = "leaf-p1-r0"
# What a push changes: how wide FRR spreads, and a port from which management is let in.
PATHS, PORT = ("maximum-paths 2", "maximum-paths 3"), "eth9"
_PUT_S = 20.0
# The switch's own timer runs, too: longer than a push on a busy machine.
_WINDOW_S = 240
_BASE, _SMALL = "/var/lib/railbed", "/run/small"
# What runs, without what counts packets and what is not of the configuration.
_RUNS = (
    "vtysh -c 'show running-config no-header'; nft -s list ruleset; sysctl net.ipv4.ip_forward; "
    "ip -brief address; cat /sys/class/net/swp*/mtu"
)
_PASSING = re.compile(r"(?m)^(hostname |service integrated-vtysh-config|lo |eth0).*\n")
_FILL = f"""set -e
size=$(($(du -sk {_BASE} | cut -f 1) + 64))
mkdir -p {_SMALL} && mount -t tmpfs -o "size=${{size}}k" tmpfs {_SMALL} && cp -a {_BASE}/. {_SMALL}
cat /dev/zero > {_SMALL}/filler 2>/dev/null || true
mount --bind {_SMALL} {_BASE}
"""
_CLEAN = f"""! mountpoint -q {_BASE} || {{
set -e
rm -f {_SMALL}/filler && umount {_BASE} && rm -rf {_BASE}/*
cp -a {_SMALL}/. {_BASE} && umount {_SMALL}
}}
"""


class Inside(NetmikoSession):
    """The session of a root login whose commands run in that machine."""

    def _run(self, command: str, timeout_s: float, given: bytes = b"") -> Reply:
        argv = ["timeout", f"{timeout_s:.0f}", "sh", "-c", command]
        done = machine.inside(LAB, NAME, argv, given, timeout_s=timeout_s + 60)
        return Reply(done.stdout.decode(errors="replace"), done.stderr.decode(), done.returncode)

    def _uploaded(self, part: str, text: bytes) -> str:
        reply = self._run(f"umask 077 && cat > {part}", _PUT_S, text)
        return reply.stderr if reply.exit_status else ""


def _running() -> str:
    return _PASSING.sub("", shell(NAME, _RUNS))


def _stored(planned: Rendered) -> str:
    paths = " ".join(sorted(file.path for file in planned.files))
    return shell(NAME, f"cat {paths}; stat -c '%n %a %U %G' {paths}")


def _told(text: str, old: str) -> object:
    """Which parts of the change are there; the whole text where anything else differs from old."""
    parts = (PATHS[1] in text, PORT in text)
    back = text.replace(PATHS[1], PATHS[0]).replace(f', "{PORT}"', "").replace(f'"{PORT}", ', "")
    return parts if back == old else text


@dataclass
class OnAMachine:
    """One leaf with a plan of its own; `ran` and `held` are what it began with."""

    folder: Path
    plan: Plan
    new: Rendered
    secrets: Secrets
    window_s: int
    ran: str
    held: str
    waited_s: float = 0.0

    @property
    def name(self) -> str:
        return NAME

    def context(self, journal: Journal) -> Context:
        files = (self.folder / "config", self.folder / "known_hosts")
        return Context(self.plan, self.plan.site, self.folder, *files, lambda _: None, journal)

    def connect(self, context: Context) -> Session:
        del context
        return Inside(None, None)  # type: ignore[arg-type] # nothing of it is used

    @property
    def runs(self) -> object:
        return _told(_running(), self.ran)

    @property
    def saved(self) -> object:
        return _told(_stored(self.new), self.held)

    @property
    def left(self) -> object:
        return shell(NAME, DIALECT.pending_command())

    def later(self, seconds: float) -> None:
        self.waited_s = self.waited_s + seconds if self.left else 0.0
        if self.waited_s >= self.window_s:
            shell(NAME, "systemctl start railbed-rollback-now.service")

    def restart(self) -> None:
        labs.restart(LAB, NAME)
        shell(NAME, f"hostname {NAME}")  # what its lease would do
        shell(NAME, "systemctl is-system-running --wait || true")
        assert until(lambda: "vrf" in shell(NAME, "vtysh -c 'show vrf' 2>&1; echo vrf"))

    def fill(self, *, full: bool) -> None:
        shell(NAME, _FILL if full else _CLEAN)


@contextmanager
def on_a_machine(folder: Path) -> Iterator[OnAMachine]:
    """A leaf as planned, on the lab that `LAB` names; there it is made where it is not up."""
    if not is_up(LAB):
        labs.up(SITE, LAB, say=lambda _: None)
    plan = lab("numbered")
    old = render(plan, NAME)
    shell(NAME, f"hostname {NAME}; {_CLEAN}")
    shell(NAME, f"[ ! -e {_BASE}/switch-push ] || {DIALECT.undo_command()}")
    carry_out(fetched(NAME), old)
    accept = 'iifname { "lo", "eth0"'
    new = with_texts(old, frr=PATHS, nftables=(f"{accept} }}", f'{accept}, "{PORT}" }}'))
    yield OnAMachine(folder, plan, new, Secrets(), _WINDOW_S, _running(), _stored(old))
