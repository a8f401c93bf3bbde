"""A drill on a model of SONiC: its port goes off by a row that nobody confirms, and always back.

What is off is what orchagent made of the row, not the row.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing

import pytest

from deploy.context import Context
from deploy.loads import cut_off_drill
from deploy.loads.guarded_drill import NOT_BACK, Held, pull
from deploy.loads.shell_drain import drain, drains_by_shell
from deploy.record.journal import BEGINS, DRILL, Record
from deploy.record.under_way import drilling
from deploy.switches.push_flow import Push
from deploy.switches.push_session import Pace
from deploy.transport.ssh_run import AS_ROOT
from tests.deploy.shell_switch import PACE, Clock, Killed, killed
from tests.deploy.switches import test_sonic_push
from tests.deploy.switches.test_sonic_push import NAME, PLAN, PLANNED, SECRETS, Bench
from tests.switch_configs.sonic.plans import SONIC, database, made
from validation.evidence.gather import Reply
from validation.stages.s80_soak.drills import Drill
from validation.stages.s80_soak.streams import Crossing
from validation.stages.s80_soak.terms import guard

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="files have owners"),
    pytest.mark.instances(keep=4, of="guarded drills of sonic", but="off_while|killed_drill_comes"),
]
PORTS = sorted(database(PLANNED)["PORT"])
PORT = PORTS[0]
bench = test_sonic_push.bench


def context(bench: Bench) -> Context:
    return Context(
        PLAN, "lab", bench.folder, bench.folder / "config", bench.folder / "known_hosts",
        bench.said.append, lambda *words: bench.noted.append(words), rendered={NAME: PLANNED},
    )  # fmt: skip


def pushed(bench: Bench, context: Context, name: str, dry: bool, pace: Pace, held: Held) -> Push:
    return Push(
        context=context, switch=name, dialect=SONIC, new=context.render(name),
        prove=lambda _: (), connect=bench.connect, dry_run=dry, pace=pace,
        secrets=SECRETS, works=held,
    )  # fmt: skip


def drilled(bench: Bench, look: Callable[[], None], port: str = PORT) -> str:
    """Pull a port of the switch, which runs its plan."""
    drill = Drill(
        f"off:{NAME}:{port}", "off", NAME, port, "", "", Crossing(), 0.0, 0.0, "", guarded=True
    )
    return pull(context(bench), drill, look, lambda *asked: pushed(bench, *asked), PACE)


def off(bench: Bench) -> list[str]:
    """The ports that SAI has switched off."""
    said = {name: one for name, one in bench.switch.held["orch"]["asic"].items() if "PORT:" in name}
    assert len(said) == len(PORTS)
    return [name for name, one in said.items() if one["SAI_PORT_ATTR_ADMIN_STATE"] == "false"]


def is_as_before(bench: Bench) -> bool:
    own = test_sonic_push.keeps_what_is_its_own(bench.switch.runs)
    return own and bench.is_at(PLANNED) and not off(bench)


def reloads(bench: Bench) -> list[str]:
    return [one for one in bench.switch.held["calls"] if one.startswith("config reload")]


def test_the_port_is_off_while_it_is_looked_at_and_back_after(bench):
    seen: list[object] = []

    def look() -> None:
        switch = bench.switch
        seen.extend((len(off(bench)), switch.waits, switch.held["due_s"] is not None))
        seen.append(switch.startup["PORT"][PORT]["admin_status"])

    assert drilled(bench, look) == ""
    assert seen == [1, True, True, "up"], "one port is off, and a restart would bring it back"
    assert is_as_before(bench)
    assert not reloads(bench)
    assert bench.switch.held["due_s"] is None
    assert ("link flap") in {impact for _, phase, impact, *_ in bench.noted if phase == "apply"}


def test_a_killed_drill_comes_back_by_itself(bench):
    with pytest.raises(Killed):
        drilled(bench, killed)
    assert len(off(bench)) == 1
    bench.switch.later(PACE.window_s + 1)
    assert is_as_before(bench)


@pytest.mark.parametrize("step", ["arm", "apply ", "undo"])
def test_a_drill_that_is_killed_at_a_step_comes_back_by_itself(bench, step):
    bench.switch.after[f"switch-push {step}"] = killed
    with pytest.raises(Killed):
        drilled(bench, lambda: None)
    bench.switch.later(PACE.window_s + 1)
    assert is_as_before(bench)


def test_a_killed_drill_is_ended_by_the_next_push(bench):
    with pytest.raises(Killed):
        drilled(bench, killed)
    assert bench.push(PLANNED).ok
    assert any("taking it back" in one for one in bench.said)
    assert is_as_before(bench)


def test_a_restart_while_it_is_off_brings_it_back(bench):
    drilled(bench, bench.switch.restart)
    assert bench.is_at(PLANNED)
    assert not off(bench)


def test_a_session_that_is_lost_meanwhile_takes_the_port_back(bench):
    def cut() -> None:
        with bench.switch.machine.changing() as held:
            held["net"] += 1

    assert drilled(bench, cut) == ""
    assert is_as_before(bench)


def test_a_look_that_fails_takes_the_port_back(bench):
    def look() -> None:
        raise RuntimeError("no more")

    assert "not pulled" in drilled(bench, look)
    assert is_as_before(bench)


@pytest.mark.parametrize("command", ["sonic-cfggen -j", "systemctl restart railbed-rollback.timer"])
def test_a_switch_that_refuses_is_not_pulled(bench, command):
    """The row is not written, or the timer does not begin."""
    seen: list[bool] = []
    bench.switch.after["switch-push checkpoint"] = lambda: bench.switch.put(refuses=[command])
    bench.switch.after["switch-push undo"] = lambda: bench.switch.put(refuses=[])
    assert drilled(bench, lambda: seen.append(True)).startswith("not pulled")
    assert not seen
    bench.switch.put(refuses=[])
    bench.switch.later(PACE.window_s + 1)
    assert is_as_before(bench)


def test_a_row_that_is_not_written_back_is_brought_back_by_a_reload(bench):
    drilled(bench, lambda: bench.switch.put(refuses=["sonic-cfggen -j"]))
    assert reloads(bench)
    assert is_as_before(bench)


def test_a_port_that_it_has_not_is_not_pulled(bench):
    assert "has no port `Ethernet9999`" in drilled(bench, lambda: None, "Ethernet9999")


def test_a_switch_that_does_not_run_its_plan_is_left_alone(bench):
    bench.switch.by_hand(f"sonic-db-cli CONFIG_DB HDEL 'PORT|{PORTS[1]}' fec")
    held = bench.switch.held["db"]
    assert "does not run its plan" in drilled(bench, lambda: None)
    assert bench.switch.held["db"] == held
    assert not bench.switch.waits


def mend(bench: Bench, record: Record, run: int) -> None:
    """What the next run does first."""
    cut_off_drill.end_cut_off(
        context(bench), InShell(bench), record, run, lambda *asked: pushed(bench, *asked)
    )


@pytest.mark.parametrize("is_back", [False, True])
def test_a_killed_drill_is_seen_and_ended_by_the_next_run(bench, monkeypatch, is_back):
    """Whether or not the switch's own timer was quicker."""
    monkeypatch.setattr(cut_off_drill, "time", Clock(bench.switch))
    with closing(Record(bench.folder / "record.sqlite")) as record:
        run = record.begin_run("lab", PLAN.digest)
        with drilling(record, run, [NAME]) as journal:
            journal(NAME, DRILL, "link flap", "", "", f"begins: off:{NAME}:{PORT}")
            with pytest.raises(Killed):
                drilled(bench, killed)
        bench.switch.later((PACE.window_s + 1) * is_back)
        assert len(off(bench)) == (not is_back)
        later, commands = record.begin_run("lab", PLAN.digest), len(bench.switch.held["calls"])
        mend(bench, record, later)
        assert is_as_before(bench)
        assert bench.said[-1] == f"{NAME}: nothing of the drill is left"
        assert (record.cut_off_drills(), record.locks()) == ({}, {})
        writes = [one for one in bench.switch.held["calls"][commands:] if "--write-to-db" in one]
        assert bool(writes) == (not is_back)
        bench.said.clear()
        mend(bench, record, later)
        assert bench.said == []


def test_a_drill_that_goes_on_in_another_run_is_not_ended(bench):
    with closing(Record(bench.folder / "record.sqlite")) as record:
        one, other = (record.begin_run("lab", PLAN.digest) for _ in range(2))
        with drilling(record, one, [NAME]) as journal:
            journal(NAME, DRILL, "link flap", "", "", f"begins: off:{NAME}:{PORT}")

            def look() -> None:
                mend(bench, record, other)
                assert len(off(bench)) == 1

            assert drilled(bench, look) == ""
    assert any(one.startswith(f"{NAME}: held by") for one in bench.said)


class InShell:
    """The switch as evidence asks it: a script that its login's shell gives to a shell of root."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        assert device == NAME
        # Its own programs lie in its folder.
        here = script.replace("PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH", "")
        done = self.bench.switch.shell(AS_ROOT, here.encode(), timeout_s)
        return Reply(done.stdout, done.returncode, done.stderr.decode())


RESTORE = SONIC.drain_command(made(PLAN, NAME), drained=False)
DRAIN = Drill(
    f"drain:{NAME}", "drain", NAME, "", SONIC.drain_command(made(PLAN, NAME), drained=True),
    RESTORE, Crossing(), 0.0, 0.0, "", guarded=True,
)  # fmt: skip


def is_drained(bench: Bench) -> bool:
    return str(bench.switch.held["frr"]).startswith("bgp graceful-shutdown")


@pytest.fixture
def armed(bench) -> None:
    """It writes down what systemd-run was asked: to run what ends a drain, later."""
    tell = 'echo "${0##*/} $*" >> "${0%/bin/*}/told/timers"'
    bench.switch.install(dict.fromkeys(("systemd-run", "systemctl"), tell))


def test_a_switch_is_drained_by_its_shell_behind_a_timer_and_by_no_restart(bench, armed):
    seen: list[object] = []

    def look() -> None:
        told = (bench.switch.root / "told/timers").read_text()
        seen.extend((is_drained(bench), RESTORE in told, f"--on-active={guard().window_s}" in told))

    assert drains_by_shell(PLAN, DRAIN)
    assert drain(PLAN, InShell(bench), DRAIN, look) == ""
    assert seen == [True, True, True]
    assert is_as_before(bench)


def test_a_drain_without_its_timer_is_not_begun(bench, armed):
    bench.switch.install({"systemd-run": "exit 1"})
    seen: list[bool] = []
    said = drain(PLAN, InShell(bench), DRAIN, lambda: seen.append(True))
    assert (said.partition(":")[0], seen) == ("not pulled", [])
    assert is_as_before(bench)


def test_a_drain_whose_look_fails_is_ended(bench, armed):
    def look() -> None:
        raise RuntimeError("no more")

    assert drain(PLAN, InShell(bench), DRAIN, look).startswith("not pulled")
    assert is_as_before(bench)


def test_a_drain_that_does_not_end_is_told(bench, armed):
    said = drain(PLAN, InShell(bench), DRAIN, lambda: bench.switch.put(refuses=["docker exec bgp"]))
    assert NOT_BACK in said
    assert is_drained(bench)


def timers(bench: Bench) -> list[str]:
    """What systemd was asked of timers, in order."""
    lines = (bench.switch.root / "told/timers").read_text().splitlines()
    return [" ".join(one.split()[:2]) for one in lines if DRAIN.unit in one]


def test_a_timer_is_of_the_drill_and_what_it_left_is_cleared_before(bench, armed):
    """Else the timer of a drill that was cut off ends the next one while it is looked at."""
    assert drain(PLAN, InShell(bench), DRAIN, lambda: None) == ""
    begun = ["systemctl stop", "systemctl reset-failed", "systemd-run -q", "systemctl stop"]
    assert timers(bench) == begun


@pytest.fixture
def cut_off(bench, armed):
    """Its record, of a drain that was cut off, and the run that comes after."""
    with closing(Record(bench.folder / "record.sqlite")) as record:
        run = record.begin_run("lab", PLAN.digest)
        with drilling(record, run, [NAME]) as journal:
            journal(NAME, DRILL, "link flap", "", "", f"{BEGINS}{DRAIN.id}")
        with pytest.raises(Killed):
            drain(PLAN, InShell(bench), DRAIN, killed)
        assert is_drained(bench)
        (bench.switch.root / "told/timers").unlink()
        yield record, record.begin_run("lab", PLAN.digest)


def test_a_drain_that_was_cut_off_is_ended_and_its_timer_with_it(bench, cut_off):
    record, run = cut_off
    mend(bench, record, run)
    assert bench.said[-1] == f"{NAME}: nothing of the drill is left"
    assert is_as_before(bench)
    assert timers(bench) == ["systemctl stop"]
    assert record.cut_off_drills() == {}


@pytest.mark.parametrize(
    ("shows", "why"),
    [("exit 1", "`running` ended with status 1"), ("echo end", "FRR does not show all")],
)
def test_a_drain_that_the_switch_does_not_end_or_show_stays_on_record(bench, cut_off, shows, why):
    """Its container is gone, or shows nothing of BGP: then nobody knows."""
    record, run = cut_off
    bench.switch.install({"docker": shows})
    mend(bench, record, run)
    assert bench.said[-1].startswith(f"{NAME}: {why}")
    assert is_drained(bench)
    assert set(record.cut_off_drills()) == {NAME}


def test_a_drain_whose_end_is_refused_stays_on_record_and_its_timer_goes_on(bench, cut_off):
    record, run = cut_off
    docker = (bench.switch.root / "bin/docker").read_text().removeprefix("#!/bin/sh\n")
    bench.switch.install({"docker": f'case "$*" in *configure*) exit 1; esac\n{docker}'})
    mend(bench, record, run)
    assert bench.said[-1] == f"{NAME}: it still asks its neighbours to use it last"
    assert not (bench.switch.root / "told/timers").exists()
    assert set(record.cut_off_drills()) == {NAME}


def test_a_drain_of_another_plan_is_ended_too(bench, cut_off, monkeypatch):
    monkeypatch.setattr("deploy.loads.shell_drain.drills", lambda *_: ())
    record, run = cut_off
    mend(bench, record, run)
    assert (is_drained(bench), record.cut_off_drills()) == (False, {})
