"""Which railbed this is, its verbs in the order of a day, completion, and one command in a lab."""

from __future__ import annotations

import subprocess
import tomllib
from typing import Any

import typer

from deploy.commands.main import app
from deploy.commands.order import _ORDER, version
from deploy.lab import lab
from tests.deploy.command_line import railbed
from tests.tree import ROOT


def test_it_says_its_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    said = railbed("--version")
    assert said.returncode == 0
    assert said.stdout == f"railbed {project['version']}\n" == f"railbed {version()}\n"


def test_every_verb_has_its_place_in_the_day():
    group: Any = typer.main.get_command(app)
    names = group.list_commands(typer.Context(group))
    assert tuple(names) == _ORDER
    assert names.index("init") < names.index("check") < names.index("plan") < names.index("apply")


def test_a_shell_can_complete_verbs(monkeypatch):
    for name in ("COMP_WORDS", "COMP_CWORD"):
        monkeypatch.setenv(name, {"COMP_WORDS": "railbed val", "COMP_CWORD": "1"}[name])
    monkeypatch.setenv("_RAILBED_COMPLETE", "complete_bash")
    assert "validate" in railbed().stdout


def test_a_command_in_a_lab_keeps_its_words_and_its_status():
    argv = lab._of_shell(["sh", "-c", 'echo "$1"; exit 7', "x", "two  words; $HOME"])
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.stdout.endswith("two  words; $HOME\n")
    assert done.returncode == 7
    assert lab._of_shell([]) == ["/bin/bash", "-l"]
