"""A drill on a model of Cumulus Linux: its port goes off by a push to NVUE, and always back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from deploy.context import Context
from deploy.loads.guarded_drill import Held, pull
from deploy.switches.push_flow import Push
from deploy.switches.push_secrets import Secrets
from deploy.switches.push_session import Pace
from switch_configs.cumulus import files
from switch_configs.cumulus.render import startup_text
from switch_configs.cumulus.running import numbered
from switch_configs.intent import Rendered
from tests.deploy.shell_switch import PACE, Killed, killed, same_time
from tests.deploy.switches.test_cumulus_push import NAME, OLD, PLAN, TONGUE, Bench, Switch
from validation.stages.s80_soak.drills import Drill
from validation.stages.s80_soak.streams import Crossing


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    switch = Switch(tmp_path / "switch")
    same_time(monkeypatch, switch)
    (tmp_path / "state").mkdir()
    with switch.start(OLD):
        yield Bench(switch, tmp_path / "state", PLAN)


def drilled(bench: Bench, look: Callable[[], None], port: str = "swp1") -> str:
    """Pull a port of the switch, whose plan is what it runs."""
    text = startup_text(NAME, "5.14.0", numbered(OLD))
    context = Context(
        PLAN, "lab", bench.folder, bench.folder / "config", bench.folder / "known_hosts",
        bench.said.append, lambda *words: bench.noted.append(words),
        rendered={NAME: Rendered(NAME, "cumulus", (files.startup(text),))},
    )  # fmt: skip

    def pushing(context: Context, name: str, dry: bool, pace: Pace, held: Held) -> Push:
        return Push(
            context=context, switch=name, dialect=TONGUE, new=context.render(name),
            prove=lambda _: (), connect=bench.connect, dry_run=dry, pace=pace,
            secrets=Secrets(), works=held,
        )  # fmt: skip

    drill = Drill(
        f"off:{NAME}:{port}", "off", NAME, port, "", "", Crossing(), 0.0, 0.0, "", guarded=True
    )
    return pull(context, drill, look, pushing, PACE)


def is_off(bench: Bench) -> bool:
    return "down" in bench.switch.runs["interface"]["swp1"]["link"].get("state", {})


def test_the_port_is_off_while_it_is_looked_at_and_back_after(bench):
    seen = []
    assert drilled(bench, lambda: seen.append((is_off(bench), bench.switch.waits))) == ""
    assert seen == [(True, True)]
    assert bench.switch.runs == OLD == bench.switch.nvue["startup"]
    assert not bench.switch.waits


def test_a_killed_drill_comes_back_by_itself(bench):
    with pytest.raises(Killed):
        drilled(bench, killed)
    assert is_off(bench)
    bench.switch.later(PACE.window_s + 1)
    assert bench.switch.runs == OLD == bench.switch.nvue["startup"]


def test_a_restart_while_it_is_off_brings_it_back(bench):
    drilled(bench, bench.switch.restart)
    assert bench.switch.runs == OLD == bench.switch.nvue["startup"]


def test_a_switch_that_refuses_is_not_pulled(bench):
    bench.switch.install({"nv": "echo 'Error: not today' >&2; exit 1"})
    seen: list[bool] = []
    assert drilled(bench, lambda: seen.append(True)).startswith("not pulled")
    assert seen == []


def test_a_port_that_it_has_not_is_not_pulled(bench):
    assert "has no `interface swp99`" in drilled(bench, lambda: None, "swp99")


def test_a_switch_that_does_not_run_its_plan_is_left_alone(bench):
    by_hand = bench.push({**OLD, "interface": {**OLD["interface"], "swp2": {"type": "swp"}}})
    assert by_hand.confirmed
    held = bench.switch.runs
    assert "does not run its plan" in drilled(bench, lambda: None)
    assert bench.switch.runs == held
