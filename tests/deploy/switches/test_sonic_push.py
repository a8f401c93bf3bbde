"""A whole push to SONiC by `admin` with sudo, against a model of the switch.

The model is `tests/deploy/fake_sonic.py`; commands of the session run in this machine's sh.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import pytest

from deploy.lab.models.sonic import sonic_yang
from deploy.lab.models.sonic.orchagent import Orchagent, started
from deploy.lab.models.sonic.tables import hashes, tables
from deploy.lab.models.trees import Tree, merged
from deploy.switches.push_result import PushResult
from deploy.switches.push_secrets import Secrets
from deploy.switches.push_session import DeviceUnreachable
from deploy.transport.ssh_run import AS_ROOT
from inventory.plan import Management, Switch
from switch_configs.intent import Rendered
from switch_configs.shown.secrets import names
from switch_configs.sonic.files import CONFIG_DB, FRR
from tests.deploy import fake_sonic
from tests.deploy.fake_sonic import Machine
from tests.deploy.shell_switch import (
    PACE,
    InItsShell,
    Killed,
    ShellBench,
    ShellSwitch,
    killed,
    same_time,
)
from tests.switch_configs.sites import small
from tests.switch_configs.sonic.plans import SONIC, database, made

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="files have owners"),
    pytest.mark.instances(keep=8, of="pushes to sonic", but="secret|password|privilege"),
]
PLAN = small("sonic")
NAME = "leaf-p1-r0"
PLANNED = SONIC.render(made(PLAN, NAME))
SECRETS = Secrets({one: f"Sw0rdfish{at}" for at, one in enumerate(names(PLANNED.files[0].text))})
_HERE = Path(fake_sonic.__file__).parent
_LAB = _HERE.parents[1] / "deploy/lab"
# Its programs start often, and without what the rooms above the model bring.
_ALONE = f"""import sys, types
for name, path in (("deploy", "{_LAB.parent}"), ("deploy.lab", "{_LAB}")):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = [path]
sys.path[0] = "{_HERE}"
import fake_sonic
sys.exit(fake_sonic.main())"""
PENDING = "host/railbed/pending"
# Nobody plans these: a way in, and a feature that somebody switched off.
OWN: Tree = {
    "SSH_SERVER": {"POLICIES": {"ports": "2222"}},
    "FEATURE": {"sflow": {"state": "disabled"}},
}


def factory(one: Switch) -> Tree:
    """What a person types on a new switch (its README), saved."""
    at = one.management
    box = {"hostname": one.name, "mac": at.mac, "type": "LeafRouter", "buffer_model": "dynamic"}
    return {
        "DEVICE_METADATA": {"localhost": box},
        "MGMT_INTERFACE": {f"{at.port}|{at.address}": {"gwaddr": str(at.gateway)}},
        "PORT": {"Ethernet0": {"lanes": "0,1,2,3,4,5,6,7", "speed": "800000", "mtu": "9100"}},
    }


@dataclass
class SonicSwitch(ShellSwitch):
    """The root of a switch with SONiC."""

    name: str = NAME
    management: Management = PLAN.switch[NAME].management
    programs: ClassVar[dict[str, str]] = {
        **dict.fromkeys(
            fake_sonic.PROGRAMS,
            f'exec {sys.executable} -S -E -c \'{_ALONE}\' "${{0%/bin/*}}" "${{0##*/}}" "$@"',
        ),
        "cp": """[ ! -e "${0%/bin/*}/full" ] || { echo "cp: No space left on device" >&2; exit 1; }
exec /bin/cp "$@"
""",
        "sync": "exit 0",
        "stat": '/usr/bin/stat "$@" | sed "s|${0%/bin/*}||g"',
    }
    places: ClassVar[re.Pattern[str]] = re.compile(
        r"/(?=(host/railbed|etc/sonic|etc/systemd/system|run/railbed|proc/sys|sys/class/net)\b)"
    )

    def start(self, startup: str, frr: str = "") -> None:
        self.furnish()
        for folder in ("etc/sonic/frr", "etc/systemd/system", "host"):
            (self.root / folder).mkdir(parents=True)
        (self.root / "lib/sonic_yang.py").write_text(Path(sonic_yang.__file__).read_text())
        if frr:
            self.frr_conf.write_text(frr)
            self.frr_conf.chmod(0o640)
            os.chown(self.frr_conf, 300, 300)
        self.machine.start(startup)
        (self.root / "etc/sonic/config_db.json").chmod(0o644)

    @property
    def machine(self) -> Machine:
        return Machine(self.root)

    @property
    def frr_conf(self) -> Path:
        return self.root / "etc/sonic/frr/frr.conf"

    @property
    def held(self) -> Tree:
        return self.machine.held

    def put(self, **values: object) -> None:
        with self.machine.changing() as held:
            held.update(values)

    @property
    def runs(self) -> Tree:
        return tables(self.held["db"])

    @property
    def asic(self) -> object:
        """What it does with QoS, by names."""
        return Orchagent(**self.held["orch"]).does

    @property
    def startup(self) -> Tree:
        return dict(json.loads((self.root / "etc/sonic/config_db.json").read_text()))

    @property
    def is_reachable(self) -> bool:
        return f"eth0|{self.management.address}" in self.runs.get("MGMT_INTERFACE", {})

    @property
    def line(self) -> object:
        return self.held["boots"], self.held["net"]

    @property
    def clock_s(self) -> float:
        return float(self.held["now_s"])

    @property
    def is_full(self) -> bool:
        return (self.root / "full").exists()

    def fill(self) -> None:
        (self.root / "full").touch()

    def clean(self) -> None:
        (self.root / "full").unlink()

    @property
    def waits(self) -> bool:
        return (self.root / PENDING).exists()

    def later(self, seconds: float) -> None:
        self.machine.pass_s(seconds)

    def restart(self) -> None:
        self.machine.boot()

    def given(self, line: str, given: bytes) -> bytes:
        """Of files that are sent, only what is run there names places."""
        is_file = "cat > " in line and "switch-push" not in line and "systemd" not in line
        return given if is_file else super().given(line, given)

    def shell(
        self, line: str, given: bytes, timeout_s: float
    ) -> subprocess.CompletedProcess[bytes]:
        if self.is_full and "cat > " in line:
            line = "echo 'cat: write error: No space left on device' >&2; exit 1"
        return super().shell(line, given, timeout_s)


def of_plan(said: Tree, wanted: Tree) -> Tree:
    """Tables without what the image and people put there."""
    out = {
        table: {
            key: {name: value for name, value in row.items() if name != "NULL"}
            for key, row in rows.items()
        }
        for table, rows in said.items()
        if table not in ("CRM", "FEATURE", "SSH_SERVER")
    }
    box, named = out["DEVICE_METADATA"]["localhost"], wanted["DEVICE_METADATA"]["localhost"]
    out["DEVICE_METADATA"]["localhost"] = {name: box.get(name) for name in named}
    return out


@dataclass
class Bench(ShellBench):
    switch: SonicSwitch

    def push(self, wanted: Rendered, *, dry_run: bool = False) -> PushResult:
        return self.run(wanted, dry_run, SECRETS)

    def is_at(self, wanted: Rendered) -> bool:
        """It runs this and nothing waits; a restart brings the same."""
        switch, tables = self.switch, database(SECRETS.filled(wanted))
        (frr,) = (one.text for one in wanted.files if one.path == FRR)
        return (
            not switch.waits
            and switch.held["target"]
            and switch.asic == started(switch.held["db"]).does
            and of_plan(switch.runs, tables) == of_plan(switch.startup, tables) == tables
            and switch.held["frr"] == switch.frr_conf.read_text() == frr
        )

    def converges(self, wanted: Rendered) -> None:
        """A next push ends well, whatever was before, and another has nothing to do."""
        result = self.push(wanted)
        assert (result.ok, result.message) == (True, result.message)
        assert self.is_at(wanted)
        last = self.push(wanted)
        assert (last.ok, last.changed, last.message) == (True, False, "nothing to change")


def changed(path: str, old: str, new: str, base: Rendered = PLANNED) -> Rendered:
    assert any(old in one.text for one in base.files if one.path == path)
    return replace(
        base,
        files=tuple(
            replace(one, text=one.text.replace(old, new)) if one.path == path else one
            for one in base.files
        ),
    )


ADDRESS = str(PLAN.switch[NAME].management.address)
OTHER_FRR = changed(FRR, "remote-as 42", "remote-as 43")
RELOADS = '"fec": "rs"', '"fec": "fc"'
QOS = PLANNED
for _old, _new in (
    ('"26": "3"', '"26": "0"'),
    ('"weight": "50"', '"weight": "51"'),
    ('_max_threshold": "4550656"', '_max_threshold": "4550000"'),
    ('"dynamic_th": "3"', '"dynamic_th": "2"'),
    ('"action": "drop"', '"action": "forward"'),
):
    QOS = changed(CONFIG_DB, _old, _new, QOS)
# Each way of a change: what is planned then, and its worst impact.
WAYS = {
    "rows": (changed(CONFIG_DB, '"detection_time": "200"', '"detection_time": "400"'), "runtime"),
    "qos": (QOS, "runtime"),
    "frr": (OTHER_FRR, "daemon restart"),
    "both": (
        changed(CONFIG_DB, '_drop_probability": "5"', '_drop_probability": "6"', OTHER_FRR),
        "daemon restart",
    ),
    "reload": (changed(CONFIG_DB, *RELOADS, OTHER_FRR), "reload"),
}
FAULTY = ["reload", pytest.param("both", marks=pytest.mark.full)]
CUTS = changed(CONFIG_DB, f"eth0|{ADDRESS}", "eth0|192.0.2.77/24", OTHER_FRR)
APPLIES = {
    "rows": "apply rows",
    "qos": "apply rows",
    "frr": "apply frr",
    "both": "apply frr",
    "reload": "apply reload",
}


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A switch as it is planned, and as people left it beside that."""
    switch = SonicSwitch(tmp_path / "switch")
    (tmp_path / "state").mkdir()
    database_, frr = SECRETS.filled(PLANNED).files
    switch.start(database_.text, frr.text)
    with switch.machine.changing() as held:
        held["db"] |= hashes(OWN)
    same_time(monkeypatch, switch)
    return Bench(switch, tmp_path / "state", PLAN)


@pytest.fixture
def new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A switch as it comes, with a name, an address and what people changed."""
    switch = SonicSwitch(tmp_path / "switch")
    (tmp_path / "state").mkdir()
    switch.start(json.dumps(merged(factory(PLAN.switch[NAME]), OWN)))
    same_time(monkeypatch, switch)
    return Bench(switch, tmp_path / "state", PLAN)


def keeps_what_is_its_own(*said: Tree) -> bool:
    return all(merged(one, OWN) == one for one in said)


# -- whole pushes ------------------------------------------------------------------------------


def test_a_new_switch_becomes_the_plan_though_its_management_port_changes_its_table(new):
    before = new.switch.held["net"]
    result = new.push(PLANNED)
    assert (result.ok, result.confirmed, result.message) == (True, True, "confirmed and read back")
    assert new.switch.held["net"] == before + 1, "every session from before is lost"
    assert result.impact == "reload"
    assert new.is_at(PLANNED)
    assert keeps_what_is_its_own(new.switch.runs, new.switch.startup)
    new.converges(PLANNED)
    new.switch.restart()
    assert new.is_at(PLANNED)
    assert keeps_what_is_its_own(new.switch.runs, new.switch.startup)


def test_a_switch_whose_files_somebody_put_there_has_nothing_to_do(bench):
    assert bench.push(PLANNED).message == "nothing to change"


@pytest.mark.parametrize("way", WAYS)
def test_a_change_takes_its_way_is_confirmed_over_another_login_and_saved(bench, way):
    bench.converges(PLANNED)
    wanted, impact = WAYS[way]
    logins = bench.switch.logins
    result = bench.push(wanted)
    assert (result.ok, result.confirmed, result.impact) == (True, True, impact)
    assert bench.switch.logins == logins + (3 if way == "reload" else 2)
    assert [one.name for one in result.steps if one.phase == "apply"][-1] == APPLIES[way]
    assert any(one.startswith("config reload") for one in bench.switch.held["calls"]) == (
        way == "reload"
    )
    assert bench.is_at(wanted)
    assert keeps_what_is_its_own(bench.switch.runs)
    if way != "frr":
        assert keeps_what_is_its_own(bench.switch.startup)
    assert bench.switch.held["due_s"] is None
    bench.converges(wanted)


def test_a_dry_run_asks_and_changes_nothing(bench):
    before = bench.switch.held
    files = sorted(bench.switch.root.glob("[!r]*/**/*"))
    result = bench.push(WAYS["reload"][0], dry_run=True)
    assert (result.message, result.impact) == ("dry run: nothing sent", "reload")
    after = bench.switch.held
    assert {**after, "calls": []} == {**before, "calls": []}
    assert sorted(bench.switch.root.glob("[!r]*/**/*")) == files


def test_survey_evidence_and_drain_go_through_the_same_sudo(bench):
    """As `SshTransport` sends them: a script that its login's shell gives to a shell of root."""
    wanted, _ = WAYS["rows"]
    assert bench.push(wanted).ok
    said = bench.switch.by_hand(AS_ROOT, SONIC.fetch_command())
    assert SECRETS.recognised(SONIC.running(NAME, said), wanted) == wanted
    said = bench.switch.by_hand(AS_ROOT, SONIC.state_command())
    shown = repr(SONIC.running(NAME, said))
    assert not [word for word in (*SECRETS.values.values(), "SSH_SERVER") if word in shown]
    bench.switch.by_hand(AS_ROOT, SONIC.drain_command(made(PLAN, NAME), drained=True))
    assert bench.switch.held["frr"].startswith("bgp graceful-shutdown\n")
    assert (bench.switch.root / "run/sudo").read_text() == "-n -- sh -s\n"


def test_secrets_are_in_files_of_root_and_nowhere_else(new):
    results = [new.push(one) for one in (PLANNED, WAYS["rows"][0])]
    assert [one.ok for one in results] == [True, True]
    told = repr((results, new.said, new.noted, new.switch.held["calls"]))
    assert not [value for value in SECRETS.values.values() if value in told]
    assert with_secrets(new.switch) == ["etc/sonic/config_db.json", "state.json"]


def with_secrets(switch: SonicSwitch) -> list[str]:
    """The files of a switch in which a secret of the site stands."""
    return sorted(
        str(path.relative_to(switch.root))
        for path in switch.root.rglob("*")
        if path.is_file()
        and any(one.encode() in path.read_bytes() for one in SECRETS.values.values())
    )


@pytest.mark.parametrize("way", ["frr", *FAULTY])
def test_a_push_that_went_back_leaves_no_copy_of_a_secret(bench, way):
    bench.switch.after["switch-push apply"] = bench.switch.restart
    assert not bench.push(WAYS[way][0]).ok
    assert bench.is_at(PLANNED)
    assert with_secrets(bench.switch) == ["etc/sonic/config_db.json", "state.json"]
    assert bench.push(WAYS[way][0]).ok


def test_a_push_that_is_refused_leaves_no_copy_of_a_secret(bench):
    wanted = changed(CONFIG_DB, *RELOADS)
    assert not bench.push(changed(CONFIG_DB, '"mtu": "9', '"mtu": "99', wanted)).ok
    assert with_secrets(bench.switch) == ["etc/sonic/config_db.json", "state.json"]


def test_a_push_whose_timer_could_not_be_set_leaves_no_copy_of_a_secret(bench):
    bench.switch.after["switch-push checkpoint"] = bench.switch.fill
    result = bench.push(WAYS["rows"][0])
    assert result.rolled_back, result.message
    assert with_secrets(bench.switch) == ["etc/sonic/config_db.json", "state.json"]


# -- cut, restarted, too late ------------------------------------------------------------------

STEPS = [
    *(pytest.param(one, marks=pytest.mark.full) for one in ("begin", "check")),
    *("checkpoint", "arm", "apply ", "confirm", "save"),
]


@pytest.mark.parametrize("way", FAULTY)
@pytest.mark.parametrize("step", STEPS)
def test_a_push_that_is_killed_after_a_step_is_ended_by_the_next_one(bench, step, way):
    wanted, _ = WAYS[way]
    bench.switch.after[f"switch-push {step}"] = killed
    with pytest.raises(Killed):
        bench.push(wanted)
    assert bench.switch.waits == (step in ("arm", "apply "))
    bench.converges(wanted)
    assert any("taking it back" in one for one in bench.said) == (step in ("arm", "apply "))
    assert keeps_what_is_its_own(bench.switch.runs)


@pytest.mark.parametrize("way", FAULTY)
@pytest.mark.parametrize("step", [*STEPS, "applied"])
def test_a_restart_after_a_step_leads_back_until_it_is_confirmed(bench, step, way):
    if (step, way) == ("applied", "both"):
        pytest.skip("rows and FRR are applied while we wait")
    wanted, _ = WAYS[way]
    bench.switch.after[f"switch-push {step}"] = bench.switch.restart
    result = bench.push(wanted)
    assert not result.ok
    kept = step in ("confirm", "save")
    assert bench.is_at(wanted if kept else PLANNED)
    assert (result.confirmed, result.rolled_back) == (kept, not kept and result.rolled_back)
    bench.converges(wanted)


def test_a_management_port_that_is_cut_comes_back_by_the_switchs_own_timer(bench):
    result = bench.push(CUTS)
    assert (result.ok, result.rolled_back, result.confirmed) == (False, True, False)
    assert bench.is_at(PLANNED)
    assert keeps_what_is_its_own(bench.switch.runs)
    asked = "systemctl start railbed-rollback"
    assert not [one for one in bench.switch.held["calls"] if one.startswith(asked)]
    bench.converges(WAYS["reload"][0])


@pytest.mark.parametrize("reload_s", [400.0, 500.0])
def test_a_slow_reload_is_waited_for_and_one_that_never_ends_is_taken_back(new, reload_s):
    """The window counts from its end, also where the session that waits is cut meanwhile."""
    before = new.switch.runs
    new.switch.put(reload_s=reload_s)
    result = new.push(PLANNED)
    assert (result.confirmed, result.rolled_back) == (reload_s == 400.0, reload_s == 500.0)
    assert new.is_at(PLANNED) if result.confirmed else new.switch.runs == before, result.message


def test_a_fabric_that_does_not_work_is_not_waited_for_as_long_as_a_reload_may_take(new):
    left: list[float] = []

    def works(deadline: float, *, whole: bool) -> tuple[str, ...]:
        left.append(deadline - new.switch.clock_s)
        return ("a session is down",) if whole else ()

    new.works = works
    before = new.switch.runs
    result = new.push(PLANNED)
    assert (result.confirmed, result.rolled_back) == (False, True)
    assert "a session is down" in result.message
    assert 0 < left[0] <= PACE.window_s * PACE.verify_share
    assert new.switch.runs == before


@pytest.mark.parametrize("way", FAULTY)
def test_a_timer_that_ends_while_we_look_is_no_success(bench, way):
    """The last look is in time, and the switch goes back before the confirmation arrives."""
    connect: Callable[[], InItsShell] = bench.connect
    last = iter([False, way != "reload", way == "reload"])

    def slow() -> InItsShell:
        if next(last, False):
            bench.switch.later(PACE.window_s + SONIC.reload_s)
        return connect()

    bench.connect = slow
    result = bench.push(WAYS[way][0])
    assert (result.ok, result.rolled_back) == (False, True)
    assert "too late: the way back has been taken" in result.message
    assert bench.is_at(PLANNED)


def test_what_is_half_back_is_not_confirmed(bench):
    """Its timer brought FRR back and could not write rows; then we ask."""
    connect: Callable[[], InItsShell] = bench.connect
    last = iter([False, True])

    def slow() -> InItsShell:
        if next(last, False):
            bench.switch.put(refuses=["sonic-cfggen -j", "config reload"])
            bench.switch.later(PACE.window_s)
            bench.switch.put(refuses=[])
            assert bench.switch.waits
        return connect()

    bench.connect = slow
    result = bench.push(WAYS["both"][0])
    assert (result.ok, result.confirmed, result.rolled_back) == (False, False, True)
    assert "too late: the way back has been taken" in result.message
    assert bench.is_at(PLANNED)


def test_who_cannot_log_in_any_more_is_given_the_old_configuration(bench):
    connect: Callable[[], InItsShell] = bench.connect
    calls = iter(range(99))

    def refused() -> InItsShell:
        if (
            next(calls)
            and bench.switch.held["frr"] == bench.switch.frr_conf.read_text()
            and (bench.switch.waits)
        ):
            raise DeviceUnreachable("login refused")
        return connect()

    bench.connect = refused
    result = bench.push(WAYS["frr"][0])
    assert (result.ok, result.rolled_back) == (False, True)
    assert bench.is_at(PLANNED)


def test_a_new_switch_goes_back_though_its_management_port_changes_its_table_again(new):
    new.switch.after["switch-push applied"] = new.switch.restart
    before, files = new.switch.runs, new.switch.startup
    result = new.push(PLANNED)
    assert (result.ok, result.confirmed) == (False, False)
    assert (new.switch.runs, new.switch.startup) == (before, files)


def test_it_is_not_confirmed_before_it_is_applied(bench):
    wanted, _ = WAYS["reload"]
    early: list[str] = []

    def ask() -> None:
        line = "sudo -n -- /host/railbed/switch-push confirm 2>&1"
        early.append(bench.switch.by_hand(line))

    bench.switch.after["switch-push apply reload"] = ask
    assert bench.push(wanted).confirmed
    assert "too early: it is not applied" in early[0]


# -- halves, refusals --------------------------------------------------------------------------


def test_half_of_the_rows_are_taken_back(bench):
    bench.switch.put(cut_at=f"PFC_WD|{min(database(PLANNED)['PFC_WD'])}")
    result = bench.push(WAYS["rows"][0])
    assert (result.ok, "apply rows: exit status 1" in result.message) == (False, True)
    bench.switch.put(cut_at="")
    bench.switch.later(PACE.window_s)
    assert bench.is_at(PLANNED)
    bench.converges(WAYS["rows"][0])


IN_ASIC = [
    "DSCP_TO_TC_MAP",
    *(
        pytest.param(one, marks=pytest.mark.full)
        for one in ("WRED_PROFILE", "SCHEDULER", "BUFFER_PROFILE")
    ),
]


@pytest.mark.parametrize("table", IN_ASIC)
def test_what_the_asic_does_not_take_is_taken_back_without_a_reload(bench, table):
    """orchagent only logs what SAI refuses, and CONFIG_DB has it (sonic-mgmt #21985).

    Others' objects say already what is refused.
    """
    others = started(hashes(database(SECRETS.filled(QOS)))).asic
    with bench.switch.machine.changing() as held:
        held["orch"]["asic"] |= {f"{name}f": said for name, said in others.items()}
    bench.switch.put(ignores=[table])
    result = bench.push(QOS)
    assert (result.ok, result.rolled_back, result.confirmed) == (False, True, False)
    assert f"not taken by the ASIC: {table}|" in result.message
    assert bench.is_at(PLANNED)
    assert not any("config reload" in one for one in bench.switch.held["calls"])
    bench.switch.put(ignores=[])
    bench.converges(QOS)


def test_a_way_back_that_the_asic_does_not_take_is_a_reload(bench):
    bench.switch.after["switch-push apply"] = lambda: bench.switch.put(ignores=["DSCP_TO_TC_MAP"])
    bench.works = lambda *_, **__: ("a session is down",)
    result = bench.push(QOS)
    assert (result.ok, result.rolled_back) == (False, True)
    assert sum("config reload" in one for one in bench.switch.held["calls"]) == 1
    assert bench.is_at(PLANNED)


def test_where_the_asic_does_something_else_already_nothing_is_changed(bench):
    with bench.switch.machine.changing() as held:
        for said in held["orch"]["asic"].values():
            if "SAI_SCHEDULER_ATTR_SCHEDULING_WEIGHT" in said:
                said["SAI_SCHEDULER_ATTR_SCHEDULING_WEIGHT"] = "7"
    before = bench.switch.runs
    result = bench.push(QOS)
    assert (result.ok, result.confirmed) == (False, False)
    assert "before any change ASIC_DB is not as CONFIG_DB says: SCHEDULER|" in result.message
    assert bench.switch.runs == before
    assert not bench.switch.waits


def test_half_a_reload_is_taken_back(bench):
    bench.switch.put(cut_at="reload")
    bench.switch.after["switch-push applied"] = lambda: bench.switch.put(cut_at="")
    result = bench.push(WAYS["reload"][0])
    assert (result.ok, result.rolled_back) == (False, True)
    assert "the reload ended with exit-code: Aborted!" in result.message
    assert bench.is_at(PLANNED)


def test_a_reload_that_was_refused_stops_nothing_and_needs_none_in_return(bench):
    """202505 judges the whole file first; another `config reload` may hold the lock."""
    wanted = changed(CONFIG_DB, *RELOADS)
    vendor = {**database(wanted), "VENDOR_THING": {"all": {"is": "on"}}}
    files = tuple(
        replace(one, text=json.dumps(vendor)) if one.path == CONFIG_DB else one
        for one in wanted.files
    )
    bench.switch.put(release="202505")
    result = bench.push(replace(wanted, files=files))
    assert (result.ok, result.rolled_back) == (False, True)
    assert "missing yang models" in result.message
    assert bench.is_at(PLANNED)
    assert sum("config reload" in one for one in bench.switch.held["calls"]) == 1


def test_what_ran_is_brought_back_though_it_would_not_be_taken_from_a_file(bench):
    """A table without a model, which somebody loaded: 202505 takes it from standard input."""
    with bench.switch.machine.changing() as held:
        held["release"] = "202505"
        held["db"]["VENDOR_THING|all"] = {"is": "on"}
    before = bench.switch.runs
    result = bench.push(CUTS)
    assert (result.ok, result.rolled_back) == (False, True)
    assert bench.switch.runs == before


def test_what_runs_otherwise_than_it_was_sent_is_not_confirmed(bench):
    """db_migrator.py goes over CONFIG_DB at each reload."""
    bench.switch.put(migrates={"MGMT_VRF_CONFIG|vrf_global": {"mgmtVrfEnabled": "false"}})
    bench.switch.after["switch-push confirm"] = lambda: bench.switch.put(migrates={})
    result = bench.push(WAYS["reload"][0])
    assert (result.ok, result.rolled_back, result.confirmed) == (False, True, False)
    assert "not what was sent: MGMT_VRF_CONFIG|vrf_global" in result.message
    assert bench.is_at(PLANNED)


def test_going_back_that_fails_is_asked_again(bench):
    bench.switch.put(refuses=["config reload"])
    bench.switch.after["switch-push applied"] = lambda: bench.switch.put(
        refuses=["config reload -y -f /dev/stdin", "sonic-cfggen -d", "config reload -y -f"]
    )
    bench.switch.after["switch-push undo"] = lambda: bench.switch.put(refuses=[])
    result = bench.push(WAYS["reload"][0])
    assert (result.ok, result.rolled_back) == (False, True)
    assert bench.is_at(PLANNED)
    asked = "systemctl start railbed-rollback-now.service"
    assert bench.switch.held["calls"].count(asked) == 2


@pytest.mark.parametrize("file", ["switch-push", "config_db.json.part"])
def test_a_full_disk_stops_a_push_before_anything_is_applied(bench, file):
    bench.switch.after[file] = bench.switch.fill
    result = bench.push(WAYS["reload"][0])
    assert (result.ok, "No space left on device" in result.message) == (False, True)
    assert bench.is_at(PLANNED)
    bench.switch.clean()
    bench.converges(WAYS["reload"][0])


@pytest.mark.parametrize("way", FAULTY)
def test_a_disk_that_is_full_when_it_is_confirmed_leaves_the_old_configuration(bench, way):
    last = "switch-push applied" if way == "reload" else f"switch-push {APPLIES[way]}"
    bench.switch.after[last] = bench.switch.fill
    bench.switch.after["switch-push confirm"] = bench.switch.clean
    result = bench.push(WAYS[way][0])
    assert (result.ok, result.rolled_back, result.confirmed) == (False, True, False)
    assert bench.is_at(PLANNED)
    bench.converges(WAYS[way][0])


def test_what_no_model_takes_is_refused_before_anything_is_applied(bench):
    wanted = changed(CONFIG_DB, *RELOADS)
    wanted = changed(CONFIG_DB, '"mtu": "9', '"mtu": "99', wanted)
    result = bench.push(wanted)
    assert (result.ok, "check: exit status 1" in result.message) == (False, True)
    assert bench.is_at(PLANNED)
    result = bench.push(changed(FRR, "router bgp", "bogus\nrouter bgp"))
    assert (result.ok, "% Unknown command: bogus" in result.message) == (False, True)
    assert bench.is_at(PLANNED)


def test_frr_may_be_changed_more_often_than_systemd_starts_it(bench):
    peers = [changed(FRR, "remote-as 42", f"remote-as {at}") for at in range(43, 47)]
    assert [bench.push(one).ok for one in peers] == [True] * len(peers)
    assert bench.is_at(peers[-1])


# -- what runs and what is kept ----------------------------------------------------------------


def test_a_startup_file_that_says_otherwise_is_a_difference_and_nothing_is_restarted(bench):
    bench.converges(PLANNED)
    path = bench.switch.root / "etc/sonic/config_db.json"
    path.write_text(path.read_text().replace(*RELOADS))
    dry = bench.push(PLANNED, dry_run=True)
    assert dry.changed
    bench.switch.put(calls=[])
    result = bench.push(PLANNED)
    assert (result.ok, result.impact) == (True, "none")
    assert bench.is_at(PLANNED)
    assert not [one for one in bench.switch.held["calls"] if "config" in one.split()[0:1]]
    bench.converges(PLANNED)


def test_what_somebody_saved_is_no_difference(bench):
    wanted, _ = WAYS["rows"]
    bench.converges(wanted)
    bench.switch.by_hand("sudo -n -- config save -y")
    assert bench.push(wanted).message == "nothing to change"


def test_what_the_plan_named_and_names_no_more_goes(bench):
    more = database(PLANNED)
    more["SSH_SERVER"] = {"POLICIES": {"ports": "2022", "login_timeout": "60"}}
    files = tuple(
        replace(one, text=json.dumps(more)) if one.path == CONFIG_DB else one
        for one in PLANNED.files
    )
    bench.push(replace(PLANNED, files=files))
    assert bench.switch.startup["SSH_SERVER"] == more["SSH_SERVER"]
    bench.push(PLANNED)
    assert "SSH_SERVER" not in bench.switch.runs
    assert "SSH_SERVER" not in bench.switch.startup
    assert bench.switch.startup["FEATURE"]["sflow"] == {"state": "disabled"}
