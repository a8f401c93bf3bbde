"""`railbed prove`, and that `render` and `apply` refuse what it calls critical."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from deploy.commands.main import app
from deploy.errors import RailbedError
from deploy.rollout import preconditions
from deploy.rollout.preconditions import refuse_unproved
from deploy.switches import render_run
from deploy.switches.render import Wish, render_site
from deploy.switches.render_run import Judged
from inventory.plan import Plan
from switch_configs.errors import DialectError
from tests.switch_configs.sites import small


def run(*words: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["prove", *map(str, words)])
    return done.exit_code, done.stdout


def test_a_site_is_proved_with_what_each_failure_takes(tmp_path):
    code, text = run("--site", "pod-256", "--out", tmp_path / "proof.html")
    assert code == 0, text
    assert text.endswith("nothing is wrong that these rules know\n")
    assert "45 switches" in text
    spine = next(line for line in text.splitlines() if "  spine1 " in line)
    assert spine.split() == ["spine", "8", "spine1", "none", "88%"]
    assert "<html" in (tmp_path / "proof.html").read_text()


def test_machines_get_the_same():
    code, text = run("--site", "lab", "--json")
    told = json.loads(text)
    assert code == 0
    assert {one["kind"] for one in told["failures"]} == {
        "leaf", "spine", "cable leaf - spine", "plane",
    }  # fmt: skip
    code, text = run("--site", "lab", "--json", "--no-failures")
    assert json.loads(text)["failures"] == []


@pytest.fixture
def lossy_spine(monkeypatch: pytest.MonkeyPatch) -> Plan:
    """A site with a defect of a renderer: the text of one spine pauses nothing, and says so."""
    real = render_run.judged

    def judged(plan: Plan, name: str) -> Judged:
        made = real(plan, name)
        if name != "spine-p1-1":
            return made
        ports = tuple(
            replace(one, qos=replace(one.qos, pfc_priorities=())) if one.qos else one
            for one in made.facts.ports
        )
        return replace(made, facts=replace(made.facts, ports=ports))

    monkeypatch.setattr(render_run, "judged", judged)
    return small("sonic")


def test_what_breaks_the_lossless_path_is_neither_written_nor_applied(lossy_spine, tmp_path):
    with pytest.raises(RailbedError, match="do not fit together") as refused:
        render_site(lossy_spine, Wish(), tmp_path / "out", None, Console(quiet=True))
    assert refused.value.exit_code == 1
    assert not (tmp_path / "out").exists()
    with pytest.raises(RailbedError, match="lossy-hop: spine-p1-1"):
        refuse_unproved(lossy_spine)


def test_one_switch_alone_is_rendered_without_the_others(lossy_spine, tmp_path: Path):
    assert render_site(
        lossy_spine, Wish("spine-p1-1"), tmp_path / "out", None, Console(quiet=True)
    ) in (0, 3)


def test_one_switch_that_nobody_can_render_hides_no_other(lossy_spine, monkeypatch):
    def unable(plan: Plan, name: str) -> Judged:
        if name == "leaf-p1-r0":
            raise DialectError("no words for it")
        return made(plan, name)

    made = render_run.judged
    monkeypatch.setattr(render_run, "judged", unable)
    monkeypatch.setattr(preconditions, "judged", unable)
    with pytest.raises(RailbedError, match="lossy-hop: spine-p1-1"):
        refuse_unproved(lossy_spine)
