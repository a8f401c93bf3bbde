"""The command line in this process: most of a new one's time would be its start."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass

import pytest

from deploy.commands.main import main
from tests.tree import ROOT


@dataclass(frozen=True)
class Said:
    """How a command ended."""

    returncode: int
    stdout: str
    stderr: str


def railbed(*arguments: str) -> Said:
    """Run a command in the clone's root; what it does not expect is raised, never told."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["railbed", *arguments])
        patch.setattr(sys, "stdin", io.StringIO())
        patch.chdir(ROOT)
        with pytest.raises(SystemExit) as raised:
            main()
    code = raised.value.code
    return Said(code if isinstance(code, int) else 0, out.getvalue(), err.getvalue())
