"""Switches that a push meets in the bench of its faults: models, each behind the same few words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from deploy.context import Context, Journal
from deploy.switches.push_secrets import Secrets
from deploy.switches.push_session import Session
from deploy.switches.switch_push import connect
from inventory.plan import Plan
from switch_configs import cli, dialect, render
from switch_configs.intent import Rendered
from tests.deploy.fake_eos import FakeEos
from tests.deploy.fake_nxos import FakeNxos
from tests.deploy.switches import test_eos_push, test_nxos_push
from tests.deploy.switches.test_eos_push import key

WINDOW_S = 60


class Device(Protocol):
    """One switch with a plan. What it runs and has saved are texts that only it understands."""

    plan: Plan
    name: str
    new: Rendered
    secrets: Secrets

    def context(self, journal: Journal) -> Context:
        """As a run has it."""

    def connect(self, context: Context) -> Session:
        """A new session; raises DeviceUnreachable."""

    @property
    def runs(self) -> object:
        """What it runs."""

    @property
    def saved(self) -> object:
        """What a restart would load."""

    @property
    def left(self) -> object:
        """What a push has left on it; empty where nothing is."""

    def later(self, seconds: float) -> None:
        """Let its clock go on; a timer that runs out takes its change back."""

    def restart(self) -> None:
        """Power off and on."""

    def fill(self, *, full: bool) -> None:
        """Leave no room on its flash, or have room again."""


@dataclass
class Typed:
    """A model of a command line, reached over real SSH by netmiko."""

    folder: Path
    switch: FakeEos
    plan: Plan
    name: str
    secrets: Secrets
    leaves: Callable[[FakeEos], object]
    waits: Callable[[FakeEos], object]
    waited_s: float = 0.0
    new: Rendered = field(init=False)

    def __post_init__(self) -> None:
        self.new = render(self.plan, self.name)
        self.switch.second_s = 1e6  # its timers run by `later`

    def context(self, journal: Journal) -> Context:
        files = (self.folder / "config", self.folder / "known_hosts")
        return Context(self.plan, self.plan.site, self.folder, *files, lambda _: None, journal)

    def connect(self, context: Context) -> Session:
        system = self.plan.switch[self.name].dialect
        tongue, spoken = dialect(system), cli(system)
        return connect(self.name, tongue.platform, context, self.folder / "id", spoken)

    @property
    def runs(self) -> object:
        return self.switch.store.running

    @property
    def saved(self) -> object:
        return self.switch.store.startup

    @property
    def left(self) -> object:
        return self.leaves(self.switch)

    def later(self, seconds: float) -> None:
        self.waited_s = self.waited_s + seconds if self.waits(self.switch) else 0.0
        if self.waited_s >= WINDOW_S:
            self.switch.go_back()

    def restart(self) -> None:
        self.switch.restart()

    def fill(self, *, full: bool) -> None:
        self.switch.faults.flash_full = full


@contextmanager
def _typed(
    folder: Path,
    make: type[FakeEos],
    start: tuple[str, str],
    plan: Plan,
    values: dict[str, str],
    leaves: Callable[[FakeEos], object],
    waits: Callable[[FakeEos], object],
) -> Iterator[Device]:
    """`start`: the configuration of a new switch, and the MAC of its management port."""
    (text, login), (_, host_key) = key(), key()
    (folder / "id").write_text(text)
    with make(*start, host_key, login.get_base64()) as switch:
        name = test_eos_push.NAME
        (folder / "config").write_text(
            f"Host {name}\n  HostName 127.0.0.1\n  Port {switch.port}\n  User admin\n"
        )
        known = f"[127.0.0.1]:{switch.port} {host_key.get_name()} {host_key.get_base64()}\n"
        (folder / "known_hosts").write_text(known)
        yield Typed(folder, switch, plan, name, Secrets(values), leaves, waits)


def _eos(folder: Path) -> AbstractContextManager[Device]:
    here = test_eos_push
    return _typed(
        folder, FakeEos, (here.FACTORY, here.MANAGEMENT.mac or ""), here.PLAN, here.VALUES,
        lambda one: [name for name, said in one.store.sessions.items() if said.state == "pending"],
        lambda one: one.store.timed,
    )  # fmt: skip


def _nxos(folder: Path) -> AbstractContextManager[Device]:
    here = test_nxos_push
    mac = ".".join(re.findall("....", (here.MANAGEMENT.mac or "").replace(":", "")))

    def left(one: FakeEos) -> object:
        assert isinstance(one, FakeNxos)
        return [*one.store.checkpoints, *one.store.flash]

    def waits(one: FakeEos) -> object:
        assert isinstance(one, FakeNxos)
        return one.store.is_timed

    return _typed(folder, FakeNxos, (here.FACTORY, mac), here.PLAN, here.VALUES, left, waits)


DEVICES: dict[str, Callable[[Path], AbstractContextManager[Device]]] = {
    "eos": _eos,
    "nxos": _nxos,
}
