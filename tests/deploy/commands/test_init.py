"""`railbed init`: a site from flags or answers, never over another one."""

from __future__ import annotations

import os
import pty
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from deploy.commands.main import app
from deploy.errors import RailbedError
from deploy.imports.new_site import Answers, new_site
from inventory import open_site
from tests.deploy.command_line import railbed

ROOT = Path(__file__).parents[3]
FLAGS = ("--gpus", "256", "--node-profile", "hgx-h100", "--switch-profile", "sn5600-cumulus")


def test_a_site_is_written_and_opens(tmp_path):
    said = railbed("init", str(tmp_path / "east"), *FLAGS)
    assert said.returncode == 0, said.stderr
    assert "east: no problems" in said.stdout
    assert sorted(one.name for one in (tmp_path / "east").iterdir()) == [
        "asbuilt.csv",
        "fabric.yml",
    ]
    assert (tmp_path / "east" / "asbuilt.csv").read_text() == "device,port,mac,serial\n"
    assert len(open_site(tmp_path / "east").nodes) == 32 + 4 + 5


def test_what_is_added_is_said_with_the_way_to_go_without(tmp_path):
    """One node became 38 switches, and two places counted them differently."""
    said = railbed("init", str(tmp_path / "one"), "--nodes", "1", *FLAGS[2:])
    assert said.returncode == 0, said.stderr
    plan = open_site(tmp_path / "one")
    every = len(plan.switches) + len(plan.oob_switches)
    assert f"1 node asked for; {every} switches come with that" in said.stdout
    assert f"{len(plan.oob_switches)} OOB switches, {every} in all" in said.stdout
    for flag in ("--storage none", "--business none", "--no-oob-switches"):
        assert f"without: {flag}" in said.stdout
    bare = railbed(
        "init", str(tmp_path / "bare"), "--nodes", "1", *FLAGS[2:], "--storage", "none",
        "--business", "none", "--no-oob-switches",
    )  # fmt: skip
    assert "without:" not in bare.stdout
    alone = open_site(tmp_path / "bare")
    assert {one.plane for one in alone.switches} == {"compute"}
    assert len(alone.nodes) == 1


def test_each_command_that_it_prints_runs_as_printed(tmp_path):
    folder = tmp_path / "my sites" / "east"
    said = railbed("init", str(folder), *FLAGS)
    assert said.returncode == 0, said.stderr
    commands = re.findall(r"`\./railbed ([^`]+)`", said.stdout)
    assert len(commands) > 1
    for one in commands:
        # What asks mirrors and writes a lock is known with these options, and not run.
        asks = one.startswith("packages ")
        ran = railbed(*shlex.split(one), *(["--help"] if asks else []))
        assert ran.returncode == 0, ran.stderr
        assert ("Usage: railbed packages" if asks else f"{folder.name}: no problems") in ran.stdout


def test_a_dry_run_prints_the_text_alone(tmp_path):
    said = railbed("init", str(tmp_path / "east"), *FLAGS, "--dry-run")
    assert said.returncode == 0, said.stderr
    assert said.stderr == ""
    assert said.stdout.startswith("# east: 32 nodes of 8 GPUs")
    assert not (tmp_path / "east").exists()


@pytest.mark.parametrize("there", ["fabric.yml", "asbuilt.csv"])
def test_nothing_is_overwritten(tmp_path, there):
    (tmp_path / there).write_text("mine")
    said = railbed("init", str(tmp_path), *FLAGS, "--name", "east")
    assert said.returncode == 2
    assert f"found {there}, expected a folder without a site" in said.stderr
    assert "hint:" in said.stderr
    assert [one.name for one in tmp_path.iterdir()] == [there]
    assert (tmp_path / there).read_text() == "mine"


BAD = [
    ((), "--node-profile: found nothing"),
    (("--node-profile", "hgx-h100", "--dialect", "eos"), "--gpus: found nothing"),
    ((*FLAGS, "--nodes", "3"), "found both"),
    ((*FLAGS, "--dialect", "eos"), "found both"),
    ((*FLAGS, "--name", "East"), "--name: found `East`"),
    (("--gpus", "100", *FLAGS[2:]), "whole nodes"),
    (("--gpus", "10000000", *FLAGS[2:]), "at most"),
    (("--gpus", "9" * 400, *FLAGS[2:]), "--gpus"),
    (("--nodes", "-1", *FLAGS[2:]), "--nodes"),
    ((*FLAGS, "--growth", "0.5"), "--growth: found `0.5`, expected a number from 1 to 64"),
    ((*FLAGS, "--growth", "nan"), "--growth: found `nan`"),
    ((*FLAGS, "--growth", "inf"), "--growth: found `inf`"),
    ((*FLAGS[:2], *FLAGS[4:], "--node-profile", "gb300-nvl72"), "NVLink domain"),
    ((*FLAGS, "--storage", "nfs"), "storage"),
]


@pytest.mark.parametrize(("flags", "words"), BAD)
def test_bad_flags_are_a_sentence_and_exit_2(tmp_path, flags, words):
    said = CliRunner().invoke(app, ["init", str(tmp_path / "east"), *flags])
    if isinstance(said.exception, RailbedError):
        text, code = str(said.exception), said.exception.exit_code
    else:
        text, code = said.output, said.exit_code
    assert code == 2, said.output
    assert words in " ".join(text.split())
    assert not (tmp_path / "east").exists()


def test_what_no_flag_says_is_asked(tmp_path):
    asked: list[str] = []
    answers = {
        "GPUs": "128",
        "kind of node": "hgx-b200",
        "kind of switch": "sn5600-sonic",
        "factor": "3",
    }

    def ask(question: str, usual: str, choices: tuple[str, ...]) -> str:
        asked.append(question)
        found = next((one for word, one in answers.items() if word in question), usual)
        assert not choices or found in choices
        return found

    made = new_site(tmp_path / "east", Answers(storage="tcp"), ask, dry_run=True)
    assert "node_profile: hgx-b200" in made.text
    assert "transport: tcp" in made.text
    assert made.plan.switches[0].dialect == "sonic"
    assert len([one for one in made.plan.nodes if one.kind == "gpu"]) == 16
    assert not any("Storage" in one for one in asked)
    assert any("business" in one for one in asked)


@pytest.mark.parametrize("answer", ["", "-8", "many", "8" * 30])
def test_an_answer_that_is_no_number_is_a_sentence(tmp_path, answer):
    said = Answers(node_profile="hgx-h100", switch_profile="sn5600-cumulus")
    with pytest.raises(RailbedError, match="--gpus"):
        new_site(tmp_path / "east", said, lambda *_: answer, dry_run=True)


def test_profiles_of_the_folder_may_be_named(tmp_path):
    """`railbed profile` writes one from a golden node; a site may be made of it."""
    text = (ROOT / "inventory/profiles/nodes.yml").read_text(encoding="utf-8")
    own = text[text.index("hgx-h100:") : text.index("# The same chassis")]
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles/nodes.yml").write_text(own.replace("hgx-h100:", "golden-node:", 1))
    said = railbed(
        "init", str(tmp_path), "--nodes", "8", "--node-profile", "golden-node",
        "--dialect", "cumulus", "--name", "own",
    )  # fmt: skip
    assert said.returncode == 0, said.stderr
    assert len([one for one in open_site(tmp_path).nodes if one.kind == "gpu"]) == 8


def test_questions_on_a_terminal_stay_out_of_what_a_dry_run_prints(tmp_path):
    """`init --dry-run >fabric.yml` asks on the terminal and writes a file that opens."""
    terminal, end = pty.openpty()
    try:
        os.write(terminal, b"\n" * 20)
        said = subprocess.run(
            [sys.executable, "-m", "deploy", "init", str(tmp_path / "x"), "--dry-run", *FLAGS],
            cwd=ROOT,
            stdin=end,
            capture_output=True,
            text=True,
            timeout=60,
        )
    finally:
        os.close(terminal)
        os.close(end)
    assert said.returncode == 0, said.stderr
    assert "[" in said.stderr, "nothing was asked"
    (tmp_path / "fabric.yml").write_text(said.stdout)
    (tmp_path / "asbuilt.csv").write_text("device,port,mac,serial\n")
    assert open_site(tmp_path).nodes
