"""Drills on models of EOS and NX-OS over real SSH: a port goes off by a push, and always back.

Also where this process is killed while it is off, its session is lost, the switch lets nobody in
any more or refuses a line; and where a switch does not run its plan nothing is pulled.
"""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from deploy.context import Context
from deploy.loads.guarded_drill import Held, pull
from deploy.switches.push_flow import Push
from deploy.switches.push_secrets import Secrets
from deploy.switches.push_session import Pace
from deploy.switches.switch_push import connect
from switch_configs import cli, dialect
from tests.deploy.switches import test_eos_push, test_nxos_push
from validation.stages.s80_soak.drills import Drill
from validation.stages.s80_soak.streams import Crossing

SYSTEMS = {"eos": test_eos_push, "nxos": test_nxos_push}
# The shortest timer that each system takes.
SHORT = {"eos": 10, "nxos": 30}


class Bed:
    """A switch that runs its plan, and a drill of one of its ports."""

    def __init__(self, system: str, bench: Any) -> None:
        self.system, self.bench, self.module = system, bench, SYSTEMS[system]
        assert bench.push().confirmed
        self.before, self.startup = self.running, bench.switch.store.startup
        self.port = self.ports[0]
        self.drill = Drill(
            f"off:{self.module.NAME}:{self.port}", "off", self.module.NAME, self.port,
            "", "", Crossing(), 0.0, 1000.0, "", guarded=True,
        )  # fmt: skip

    @property
    def ports(self) -> list[str]:
        return re.findall(r"(?m)^interface (Ethernet\S+)$", self.module.NEW.files[0].text)

    @property
    def running(self) -> str:
        return str(self.bench.switch.store.running)

    @property
    def is_off(self) -> bool:
        block = re.search(rf"(?ms)^interface {self.port}$(.*?)^\S", f"{self.running}\n!")
        assert block
        return bool(re.search(r"(?m)^ +shutdown$", block[1]))

    @property
    def waits(self) -> bool:
        """Whether a change of ours is left there."""
        return bool(self.bench.waits) if self.system == "eos" else not self.bench.is_clean

    def pull(self, look: Callable[[], None]) -> str:
        folder = self.bench.folder
        context = Context(
            plan=self.module.PLAN,
            site=self.module.PLAN.site,
            state_dir=folder,
            ssh_config=folder / "config",
            known_hosts=folder / "known_hosts",
            say=self.bench.said.append,
            journal=self.bench.write_down,
        )
        pace = Pace(window_s=SHORT[self.system], verify_share=0.9, boot_s=5.0, poll_s=0.1)
        return pull(context, self.drill, look, self.pushing, pace)

    def pushing(self, context: Context, name: str, dry: bool, pace: Pace, held: Held) -> Push:
        system, spoken = dialect(self.system), cli(self.system)
        key, login = self.bench.folder / "id", self.bench.login
        return Push(
            context=context,
            switch=name,
            dialect=system,
            new=context.render(name),
            prove=lambda _: (),
            connect=lambda: connect(name, system.platform, context, key, spoken, login),
            dry_run=dry,
            pace=pace,
            secrets=Secrets(self.module.VALUES),
            cli=spoken,
            works=held,
        )

    def back_within(self, seconds: float) -> bool:
        """By the switch's own timer alone: nobody asks it for anything."""
        until = time.monotonic() + seconds
        while self.is_off and time.monotonic() < until:
            time.sleep(0.1)
        return not self.is_off


def _bed(module: ModuleType, folder: Path, system: str):
    yield from (Bed(system, bench) for bench in module.bench.__wrapped__(folder))


@pytest.fixture(params=sorted(SYSTEMS))
def bed(request, tmp_path):
    yield from _bed(SYSTEMS[request.param], tmp_path, request.param)


def test_the_port_is_off_while_it_is_looked_at_and_back_after(bed):
    seen = []
    assert bed.pull(lambda: seen.append((bed.is_off, bed.bench.switch.store.startup))) == ""
    assert seen == [(True, bed.startup)], "off, and a restart would bring it back"
    assert (bed.running, bed.bench.switch.store.startup) == (bed.before, bed.startup)
    assert not bed.waits


def test_a_killed_drill_comes_back_by_itself(bed):
    """kill -9 between the pull and the return: nobody is left to ask for anything."""
    if bed.system == "nxos":  # its timer is longer by what a replace may take: 210 s in all
        bed.bench.switch.second_s = 0.1
    pid = os.fork()
    if not pid:  # this process has one thread; the switch lives on in the other
        try:
            bed.pull(lambda: os.kill(os.getpid(), signal.SIGKILL))
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
    assert bed.is_off
    assert bed.back_within(30)
    assert bed.running == bed.before
    assert bed.bench.switch.store.startup == bed.startup


def test_a_lost_session_takes_the_port_back(bed):
    assert bed.pull(bed.bench.switch.drop) == ""
    assert bed.running == bed.before
    assert not bed.waits


def test_a_look_that_fails_takes_the_port_back(bed):
    def look() -> None:
        raise RuntimeError("no more")

    assert "not pulled" in bed.pull(look)
    assert bed.running == bed.before
    assert not bed.waits


def test_a_switch_that_lets_nobody_in_for_a_while_is_asked_again(bed):
    faults = bed.bench.switch.faults
    later = threading.Timer(2.0, lambda: setattr(faults, "refuse_login", False))

    def shut_out() -> None:
        faults.refuse_login = True
        bed.bench.switch.drop()
        later.start()

    assert bed.pull(shut_out) == ""
    later.join()
    assert bed.running == bed.before
    assert not bed.waits


def test_what_nobody_sees_go_back_is_told_and_goes_back_by_its_timer(tmp_path):
    """EOS's window is the shorter one: who waits for a switch that lets nobody in waits for it."""
    for bed in _bed(test_eos_push, tmp_path, "eos"):
        switch = bed.bench.switch

        def shut_out(switch=switch) -> None:
            switch.faults.refuse_login = True
            switch.drop()

        assert "was not seen to go back" in bed.pull(shut_out)
        assert bed.back_within(SHORT["eos"])


def test_a_switch_that_refuses_is_not_pulled(bed):
    """Its checkpoint is not written, or its candidate does not arrive: nothing is off."""
    faults = bed.bench.switch.faults
    faults.flash_full, faults.loses = (True, "") if bed.system == "eos" else (False, "multiplier")
    seen: list[bool] = []
    assert "not pulled" in bed.pull(lambda: seen.append(bed.is_off))
    assert seen == []
    assert bed.running == bed.before


def test_a_switch_that_does_not_run_its_plan_is_left_alone(bed):
    other = bed.ports[1]
    store = bed.bench.switch.store
    store.running = store.running.replace(
        f"interface {other}\n", f"interface {other}\n   description by hand\n", 1
    )
    by_hand, commands = bed.running, len(bed.bench.switch.commands)
    assert "does not run its plan" in bed.pull(lambda: None)
    assert bed.running == by_hand
    typed = bed.bench.switch.commands[commands:]
    assert not [one for one in typed if one.startswith(("configure", "copy"))]


def test_a_port_that_it_has_not_is_not_pulled(bed):
    bed.drill = Drill(
        "off:x:Ethernet99/9", "off", bed.module.NAME, "Ethernet99/9",
        "", "", Crossing(), 0.0, 1000.0, "", guarded=True,
    )  # fmt: skip
    assert "has no `interface Ethernet99/9`" in bed.pull(lambda: None)


def drained(bed: Bed) -> bool:
    """Whether all that it says asks to be used last."""
    runs = replace(bed.module.NEW.files[0], text=bed.running)
    read = dialect(bed.system).readback(replace(bed.module.NEW, files=(runs,)))
    return bool(read.drained)


def test_a_drained_switch_asks_to_be_used_last_while_it_is_looked_at_and_not_after(bed):
    bed.drill = replace(bed.drill, id="drain", how="drain", port="")
    seen = []
    assert bed.pull(lambda: seen.append((drained(bed), bed.bench.switch.store.startup))) == ""
    assert seen == [(True, bed.startup)]
    assert (bed.running, bed.bench.switch.store.startup) == (bed.before, bed.startup)
    assert not drained(bed)
    assert not bed.waits
