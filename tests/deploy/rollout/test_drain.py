"""A spine of models is drained before it is changed: in which order, and how each end is undrained.

Three systems: two whose configuration is typed or replaced as a whole, one whose FRR takes the
drain beside its file. No model forwards: its counters stand still once it asks to be used last.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from deploy.record.journal import Record
from deploy.rollout.drain import drains, idle
from deploy.rollout.fabric_check import FabricCheck
from deploy.rollout.runbook import ApplyResult, preview
from deploy.rollout.survey import survey
from deploy.switches import typed_run
from inventory.plan import Plan, Switch
from switch_configs import render
from switch_configs.shown.secrets import WORD
from switch_configs.sonic.files import CONFIG_DB, FRR
from tests.deploy import fake_nxos
from tests.deploy.fake_eos import FakeEos, stored
from tests.deploy.fake_nxos import FakeNxos
from tests.deploy.rollout import test_eos_rollout, test_nxos_rollout, test_sonic_rollout
from tests.deploy.rollout.in_shells import in_shells
from tests.deploy.rollout.models import (
    SECRETS,
    SNMP,
    Site,
    behind_ssh,
    leaf_and_spine,
    made_quick,
)
from tests.deploy.shell_switch import Killed
from tests.deploy.switches.test_sonic_push import SonicSwitch
from tests.validation.carried_says import interface, interface_counters
from tests.validation.shows.state import Device

SPINE, OTHER, LEAF = "spine1", "spine2", "leaf-p1-1"


def bare(text: str) -> str:
    """Its lines, sorted, without remarks: systems keep none, and an order of their own."""
    return "".join(f"{one}\n" for one in sorted(text.splitlines()) if not one.startswith("!"))


class Typed:
    """A spine with a command line; `log` are the lines that were typed."""

    marks = ("set community GSHUT additive", "no set community GSHUT additive")
    sends, saves, loads = "copy terminal: session-config", "write memory", "commit timer"

    def __init__(self, model: FakeEos) -> None:
        self.model = model

    @property
    def log(self) -> list[str]:
        return self.model.commands

    @property
    def runs(self) -> str:
        return bare(self.model.store.running)

    @property
    def saved(self) -> str:
        return bare(self.model.store.startup)

    @property
    def is_drained(self) -> bool:
        return self.marks[0] in self.runs

    def differ(self) -> None:
        """Somebody typed a list and saved that."""
        lines = self.model.store.running.splitlines(keepends=True)
        at = next(i for i, one in enumerate(lines) if one.startswith("route-map "))
        more = "ip prefix-list STRAY seq 5 permit 192.0.2.0/24\n"
        text = "".join((*lines[:at], more, *lines[at:]))
        self.model.store.running = self.model.store.startup = text


class Replaced(Typed):
    """An NX-OS spine."""

    marks = ("graceful-shutdown activate", "no graceful-shutdown activate")
    sends, saves = "configure replace bootflash", "copy running-config startup-config"
    loads = "best-effort commit-timeout"


class Beside:
    """A SONiC spine; `log` are the programs that ran."""

    marks = ("-c bgp graceful-shutdown", "-c no bgp graceful-shutdown")
    sends, saves, loads = "vtysh -C", "", "systemctl restart bgp.service"

    def __init__(self, model: SonicSwitch) -> None:
        self.model = model

    @property
    def log(self) -> list[str]:
        return list(self.model.held["calls"])

    @property
    def runs(self) -> str:
        return bare(self.model.held["frr"])

    @property
    def saved(self) -> str:
        return bare(self.model.frr_conf.read_text())

    @property
    def is_drained(self) -> bool:
        return "bgp graceful-shutdown\n" in self.runs

    def differ(self) -> None:
        """Somebody wrote a line into FRR and its file."""
        more = "ip prefix-list STRAY seq 5 permit 192.0.2.0/24\n"
        self.model.frr_conf.write_text(self.model.frr_conf.read_text() + more)
        self.model.put(frr=self.model.held["frr"] + more, calls=[])


Spine = Typed | Beside


@contextmanager
def eos(plan: Plan, folder: Path, patch: pytest.MonkeyPatch) -> Iterator[Site[FakeEos]]:
    heard: dict[str, int] = {}

    def shows(switch: FakeEos, here: Device) -> dict[str, str]:
        if Typed.marks[0] not in switch.store.running:
            heard[here.name] = heard.get(here.name, 0) + 50_000_000
        both = (heard[here.name], 0)
        counters = {
            f"show interfaces {port} | json": interface(port, both, time.time())
            for port in here.ports
        }
        return test_eos_rollout.shows(switch, here) | counters

    made_quick(patch)
    # The wait for counters that are new is no matter of the order.
    patch.setattr(typed_run, "time", SimpleNamespace(monotonic=time.monotonic, sleep=id))
    with behind_ssh(plan, folder, FakeEos, planned, shows) as site:
        yield site


@contextmanager
def nxos(plan: Plan, folder: Path, patch: pytest.MonkeyPatch) -> Iterator[Site[FakeNxos]]:
    heard: dict[str, int] = {}

    def shows(switch: FakeNxos, here: Device) -> dict[str, str]:
        used = Replaced.marks[0] not in switch.store.running
        heard[here.name] = heard.get(here.name, 0) + (50_000_000 if used else 90)
        counters = interface_counters(dict.fromkeys(here.ports, (heard[here.name],) * 2))
        return test_nxos_rollout.shows(switch, here) | {"show interface counters | json": counters}

    def planned(plan: Plan, name: str, login: str) -> str:
        (file,) = render(plan, name).files
        return fake_nxos.stored(f"{filled(file.text)}{test_nxos_rollout.own(login)}")

    made_quick(patch)
    patch.setattr(typed_run, "time", SimpleNamespace(monotonic=time.monotonic, sleep=id))
    patch.setattr(idle, "BETWEEN_S", 1.1)  # its clock tells whole seconds
    patch.setattr(idle, "MOST_S", 5.0)
    with behind_ssh(plan, folder, FakeNxos, planned, shows) as site:
        yield site


@contextmanager
def sonic(plan: Plan, folder: Path, patch: pytest.MonkeyPatch) -> Iterator[Site[SonicSwitch]]:
    def started(root: Path, one: Switch) -> tuple[SonicSwitch, AbstractContextManager[object]]:
        model = SonicSwitch(root, one.name, one.management)
        texts = {file.path: filled(file.text) for file in render(plan, one.name).files}
        model.start(texts[CONFIG_DB], texts[FRR])
        return model, nullcontext()

    with in_shells(plan, folder, patch, started, test_sonic_rollout.says) as site:
        yield site


def filled(text: str) -> str:
    return WORD.sub(lambda one: SECRETS[one[1]], text)


def planned(plan: Plan, name: str, login: str) -> str:
    """What EOS runs that has its plan, with the account that it came with."""
    (file,) = render(plan, name).files
    factory = test_eos_rollout.factory(plan, name, login)
    users = "".join(re.findall(r"username .*\n", factory))
    return stored(f"{filled(file.text).removesuffix('end' + chr(10))}{users}!\n")


SYSTEMS: Mapping[str, Callable[..., AbstractContextManager[Site[Any]]]] = {
    "eos": eos,
    "nxos": nxos,
    "sonic": sonic,
}
MODELS: Mapping[str, Callable[..., Spine]] = {"eos": Typed, "nxos": Replaced, "sonic": Beside}
OWNERS = pytest.mark.skipif(os.geteuid() != 0, reason="files have owners")
EOS, SONIC = pytest.param("eos"), pytest.param("sonic", marks=OWNERS)
NXOS_TOO = pytest.param("nxos", marks=pytest.mark.full)
SONIC_TOO = pytest.param("sonic", marks=[OWNERS, pytest.mark.full])


def on(*systems: Any) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("built", systems, indirect=True)


@pytest.fixture
def built(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Site[Any], Spine]]:
    """A site that is as planned."""
    monkeypatch.setattr(idle, "BETWEEN_S", 0.02)
    monkeypatch.setattr(idle, "MOST_S", 1.0)
    system = request.param
    account, more = ("", "") if system == "sonic" else ("admin", SNMP)
    plan = leaf_and_spine(tmp_path / "mini", system, account, 1, 4, more, spines=2)
    state = tmp_path / "run"
    state.mkdir()
    with SYSTEMS[system](plan, state, monkeypatch) as site:
        assert survey(site.context, site.transport).as_planned >= set(plan.switch)
        model = site.switches[SPINE]
        yield site, MODELS[system](model)


def phases(site: Site[Any], result: ApplyResult) -> list[str]:
    with closing(Record(site.context.state_dir / "record.sqlite")) as record:
        rows = record.changes(result.run or 0)
    return list(dict.fromkeys(one.phase for one in rows if one.device == SPINE))


@pytest.mark.instances(keep=1, of="a spine is drained for its change")
@on(EOS, NXOS_TOO, SONIC)
def test_it_is_drained_idle_changed_and_undrained_and_a_restart_would_end_it(built, monkeypatch):
    site, spine = built
    before, asked, looked = spine.saved, FabricCheck.missing, list[bool]()

    def missing(
        check: FabricCheck, switch: str, deadline: float, *, whole: bool
    ) -> tuple[str, ...]:
        looked.append(spine.is_drained)
        if isinstance(spine, Typed):
            assert spine.marks[0] not in spine.saved
        return asked(check, switch, deadline, whole=whole)

    monkeypatch.setattr(FabricCheck, "missing", missing)
    spine.differ()
    (would,) = preview(site.context, site.transport, "switches").differences
    assert would.drain == f"is drained first, if its sessions work: {OTHER} can take its traffic"
    spine.log.clear()
    result = site.apply()
    assert result.exit_code == 0, (result.outcome, result.findings)
    assert looked == [True]
    assert spine.saved == before
    assert not spine.is_drained
    assert survey(site.context, site.transport).as_planned >= set(site.context.plan.switch)
    found = phases(site, result)
    assert found.index("drain") < found.index("stage")
    assert found.index("confirm") < found.index("undrain") < found.index("save")
    on, sent, loaded, off = (
        next(at for at, line in enumerate(spine.log) if line.endswith(word) or word in line)
        for word in (spine.marks[0], spine.sends, spine.loads, spine.marks[1])
    )
    assert on < sent < loaded < off
    if spine.saves:
        assert off < spine.log.index(spine.saves)
    told = r"drained: idle by its counters: at most [\d,]+ B/s on Ethernet[\d/]+ over"
    assert [one for one in site.said if re.search(told, one)]


@on(EOS, NXOS_TOO, SONIC_TOO)
def test_what_still_carries_traffic_is_not_changed(built, monkeypatch):
    site, spine = built
    spine.differ()
    before = spine.runs, spine.saved
    if isinstance(spine, Beside):
        spine.model.put(stuck=True)
    else:
        monkeypatch.setattr(type(spine), "marks", ("nobody types this", spine.marks[1]))
    result = site.apply()
    assert result.exit_code == 1
    assert f"{SPINE}: stopped before anything was applied: not seen idle in " in result.outcome
    assert "it still hears " in result.outcome
    assert (spine.runs, spine.saved) == before, "it is as it was, and undrained"
    assert result.changed == ()


@on(EOS, NXOS_TOO, SONIC_TOO)
def test_a_push_that_goes_back_ends_undrained(built, monkeypatch):
    site, spine = built
    spine.differ()
    before = spine.runs, spine.saved

    def missing(_: FabricCheck, switch: str, __: float, *, whole: bool) -> tuple[str, ...]:
        assert (switch, spine.is_drained, whole) == (SPINE, True, True)
        return ("a session is gone",)

    monkeypatch.setattr(FabricCheck, "missing", missing)
    result = site.apply()
    assert result.exit_code == 1
    assert "the device has its old configuration again" in result.outcome
    assert (spine.runs, spine.saved) == before


@pytest.mark.instances(keep=1, of="a spine is drained for its change")
@pytest.mark.parametrize(
    ("built", "at"),
    [
        pytest.param("eos", "idle", marks=pytest.mark.full),
        pytest.param("eos", "verify"),
        pytest.param("nxos", "verify", marks=pytest.mark.full),
        pytest.param("sonic", "idle", marks=[OWNERS, pytest.mark.full]),
        pytest.param("sonic", "verify", marks=[OWNERS, pytest.mark.full]),
    ],
    indirect=["built"],
)
def test_a_run_that_is_cut_while_it_is_drained_is_mended_by_the_next(built, monkeypatch, at):
    site, spine = built
    whole = spine.runs, spine.saved
    spine.differ()

    def cut(*_: object, **__: object) -> str:
        raise Killed

    with monkeypatch.context() as patch:
        if at == "idle":
            patch.setattr(drains, "seen_idle", cut)
        else:
            patch.setattr(FabricCheck, "missing", cut)
        with pytest.raises(Killed):
            site.apply()
    assert spine.is_drained
    assert SPINE not in survey(site.context, site.transport).as_planned
    result = site.apply()
    assert result.exit_code == 0, (result.outcome, result.findings)
    assert (spine.runs, spine.saved) == whole
    assert SPINE in survey(site.context, site.transport).as_planned


@pytest.mark.full
@on(EOS, NXOS_TOO, SONIC_TOO)
def test_without_another_way_it_says_so_and_goes_on(built):
    site, spine = built
    sessions = site.context.plan.switch[LEAF].sessions
    gone = {one.port for one in sessions if one.peer.device == OTHER}
    for session in site.state[LEAF].sessions:
        session.state = "Active" if session.at in gone else session.state
    spine.differ()
    result = site.apply()
    assert "a drain would change nothing: no other way works from leaf-p1-1 up" in repr(site.said)
    assert not [one for one in spine.log if one.endswith(spine.marks[0])]
    assert phases(site, result)[-1] == "save", "what failed before fails at the gate, not here"
