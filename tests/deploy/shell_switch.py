"""A switch whose shell is this machine's: its root is a folder, and its login has sudo.

What a system has beside it (programs, places, state) comes from a model of that system.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar
from uuid import uuid4

import pytest

from deploy.context import Context
from deploy.switches import push_flow
from deploy.switches.push_flow import Push
from deploy.switches.push_result import PushResult
from deploy.switches.push_secrets import Secrets
from deploy.switches.push_session import DeviceUnreachable, FabricProof, Pace, Reply, unasked
from deploy.switches.switch_push import NetmikoSession
from inventory.plan import Management, Plan
from switch_configs import dialect
from switch_configs.intent import Rendered

PACE = Pace(window_s=60, verify_share=0.75, boot_s=5.0, poll_s=15.0)
_PROGRAMS = {
    # sudo(8): with -n it never asks.
    "sudo": """[ "$1 $2" = "-n --" ] || exit 1
echo "$*" > "${0%/bin/sudo}/run/sudo"; shift 2; exec "$@"
""",
    "id": "echo 1000",
    "hostname": 'cat "${0%/bin/*}/proc/sys/kernel/hostname"',
    "python3": f'PYTHONPATH="${{0%/bin/*}}/lib" exec {sys.executable} -S "$@"',  # sooner there
}


class Killed(BaseException):
    """This process ends here, as if it were killed."""


def killed() -> None:
    raise Killed


@dataclass
class ShellSwitch:
    """The folder, and what happens after a command that holds certain words.

    `places` finds where a path of the switch begins. A system adds whether it is reachable, its
    clock, and what sessions end with.
    """

    root: Path
    name: str
    management: Management
    after: dict[str, Callable[[], None]] = field(default_factory=dict)
    logins: int = 0
    programs: ClassVar[dict[str, str]] = {}
    places: ClassVar[re.Pattern[str]]

    @property
    def is_reachable(self) -> bool:
        raise NotImplementedError

    @property
    def line(self) -> object:
        """Changes where sessions end."""
        raise NotImplementedError

    @property
    def clock_s(self) -> float:
        raise NotImplementedError

    def later(self, seconds: float) -> None:
        raise NotImplementedError

    def furnish(self) -> None:
        """Make the folder, with programs and who it is."""
        port = f"sys/class/net/{self.management.port}"
        for folder in ("bin", "lib", "run", "told", "proc/sys/kernel/random", port):
            (self.root / folder).mkdir(parents=True)
        (self.root / "proc/sys/kernel/hostname").write_text(f"{self.name}\n")
        (self.root / "proc/sys/kernel/random/boot_id").write_text(f"{uuid4()}\n")
        (self.root / port / "address").write_text(f"{self.management.mac}\n")
        self.install({**_PROGRAMS, **self.programs})

    def install(self, programs: dict[str, str]) -> None:
        for name, line in programs.items():
            (self.root / "bin" / name).write_text(f"#!/bin/sh\n{line}\n")
            (self.root / "bin" / name).chmod(0o755)

    def login(self) -> InItsShell:
        """A session of its login, who has sudo."""
        if not self.is_reachable:
            raise DeviceUnreachable("timed out")
        made = InItsShell(None, None, sudo=True)  # type: ignore[arg-type]
        made.switch, made.line = self, self.line
        self.logins += 1
        made.require_root()
        return made

    def by_hand(self, line: str, script: str = "") -> str:
        """A command of somebody at its shell, with this on its standard input."""
        return self.shell(line, script.encode(), 20.0).stdout.decode()

    def shell(
        self, line: str, given: bytes, timeout_s: float
    ) -> subprocess.CompletedProcess[bytes]:
        """What its shell makes of a command with this on its standard input."""
        place = {"PATH": f"{self.root}/bin:/usr/bin:/bin"}
        return subprocess.run(
            ["sh", "-c", self.here(line)], input=self.given(line, given), env=place,
            capture_output=True, timeout=timeout_s,
        )  # fmt: skip

    def here(self, text: str) -> str:
        """A text whose paths of the switch lie in the folder."""
        return self.places.sub(f"{self.root}/", text)

    def given(self, line: str, given: bytes) -> bytes:
        """What a command reads, as it has to be here."""
        del line
        return self.here(given.decode()).encode()


class InItsShell(NetmikoSession):
    """The session of a login with sudo whose commands run in that folder."""

    switch: ShellSwitch
    line: object

    def _run(self, command: str, timeout_s: float, given: bytes = b"") -> Reply:
        switch = self.switch
        self.require_alive()
        done = switch.shell(command, given, timeout_s)
        for words, happens in list(switch.after.items()):
            if words in command:
                del switch.after[words]
                happens()
        self.require_alive()
        return Reply(done.stdout.decode(), done.stderr.decode(), done.returncode)

    def require_alive(self) -> None:
        if not self.switch.is_reachable or self.line != self.switch.line:
            raise DeviceUnreachable("the session was lost")

    def close(self) -> None:
        pass


class Clock:
    """Time of the flow and of the switch: who sleeps lets it pass for both."""

    def __init__(self, switch: ShellSwitch) -> None:
        self.switch = switch

    def monotonic(self) -> float:
        return self.switch.clock_s

    def sleep(self, seconds: float) -> None:
        self.switch.later(seconds)


@dataclass
class ShellBench:
    """Pushes to one switch; the folder is that of the run."""

    switch: ShellSwitch
    folder: Path
    plan: Plan
    said: list[str] = field(default_factory=list)
    noted: list[tuple[str, ...]] = field(default_factory=list)
    works: FabricProof = unasked

    def connect(self) -> InItsShell:
        return self.switch.login()

    def run(self, new: Rendered, dry_run: bool, values: Secrets | None = None) -> PushResult:
        context = Context(
            self.plan, "lab", self.folder, self.folder / "config", self.folder / "known_hosts",
            self.said.append, lambda *words: self.noted.append(words),
        )  # fmt: skip
        return Push(
            context=context, switch=self.switch.name, dialect=dialect(new.dialect), new=new,
            prove=lambda _: (), connect=self.connect, dry_run=dry_run, pace=PACE,
            secrets=values or Secrets(), works=self.works,
        ).run()  # fmt: skip


def same_time(monkeypatch: pytest.MonkeyPatch, switch: ShellSwitch) -> None:
    """Let the flow read the switch's clock."""
    monkeypatch.setattr(push_flow, "time", Clock(switch))
