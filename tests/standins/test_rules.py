"""Rules of the stand-in tools: nothing of ours in them, a source in each."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from deploy.lab.hardware import TOOLS

NAMES = sorted(
    one.name
    for one in TOOLS.iterdir()
    if one.is_file() and not one.is_symlink() and one.suffix != ".md"
)
PYTHON = [name for name in NAMES if b"python3" in (TOOLS / name).read_bytes()[:30]]


def imported(path: Path) -> set[str]:
    """The top names of all modules that a program imports."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = {
        name.name for one in ast.walk(tree) if isinstance(one, ast.Import) for name in one.names
    }
    found |= {one.module or "" for one in ast.walk(tree) if isinstance(one, ast.ImportFrom)}
    return {name.partition(".")[0] for name in found}


@pytest.mark.parametrize("name", [*PYTHON, "standin.py"])
def test_a_tool_imports_nothing_of_ours(name):
    """A stand-in that shares a mistake with the code hides it."""
    assert imported(TOOLS / name) <= {*sys.stdlib_module_names, "standin"}


@pytest.mark.parametrize("name", [name for name in NAMES if name != "standin.py"])
def test_a_tool_names_its_sources(name):
    head = "".join((TOOLS / name).read_text(encoding="utf-8").splitlines(keepends=True)[:20])
    assert "SOURCE" in head


@pytest.mark.parametrize("name", NAMES)
def test_only_programs_are_executable(name):
    is_program = bool((TOOLS / name).stat().st_mode & 0o111)
    assert is_program == (name != "standin.py")
