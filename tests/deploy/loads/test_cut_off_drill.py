"""Drills that a run was cut off in: only what a device shows ends one, and none stops a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deploy.context import Context, no_journal
from deploy.errors import RailbedError
from deploy.loads import cut_off_drill
from deploy.loads.guarded_drill import PACE
from deploy.record.journal import BEGINS, DRILL, OVER, Record
from deploy.record.rows import ChangeRow
from deploy.switches.push_flow import Push
from deploy.switches.push_session import DeviceUnreachable, Session
from inventory import open_site
from switch_configs import dialect
from tests.deploy.loads.test_soak_run import Deaf
from tests.deploy.switches.test_cumulus_push import Switch
from tests.validation.healthy.stage_80 import summary
from tests.validation.stages.test_guarded_drills import pulled, small
from validation.evidence.gather import Reply, Transport
from validation.stages.s80_soak import work
from validation.stages.s80_soak.drills import drills
from validation.stages.s80_soak.terms import drilling

LAB = open_site("lab")
GUARDED = small("eos")
LEFT = "nothing of the drill is left"


class Bed:
    """A record that says that a drill was cut off, and what is said of it then."""

    def __init__(self, folder: Path, plan: Any = LAB) -> None:
        self.plan, self.said = plan, list[str]()
        self.record = Record(folder / "record.sqlite")
        self.context = Context(
            plan, plan.site, folder, folder / "config", folder / "known_hosts",
            self.said.append, no_journal,
        )  # fmt: skip

    def note(self, device: str, detail: str) -> None:
        run = self.record.begin_run(self.plan.site, self.plan.digest)
        self.record.change(run, ChangeRow(DRILL, device, DRILL, "", "none", "", "", detail))
        self.record.end_run(run, "failed")

    def mend(self, transport: Transport, pushing: Any = None) -> str:
        """What the next run does first; what it says last."""
        run = self.record.begin_run(self.plan.site, self.plan.digest)
        cut_off_drill.end_cut_off(self.context, transport, self.record, run, pushing)
        assert self.record.locks() == {}
        return self.said[-1] if self.said else ""


@pytest.fixture
def bed(tmp_path) -> Iterator[Bed]:
    made = Bed(tmp_path)
    yield made
    made.record.close()


class Frr:
    """A Linux switch whose `ip`, `nft`, `vtysh` and systemd are of this folder."""

    def __init__(self, folder: Path, name: str) -> None:
        self.switch = Switch(folder / name, name, LAB.switch[name].management)
        self.switch.furnish()
        tell = 'echo "${0##*/} $*" >> "${0%/bin/*}/told/all"'
        show = f'{tell}\ncase "$*" in *show*) cat "${{0%/bin/*}}/told/shown"; esac'
        self.switch.install({**dict.fromkeys(("ip", "nft", "systemctl"), tell), "vtysh": show})

    def shows(self, text: str) -> None:
        (self.switch.root / "told/shown").write_text(f"{text}\n")

    @property
    def told(self) -> str:
        return (self.switch.root / "told/all").read_text()

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        assert device == self.switch.name
        here = script.replace("PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH", "")
        done = self.switch.shell("sh -s", here.encode(), timeout_s)
        return Reply(done.stdout, done.returncode, done.stderr.decode())


@pytest.fixture
def quick(monkeypatch) -> None:
    monkeypatch.setattr(work, "drilling", lambda: replace(drilling(), restore_s=1))


RUNS = "frr version 8.4\n{}router bgp 65001\nexit\n!\nend"
DRAINED = RUNS.format("bgp graceful-shutdown\n!\n")


@pytest.mark.parametrize("drill", drills(LAB, frozenset(LAB.devices)), ids=lambda one: one.how)
def test_a_drill_of_a_shell_is_over_only_once_the_device_shows_it(bed, tmp_path, quick, drill):
    name, frr = drill.device, Frr(tmp_path, drill.device)
    well, ill = summary(LAB, name), summary(LAB, name, "Idle")
    if drill.how == "drain":
        well, ill = RUNS.format(""), DRAINED
    bed.note(name, f"{BEGINS}{drill.id}")
    for unsaid in (ill, "% BGP instance not found"):
        frr.shows(unsaid)
        assert LEFT not in bed.mend(frr)
        assert set(bed.record.cut_off_drills()) == {name}
    frr.shows(well)
    assert bed.mend(frr) == f"{name}: {LEFT}"
    assert bed.record.cut_off_drills() == {}
    ended = [f"systemctl stop {drill.unit}.timer"] * 3
    assert [one for one in frr.told.splitlines() if one.startswith("systemctl")] == ended


def test_a_drill_that_the_plan_has_no_more_is_over_once_its_device_is_well(bed, tmp_path, quick):
    name = next(one.device for one in drills(LAB, frozenset(LAB.devices)) if one.how == "off")
    frr = Frr(tmp_path, name)
    bed.note(name, f"{BEGINS}off:{name}:gone0")
    frr.shows(summary(LAB, name, "Idle"))
    assert LEFT not in bed.mend(frr)
    frr.shows(summary(LAB, name))
    assert bed.mend(frr) == f"{name}: {LEFT}"
    assert "ip " not in frr.told
    assert bed.record.cut_off_drills() == {}


@pytest.fixture
def pushed(tmp_path) -> Iterator[Bed]:
    """Of a switch whose drills are pushes."""
    made = Bed(tmp_path, GUARDED)
    made.note(pulled("eos").device, f"{BEGINS}{pulled('eos').id}")
    yield made
    made.record.close()


def test_what_a_push_lacks_is_told_and_the_run_goes_on(pushed):
    def pushing(*_: object) -> Push:
        raise RailbedError("no secret of that name")

    name = pulled("eos").device
    assert pushed.mend(Deaf(), pushing) == f"{name}: no secret of that name"
    assert set(pushed.record.cut_off_drills()) == {name}


def test_a_switch_that_is_not_reached_is_tried_once(pushed, monkeypatch):
    tries: list[int] = []

    def connect() -> Session:
        tries.append(1)
        raise DeviceUnreachable("timed out")

    def pushing(context: Context, name: str, *_: object) -> Push:
        new = context.render(name)
        return Push(context, name, dialect("eos"), new, lambda _: (), connect, True, PACE)

    monkeypatch.setattr("deploy.loads.cut_off_drill.time.sleep", lambda _: pytest.fail("it waits"))
    assert pushed.mend(Deaf(), pushing) == f"{pulled('eos').device}: timed out"
    assert tries == [1]


def test_a_drill_that_ends_before_it_is_held_is_left_alone(pushed, monkeypatch):
    name, lock = pulled("eos").device, pushed.record.lock

    def late(run: int, devices: list[str]) -> None:
        pushed.note(name, f"{OVER}: {pulled('eos').id}")
        lock(run, devices)

    monkeypatch.setattr(pushed.record, "lock", late)
    assert pushed.mend(Deaf(), lambda *_: pytest.fail("it is ended again")) == ""
    assert pushed.record.cut_off_drills() == {}
