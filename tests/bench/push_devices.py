"""Switches that a push meets in the bench of its faults: models, each behind the same few words."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from deploy.context import Context, Journal
from deploy.lab.models.sonic.orchagent import started
from deploy.switches.push_secrets import Secrets
from deploy.switches.push_session import Session
from deploy.switches.switch_push import connect
from inventory.plan import Plan
from switch_configs import cli, dialect, render
from switch_configs.cumulus.files import startup
from switch_configs.cumulus.render import startup_text
from switch_configs.cumulus.running import numbered
from switch_configs.intent import Rendered
from tests.deploy.fake_eos import FakeEos, Served
from tests.deploy.fake_nxos import FakeNxos
from tests.deploy.switches import test_cumulus_push, test_eos_push, test_nxos_push, test_sonic_push
from tests.deploy.switches.test_cumulus_push import Switch as CumulusSwitch
from tests.deploy.switches.test_eos_push import key
from tests.deploy.switches.test_sonic_push import SonicSwitch
from tests.switch_configs.sonic.plans import database

WINDOW_S = 60
Kind = TypeVar("Kind", bound=Served)


class Device(Protocol):
    """One switch with a plan. What it runs and has saved are texts that only it understands."""

    new: Rendered
    secrets: Secrets
    window_s: int

    @property
    def name(self) -> str:
        """Whose plan it has."""

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
class Typed(Generic[Kind]):
    """A model of a command line, reached over real SSH by netmiko."""

    folder: Path
    switch: Kind
    plan: Plan
    name: str
    secrets: Secrets
    leaves: Callable[[Kind], object]
    waits: Callable[[Kind], object]
    window_s: int = WINDOW_S
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
        if self.waited_s >= self.window_s:
            self.switch.go_back()

    def restart(self) -> None:
        self.switch.restart()

    def fill(self, *, full: bool) -> None:
        self.switch.faults.flash_full = full


@contextmanager
def _typed(
    folder: Path,
    make: type[Kind],
    start: tuple[str, str],
    plan: Plan,
    values: dict[str, str],
    leaves: Callable[[Kind], object],
    waits: Callable[[Kind], object],
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
    return _typed(
        folder, FakeNxos, (here.FACTORY, mac), here.PLAN, here.VALUES,
        lambda one: [*one.store.checkpoints, *one.store.flash],
        lambda one: one.store.is_timed,
    )  # fmt: skip


@dataclass
class InAShell:
    """A model behind a login with sudo, whose commands run in this machine's shell."""

    folder: Path
    switch: SonicSwitch | CumulusSwitch
    plan: Plan
    new: Rendered
    secrets: Secrets
    held: Callable[[], tuple[object, object, object]]
    filled: Callable[[bool], None]
    window_s: int = WINDOW_S

    @property
    def name(self) -> str:
        return self.switch.name

    def context(self, journal: Journal) -> Context:
        files = (self.folder / "config", self.folder / "known_hosts")
        return Context(self.plan, self.plan.site, self.folder, *files, lambda _: None, journal)

    def connect(self, context: Context) -> Session:
        del context
        return self.switch.login()

    @property
    def runs(self) -> object:
        return self.held()[0]

    @property
    def saved(self) -> object:
        return self.held()[1]

    @property
    def left(self) -> object:
        return self.held()[2]

    def later(self, seconds: float) -> None:
        self.switch.later(seconds)

    def restart(self) -> None:
        self.switch.restart()

    def fill(self, *, full: bool) -> None:
        self.filled(full)


@contextmanager
def _cumulus(folder: Path) -> Iterator[Device]:
    here = test_cumulus_push
    switch = CumulusSwitch(folder / "switch")
    text = startup_text(here.NAME, "5.14.0", numbered(here.NEW))
    new = Rendered(here.NAME, "cumulus", (startup(text),))

    def filled(full: bool) -> None:
        switch.put(refuses=["config save", "config patch"] if full else [])

    with switch.start(here.OLD):
        yield InAShell(
            folder, switch, here.PLAN, new, Secrets(),
            lambda: (switch.runs, switch.nvue["startup"], switch.waits or None), filled,
        )  # fmt: skip


def _sonic(folder: Path) -> AbstractContextManager[Device]:
    here = test_sonic_push
    start = json.dumps(here.factory(here.PLAN.switch[here.NAME])), ""
    return _sonic_from(folder, start, here.PLANNED)


def _sonic_rows(folder: Path) -> AbstractContextManager[Device]:
    """One that has its plan, and gets other values of QoS while it runs."""
    here = test_sonic_push
    database_, frr = here.SECRETS.filled(here.PLANNED).files
    return _sonic_from(folder, (database_.text, frr.text), here.QOS)


@contextmanager
def _sonic_from(folder: Path, start: tuple[str, str], new: Rendered) -> Iterator[Device]:
    here = test_sonic_push
    switch = SonicSwitch(folder / "switch")
    switch.start(*start)
    tables = database(here.SECRETS.filled(new))

    def held() -> tuple[object, object, object]:
        frr = switch.frr_conf.read_text() if switch.frr_conf.exists() else None
        runs = here.of_plan(switch.runs, tables), switch.held["frr"] or None, switch.asic
        boots = started(switch.machine.with_init(json.dumps(switch.startup))).does
        saved = here.of_plan(switch.startup, tables), frr, boots
        return runs, saved, switch.waits or None

    def filled(full: bool) -> None:
        if full != switch.is_full:
            (switch.fill if full else switch.clean)()

    yield InAShell(folder, switch, here.PLAN, new, here.SECRETS, held, filled)


DEVICES: dict[str, Callable[[Path], AbstractContextManager[Device]]] = {
    "cumulus": _cumulus,
    "eos": _eos,
    "nxos": _nxos,
    "sonic": _sonic,
    "sonic-rows": _sonic_rows,
}
