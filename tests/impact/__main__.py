"""`python -m tests.impact [--base BASE] [--run PYTEST...]`: says what it chose, and runs it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from tests.plugins.seconds import kept

from . import choose, plugin
from .change import base_of, changed_files, working_tree
from .graph import Graph


def main(arguments: list[str]) -> None:
    """Choose for the change of this clone; after --run the command that runs the tests."""
    own, run = arguments, []
    if "--run" in arguments:
        cut = arguments.index("--run")
        own, run = arguments[:cut], arguments[cut + 1 :]
    new = working_tree()
    before = changed_files(base_of(own[1] if own[:1] == ["--base"] else ""), new)
    choice = choose.choose(Graph(new), before, kept())
    for line in choice.lines():
        sys.stderr.write(f"railbed: {line}\n")
    sys.stderr.flush()
    if run:
        _run(run, choice)


def _run(command: list[str], choice: choose.Choice) -> None:
    """Become pytest; the choice lies in memory, where workers read it through this process."""
    if not choice.everything:
        memory = os.memfd_create("railbed-choice", 0)
        os.write(memory, json.dumps(dict(choice.functions)).encode())
        files = sorted({one.partition("::")[0] for one in choice.functions})
        where = f"--choice=/proc/{os.getpid()}/fd/{memory}"
        command = [*command, "-p", plugin.__name__, where, *files]
    os.chdir(Path(__file__).parents[2])
    os.execv(command[0], command)  # noqa: S606


main(sys.argv[1:])
