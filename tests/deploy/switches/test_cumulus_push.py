"""A whole push to Cumulus Linux through `sudo` and a shell, against a model of NVUE.

The model is the lab's (`tests/deploy/fake_nvue.py`); the session's commands run in this machine's
sh.
"""

from __future__ import annotations

import copy
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest

from deploy.switches.push_result import NEITHER, PushResult
from deploy.transport.ssh_run import AS_ROOT
from inventory import open_site
from inventory.plan import Management
from switch_configs import dialect
from switch_configs.cumulus import files
from switch_configs.cumulus.render import startup_text
from switch_configs.cumulus.running import numbered
from switch_configs.intent import Rendered
from tests.deploy import fake_nvue
from tests.deploy.fake_nvue import Daemon
from tests.deploy.shell_switch import (
    PACE,
    InItsShell,
    Killed,
    ShellBench,
    ShellSwitch,
    killed,
    same_time,
)
from tests.switch_configs.intents import base

pytestmark = pytest.mark.instances(keep=6, of="pushes to cumulus", but="secret|password|privilege")

Tree = dict[str, Any]
NAME = "spine1"
PLAN = open_site("lab")
TONGUE = dialect("cumulus")


def tree(mtu: str, **more: object) -> Tree:
    auto = {"system": {"config": {"auto-save": {"state": "disabled"}}}}
    ports = {"eth0": {"type": "eth"}, "swp1": {"link": {"mtu": mtu}}}
    return fake_nvue.merged(auto, {"interface": {**ports, **more}})


OLD, NEW = tree("9216"), tree("4200")
CUTS = tree("4200", eth0={"link": {"state": "down"}})
SPLIT: Tree = {"link": {"breakout": {"2x": {}}}}
CAGES = tree("4200", swp3=SPLIT, swp3s0={"qos": {"mapping": {"profile": "roce"}}})


@dataclass
class Switch(ShellSwitch):
    """The root of a switch with NVUE."""

    name: str = NAME
    management: Management = PLAN.switch[NAME].management
    boots: int = 0
    held: Tree = field(default_factory=dict)
    programs: ClassVar[dict[str, str]] = {
        "vtysh": 'echo "$*"',
        "systemctl": "echo enabled",
        "cl-acltool": "exit 0",
        "chown": "exit 0",
    }
    places: ClassVar[re.Pattern[str]] = re.compile(
        r"(?<![\w/.-])/(?=(var/lib/railbed|run/|etc/cumulus|proc/sys|sys/class)\b)"
    )

    def start(self, held: Tree) -> Daemon:
        """Make the folder; its nvued is to be entered."""
        self.furnish()
        (self.root / "var/lib").mkdir(parents=True)
        self.held = fake_nvue.new(held)
        return Daemon(self.root / "bin", self.held)

    @property
    def nvue(self) -> Tree:
        """What NVUE holds now, its timer looked at."""
        fake_nvue.Nvue(self.held)
        return self.held

    def put(self, **values: object) -> None:
        self.held.update(values)

    @property
    def runs(self) -> Tree:
        held = self.nvue
        return dict(held["revisions"][held["applied"]]["tree"])

    @property
    def is_reachable(self) -> bool:
        return bool(self.runs["interface"]["eth0"].get("link") != {"state": "down"})

    @property
    def waits(self) -> bool:
        return bool(self.nvue["until"])

    def later(self, seconds: float) -> None:
        self.put(later_s=self.nvue["later_s"] + seconds)

    def restart(self) -> None:
        fake_nvue.restart(self.nvue)
        for one in (self.root / "run").iterdir():
            one.unlink()
        self.boots += 1

    @property
    def line(self) -> object:
        return self.boots

    @property
    def clock_s(self) -> float:
        return time.monotonic() + float(self.nvue["later_s"])


@dataclass
class Bench(ShellBench):
    switch: Switch

    def push(self, wanted: Tree, *, dry_run: bool = False) -> PushResult:
        text = startup_text(NAME, "5.14.0", numbered(wanted))
        return self.run(Rendered(NAME, "cumulus", (files.startup(text),)), dry_run)

    def converges(self, wanted: Tree) -> None:
        """A next push ends well, whatever was before."""
        result = self.push(wanted)
        assert (result.ok, result.message) == (True, result.message)
        assert self.switch.runs == wanted == self.switch.nvue["startup"]
        assert not self.switch.waits

    def has_nothing_to_do(self, wanted: Tree) -> None:
        calls = len(self.switch.nvue["calls"])
        last = self.push(wanted)
        assert (last.ok, last.changed, last.message) == (True, False, "nothing to change")
        assert not [one for one in self.switch.nvue["calls"][calls:] if "apply" in one]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    switch = Switch(tmp_path / "switch")
    same_time(monkeypatch, switch)
    (tmp_path / "state").mkdir()
    with switch.start(OLD):
        yield Bench(switch, tmp_path / "state", PLAN)


def test_a_push_is_confirmed_over_a_second_login_and_saved(bench):
    result = bench.push(NEW)
    assert (result.ok, result.confirmed, result.message) == (True, True, "confirmed and read back")
    assert bench.switch.runs == NEW == bench.switch.nvue["startup"]
    assert bench.switch.logins == 2
    assert result.impact == "link flap"
    bench.has_nothing_to_do(NEW)


def test_a_dry_run_asks_and_changes_nothing(bench):
    before = copy.deepcopy(bench.switch.nvue["revisions"])
    assert bench.push(NEW, dry_run=True).message == "dry run: nothing sent"
    assert bench.switch.nvue["revisions"] == before


def test_survey_evidence_and_drain_go_through_the_same_sudo(bench):
    """As `SshTransport` sends them: a script that its login's shell gives to a shell of root."""
    drain = TONGUE.drain_command(base("cumulus", "storage-spine1"), drained=True)
    for script in (TONGUE.fetch_command(), TONGUE.state_command()):
        said = bench.switch.by_hand(AS_ROOT, script)
        assert (
            TONGUE.running(NAME, said).files[0].text.startswith(f"# {NAME}: Cumulus Linux 5.14.0")
        )
        assert (bench.switch.root / "run/sudo").read_text() == "-n -- sh -s\n"
        (bench.switch.root / "run/sudo").unlink()
    assert "bgp graceful-shutdown" in bench.switch.by_hand(AS_ROOT, drain)
    assert (bench.switch.root / "run/sudo").read_text() == "-n -- sh -s\n"


# -- cut, restarted, too late ------------------------------------------------------------------

STEPS = {
    "patch": "nv config patch",
    "arm": "touch ",
    "apply": "nv config apply -y --confirm",
    "confirm": "--confirm-yes",
    "save": "nv config save",
}


@pytest.mark.parametrize("step", STEPS)
def test_a_push_that_is_killed_after_a_step_is_ended_by_the_next_one(bench, step):
    bench.switch.after[STEPS[step]] = killed
    with pytest.raises(Killed):
        bench.push(NEW)
    assert bench.switch.waits == (step == "apply")
    bench.converges(NEW)
    assert any("taking it back" in one for one in bench.said) == (step == "apply")


@pytest.mark.parametrize("step", STEPS)
def test_a_restart_after_a_step_leads_back_until_it_is_saved(bench, step):
    bench.switch.after[STEPS[step]] = bench.switch.restart
    result = bench.push(NEW)
    assert not result.ok
    assert bench.switch.runs == bench.switch.nvue["startup"] == (NEW if step == "save" else OLD)
    assert result.rolled_back == (step != "save")
    assert not bench.switch.waits


def test_a_management_port_that_is_cut_comes_back_by_nvues_own_timer(bench):
    result = bench.push(CUTS)
    assert (result.ok, result.rolled_back, result.confirmed) == (False, True, False)
    assert bench.switch.runs == OLD == bench.switch.nvue["startup"]
    assert "--confirm-no" not in str(bench.switch.nvue["calls"])
    bench.converges(NEW)


def test_a_timer_that_ends_while_we_look_is_no_success(bench):
    """The last look is in time, and NVUE goes back before the confirmation arrives."""
    connect: Callable[[], InItsShell] = bench.connect
    logins = iter(range(9))

    def slow() -> InItsShell:
        if next(logins) == 1:
            bench.switch.later(PACE.window_s + 1)
        return connect()

    bench.connect = slow
    result = bench.push(NEW)
    assert (result.ok, result.rolled_back) == (False, True)
    assert "confirm: exit status 1: nothing waits to be confirmed" in result.message
    assert bench.switch.runs == OLD == bench.switch.nvue["startup"]
    bench.connect = connect
    bench.converges(NEW)


def test_a_slow_apply_is_confirmed_by_the_time_that_nvue_counts(bench):
    """NVUE's timer begins when it has applied: an earlier one of ours would be over by then."""
    bench.switch.put(apply_s=100.0)
    assert bench.push(NEW).confirmed
    bench.switch.put(apply_s=0.0)
    bench.switch.later(PACE.window_s + 1)
    assert bench.switch.runs == NEW == bench.switch.nvue["startup"]


def test_a_slow_apply_that_cuts_management_is_waited_for(bench):
    bench.switch.put(apply_s=200.0)
    result = bench.push(CUTS)
    assert (result.ok, result.rolled_back) == (False, True)
    assert bench.switch.runs == OLD == bench.switch.nvue["startup"]


def test_a_slow_apply_whose_push_was_killed_is_seen_to_wait(bench):
    """Longer ago than the window since it was armed, and NVUE's own timer still runs."""
    bench.switch.put(apply_s=100.0)
    bench.switch.after[STEPS["apply"]] = killed
    with pytest.raises(Killed):
        bench.push(NEW)
    bench.switch.put(apply_s=0.0)
    assert bench.switch.waits
    assert bench.push(NEW, dry_run=True).message.startswith("an unconfirmed push was on the device")
    bench.converges(NEW)
    assert "config apply 2 --confirm-no" in bench.switch.nvue["calls"]


def test_a_refused_going_back_is_asked_again_and_the_timer_waited_for(bench):
    bench.switch.after[STEPS["apply"]] = killed
    with pytest.raises(Killed):
        bench.push(NEW)
    bench.switch.put(refuses=["config apply 2 --confirm-no"])
    bench.converges(NEW)
    assert bench.switch.nvue["calls"].count("config apply 2 --confirm-no") > 1


def test_a_confirmation_that_is_refused_is_taken_back(bench):
    bench.switch.put(refuses=["config apply 2 --confirm-yes"])
    result = bench.push(NEW)
    assert (result.ok, result.rolled_back, result.confirmed) == (False, True, False)
    bench.switch.put(refuses=[])
    bench.converges(NEW)


def test_what_nobody_had_saved_is_saved_first_and_is_what_it_goes_back_to(bench):
    """It has its old configuration again, although a restart boots it now."""
    bench.switch.by_hand("nv set interface swp2 link mtu 1500 && nv config apply -y")
    before = bench.switch.runs
    assert bench.switch.nvue["startup"] == OLD != before
    bench.switch.put(refuses=["config apply 3 --confirm-yes"])
    result = bench.push(NEW)
    assert (result.ok, result.rolled_back, result.confirmed) == (False, True, False)
    assert "the device has its old configuration again" in result.message
    assert bench.switch.runs == bench.switch.nvue["startup"] == before


def test_before_it_sends_anything_it_says_what_this_very_change_does(bench):
    words = tree("9216", swp1={"link": {"mtu": "9216"}, "description": "told"})
    assert bench.push(words, dry_run=True).impact == "none"
    bench.switch.by_hand("nv set interface swp2 link mtu 1500 && nv config apply -y")  # not saved
    seed = fake_nvue.merged(NEW, {"system": {"forwarding": {"hash-seed": "7"}}})
    assert bench.push(seed, dry_run=True).impact == "reload"
    said = [re.sub(r".*impact: (.*)\)", r"\1", one) for one in bench.said]
    assert said == ["none", "reload", "none"], "the last is that it is not saved"


def test_what_was_confirmed_and_not_saved_is_saved_by_the_next_run(bench):
    bench.switch.put(refuses=["config save"])
    result = bench.push(NEW)
    assert not result.ok
    assert "save: exit status 1" in result.message
    assert (bench.switch.runs, bench.switch.nvue["startup"]) == (NEW, OLD)
    bench.switch.put(refuses=[])
    second = bench.push(NEW)
    assert [one.name for one in second.steps] == ["save"]
    assert second.ok
    assert bench.switch.nvue["startup"] == NEW
    bench.has_nothing_to_do(NEW)


# -- others, refusals --------------------------------------------------------------------------


def test_a_change_of_somebody_else_that_waits_is_left_alone(bench):
    line = "nv set interface swp2 link mtu 1500 && nv config apply -y --confirm 5m"
    bench.switch.by_hand(line)
    result = bench.push(NEW)
    assert not result.ok
    assert "not railbed's waits to be confirmed (revision 2)" in result.message
    assert bench.switch.waits
    bench.switch.later(301)
    bench.converges(NEW)


def test_a_patch_that_nvue_refuses_does_not_lie_there_for_others(bench):
    bench.switch.put(refuses=["config diff"])
    unsaved = bench.push(NEW)
    assert not unsaved.ok  # its own comparison with the startup file fails first
    bench.switch.put(refuses=["config patch"])
    result = bench.push(NEW)
    assert not result.ok
    assert "Error" in result.message
    assert bench.switch.nvue["pending"] == ""
    assert bench.switch.runs == OLD
    bench.switch.put(refuses=[])
    bench.converges(NEW)


@pytest.mark.parametrize("says_well", [False, True])
def test_what_nvue_does_not_apply_is_no_success_whatever_its_status_says(bench, says_well):
    bench.switch.put(says_well=says_well)
    result = bench.push(tree("4200", swp2={"link": {"mtus": "1"}}))
    assert (result.ok, result.confirmed) == (False, False)
    why = "nothing waits to be confirmed" if says_well else "Config invalid at interface.swp2"
    assert why in result.message
    assert bench.switch.runs == OLD == bench.switch.nvue["startup"]
    assert bench.switch.nvue["pending"] == ""
    bench.converges(NEW)


def test_nvued_that_is_down_is_a_refusal(bench):
    bench.switch.put(down=True)
    result = bench.push(NEW)
    assert (result.ok, result.changed) == (False, False)


def test_a_switch_that_saves_by_itself_boots_nothing_that_nobody_confirmed(bench):
    bench.switch.by_hand("nv set system config auto-save state enabled && nv config apply -y")
    bench.switch.after[STEPS["apply"]] = bench.switch.restart
    assert not bench.push(NEW).ok
    assert bench.switch.runs["interface"] == OLD["interface"]
    bench.converges(NEW)


# -- two parts ---------------------------------------------------------------------------------


def test_cages_are_split_under_the_timer_before_what_they_carry(bench):
    result = bench.push(CAGES)
    assert (result.ok, result.confirmed, result.message) == (True, True, "confirmed and read back")
    names = [one.name for one in result.steps]
    assert names.count("apply") == names.count("confirm") == names.count("save") == 2
    applies = [one for one in bench.switch.nvue["calls"] if one.startswith("config apply -y")]
    assert applies == ["config apply -y --confirm 60s"] * 2
    bench.has_nothing_to_do(CAGES)


@pytest.mark.parametrize("step", ["apply", "save"])
def test_a_push_that_is_killed_in_its_first_part_is_ended_by_the_next_one(bench, step):
    bench.switch.after[STEPS[step]] = killed
    with pytest.raises(Killed):
        bench.push(CAGES)
    bench.converges(CAGES)


def test_a_second_part_that_goes_back_leaves_what_is_neither_old_nor_new(bench):
    """Its timer runs out as soon as it has applied; the first part stays confirmed."""

    def first_saved() -> None:
        bench.switch.after[STEPS["apply"]] = lambda: bench.switch.later(PACE.window_s + 1)

    bench.switch.after[STEPS["save"]] = first_saved
    result = bench.push(CAGES)
    assert (result.ok, result.changed, result.rolled_back) == (False, True, False)
    assert bench.switch.runs["interface"]["swp3"] == SPLIT
    assert bench.noted[-1][-1] == NEITHER, "a later run may not take it for the old plan"
    bench.converges(CAGES)


def test_a_second_part_that_fails_leaves_the_first_saved(bench):
    bench.switch.put(refuses=[f"config patch {bench.switch.root}/var/lib/railbed/set.yaml"])
    result = bench.push(CAGES)
    assert not result.ok
    assert result.changed
    assert bench.switch.runs == bench.switch.nvue["startup"]
    assert bench.switch.runs["interface"]["swp3"] == SPLIT
    assert "swp3s0" not in bench.switch.runs["interface"]
    bench.switch.put(refuses=[])
    bench.converges(CAGES)
