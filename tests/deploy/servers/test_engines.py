"""Who runs where: the plan's engine, the other as the checker, and only what must run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deploy.context import Context
from deploy.errors import RailbedError
from deploy.record.journal import CHECKED, Record
from deploy.rollout.server_wave import ServerWaves
from deploy.rollout.survey import Survey
from deploy.servers import engines
from deploy.servers.engine_run import HostResult, RunResult, Work, words_of_roles
from inventory.plan import Engine
from switch_configs.shown.said import said
from tests.deploy.nowhere import context_to_nowhere
from validation.manifest.contract import ROLES, roles_of

Call = tuple[str, tuple[str, ...], tuple[str, ...], bool]


class Engines:
    """Stand-ins for both engines: they note what they are asked, and answer as told."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.changes: dict[str, tuple[str, ...]] = {}
        self.fails: dict[str, str] = {}

    def of(self, engine: Engine):
        def run(context: Context, work: Work, dry_run: bool) -> RunResult:
            [roles] = set(work.values())
            self.calls.append((engine, tuple(work), roles, dry_run))
            hosts = tuple(self.host(engine, name) for name in work)
            return RunResult(engine, dry_run, hosts, f"{engine} said")

        return run

    def host(self, engine: Engine, name: str) -> HostResult:
        what = self.changes.get(f"{engine} {name}", ())
        why = self.fails.get(f"{engine} {name}", "")
        return HostResult(name, bool(why), bool(what), what, why)


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> Engines:
    made = Engines()
    known: tuple[Engine, ...] = ("ansible", "pyinfra")
    monkeypatch.setattr(engines, "_RUN", {name: made.of(name) for name in known})
    return made


@pytest.fixture
def context(tmp_path) -> Context:
    return context_to_nowhere(tmp_path)


def test_each_host_is_run_by_its_engine_and_only_with_its_roles(context, fakes):
    """The lab gives the second rack of each pod to Ansible."""
    work: Work = {"node-p1-1": ("ofed",), "node-p1-2": ("ofed",), "node-p2-2": ()}
    found = engines.hosts_of(engines.run(context, work, dry_run=False))
    assert [one.host for one in found] == sorted(work)
    assert sorted(fakes.calls) == [
        ("ansible", ("node-p1-2",), ("ofed",), False),
        ("ansible", ("node-p2-2",), (), False),
        ("pyinfra", ("node-p1-1",), ("ofed",), False),
    ]


def test_hosts_whose_roles_all_run_are_one_run_however_they_are_named(context, fakes):
    every = roles_of(context.plan)["node-p1-1"]
    work: Work = {"node-p1-1": every, "node-p2-1": (), "oob1": roles_of(context.plan)["oob1"]}
    engines.run(context, work, dry_run=True)
    assert fakes.calls == [("pyinfra", ("node-p1-1", "node-p2-1", "oob1"), (), True)]


def test_the_other_engine_looks_and_changes_nothing(context, fakes):
    _, found = engines.check_by_other(context, {"node-p1-1": (), "node-p1-2": ()})
    assert found == ()
    assert sorted(fakes.calls) == [
        ("ansible", ("node-p1-1",), (), True),
        ("pyinfra", ("node-p1-2",), (), True),
    ]


def test_what_the_other_would_still_change_is_a_disagreement(context, fakes):
    fakes.changes["ansible node-p1-1"] = ("os_base: Write",)
    fakes.fails["pyinfra node-p1-2"] = "not reached"
    _, found = engines.check_by_other(context, {"node-p1-1": (), "node-p1-2": ()})
    assert [str(one) for one in found] == [
        "node-p1-1: pyinfra is done, but ansible would still change: os_base: Write",
        "node-p1-2: ansible is done, but pyinfra could not look: not reached",
    ]


def test_nothing_done_needs_no_check(context, fakes):
    assert engines.check_by_other(context, {}) == ([], ())
    assert fakes.calls == []


def test_both_ends_of_a_run_are_journaled_and_a_dry_run_is_not(context, fakes):
    lines: list[tuple[str, str]] = []

    def journal(device, phase, impact, before, after, detail):
        lines.append((device, detail))

    fakes.changes["pyinfra node-p1-1"] = ("write",)
    noted = replace(context, journal=journal)
    engines.run(noted, {"node-p1-1": ("ofed",)}, dry_run=False)
    assert lines == [("node-p1-1", "begins: pyinfra, ofed"), ("node-p1-1", "done: write")]
    engines.run(noted, {"node-p1-1": ()}, dry_run=True)
    assert len(lines) == 2


# -- waves -------------------------------------------------------------------------------------


def seen(context: Context, **roles: tuple[str, ...]) -> Survey:
    """All nodes are as planned but those named; a `silent` one did not answer."""
    work = {name.replace("_", "-"): what for name, what in roles.items()}
    silent = tuple((name, "no route") for name, what in work.items() if what == ("silent",))
    asked = {name: what for name, what in work.items() if what != ("silent",)}
    planned = frozenset(context.plan.devices) - set(work)
    return Survey("d", planned, (), silent, asked, {})


def rolled(context: Context, before: Survey, every_role: bool = False) -> tuple[list[str], Record]:
    record = Record(context.state_dir / "record.sqlite")
    servers = ServerWaves(before, every_role)
    waves = [wave for wave in context.plan.waves if wave.step == "nodes" and servers.work(wave)]
    servers.expect(waves)
    run = record.begin_run("lab", "d")
    changed: list[str] = []
    for wave in waves:
        record.begin_wave(run, wave.name, wave.step, wave.devices)
        servers.run(context, record, run, wave, changed)
    servers.judge(record, run, wait=True)
    return changed, record


def test_only_what_differs_runs_then_the_other_engine_looks_once(context, fakes):
    fakes.changes["pyinfra node-p2-1"] = ("write",)
    before = seen(context, node_p2_1=("ofed",), node_p1_2=("silent",))
    changed, record = rolled(context, before)
    assert changed == ["node-p2-1"]
    assert fakes.calls[:2] == [
        ("ansible", ("node-p1-2",), (), False),
        ("pyinfra", ("node-p2-1",), ("ofed",), False),
    ]
    assert sorted(fakes.calls[2:]) == [
        ("ansible", ("node-p2-1",), ("ofed",), True),
        ("pyinfra", ("node-p1-2",), (), True),
    ]
    told = [(one.wave, one.engine, one.dry_run) for one in record.transcripts(1)]
    assert told == [
        ("nodes-canary", "ansible", False),
        ("nodes-p2", "pyinfra", False),
        ("nodes-p2", "ansible", True),
        ("nodes-p2", "pyinfra", True),
    ]
    record.close()


def test_on_a_converged_fleet_nothing_runs_unless_everything_is_asked_for(context, fakes):
    rolled(context, seen(context))[1].close()
    assert fakes.calls == []
    rolled(context, seen(context), every_role=True)[1].close()
    ran = [call[1] for call in fakes.calls if not call[3]]
    assert sorted(ran[:2]) == [("node-p1-1",), ("node-p1-2",)]
    assert sorted(ran[2:]) == [("node-p2-1",), ("node-p2-2",)]


def test_a_failed_canary_stops_before_anybody_else_is_touched(context, fakes):
    fakes.fails["pyinfra node-p1-1"] = "failed: install chrony (no space left on device)"
    before = seen(context, node_p1_1=("os_base",), node_p2_1=("os_base",))
    with pytest.raises(RailbedError) as stopped:
        rolled(context, before)
    assert "no space left on device" in str(stopped.value)
    assert "run apply again" in str(stopped.value)
    assert [call[1] for call in fakes.calls] == [("node-p1-1",)]


def test_engines_that_disagree_stop_the_rollout(context, fakes):
    fakes.changes["ansible node-p1-1"] = ("write",)
    with pytest.raises(RailbedError, match="pyinfra is done, but ansible would still change"):
        rolled(context, seen(context, node_p1_1=("os_base",)))


def test_what_an_earlier_run_did_not_have_checked_is_checked_now(context, fakes):
    """A disagreement, or a run that ended before the look, is not forgotten."""
    record = Record(context.state_dir / "record.sqlite")
    run = record.begin_run("lab", "d")
    servers = ServerWaves(seen(context), False, frozenset({"node-p1-2"}))
    fakes.changes["pyinfra node-p1-2"] = ("write",)
    servers.look(context, "owed")
    with pytest.raises(RailbedError, match="pyinfra would still change: write"):
        servers.judge(record, run, wait=True)
    assert fakes.calls == [("pyinfra", ("node-p1-2",), (), True)]
    fakes.changes.clear()
    for _ in range(2):
        servers.look(context, "owed")
        servers.judge(record, run, wait=True)
    assert len(fakes.calls) == 2
    record.close()


def test_a_look_that_finds_nothing_is_journaled(context, fakes):
    lines: list[tuple[str, str]] = []

    def journal(device, phase, impact, before, after, detail):
        lines.append((device, phase))

    noted = replace(context, journal=journal)
    fakes.changes["ansible node-p1-1"] = ("write",)
    engines.check_by_other(noted, {"node-p1-1": (), "node-p2-1": ()})
    assert lines == [("node-p2-1", CHECKED)]


@pytest.mark.parametrize("home", ["templates", "files", "tasks"])
def test_every_word_of_a_roles_text_may_be_shown(home):
    """No secret stands there, and an error of a script is told in its words."""
    texts = [path for path in ROLES.glob(f"*/{home}/**/*") if path.is_file()]
    for path in texts:
        assert path.read_text() in words_of_roles(), path
    assert texts


def test_so_an_error_of_a_script_is_told_in_its_words():
    told = "mlxconfig has no settings for 0000:18:00.0"
    assert "mlxconfig" in (ROLES / "ofed/files/railbed-nic-firmware").read_text()
    assert said(told, words_of_roles()) == told
