"""Lint is a test: any finding of any linter fails the run."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tree import ROOT, files

TOOLS = Path(sys.executable).parent


def lint(*command: str) -> str:
    """Run one linter of this environment; its findings, empty when it is content."""
    done = subprocess.run(
        [str(TOOLS / command[0]), *command[1:]],
        cwd=ROOT,
        env={**os.environ, "PATH": f"{TOOLS}:{os.environ['PATH']}"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    return "" if done.returncode == 0 else f"{done.stdout}\n{done.stderr}".strip()


def must_be_clean(*command: str) -> None:
    """Fail with the linter's own words."""
    if findings := lint(*command):
        pytest.fail(f"{' '.join(command)}\n{findings}", pytrace=False)


def test_ruff_check():
    must_be_clean("ruff", "check", "--quiet", ".")


def test_ruff_format():
    must_be_clean("ruff", "format", "--check", "--quiet", "--diff", ".")


def test_mypy():
    must_be_clean("mypy", "--no-error-summary")


def test_yamllint():
    listed = [path.as_posix() for path in files() if path.suffix in {".yml", ".yaml"}]
    dotted = [".ansible-lint", ".yamllint"]
    must_be_clean("yamllint", "--strict", *listed, *dotted)


def test_ansible_lint(is_full):
    """The production profile with nothing skipped, over roles and playbooks.

    It takes as long as a lab: what was clean is not looked at again until a file of it, a tool
    or a setting changes. A new clone, and the full tier, always look.
    """
    clean = ROOT / ".railbed" / "lint" / linted()
    if is_full or not clean.exists():
        must_be_clean("ansible-lint", "--offline", "--nocolor", "-q")
        clean.parent.mkdir(parents=True, exist_ok=True)
        clean.touch()


def linted() -> str:
    """A digest of all that ansible-lint may read: YAML, roles, settings, and the tools' lock."""
    settings = {".ansible-lint", ".yamllint", ".gitignore", "ansible.cfg", "requirements.lock"}
    digest = hashlib.sha256()
    for path in files():
        is_yaml = path.suffix in {".yml", ".yaml"}
        if is_yaml or path.parts[0] == "roles" or path.as_posix() in settings:
            text = (ROOT / path).read_bytes()
            digest.update(f"{path}\0{len(text)}\0".encode() + text)
    return digest.hexdigest()


@pytest.mark.parametrize(
    ("name", "text", "command"),
    [
        ("bad.py", "import os\n", ("ruff", "check", "--isolated")),
        ("bad.py", "x=1\n", ("ruff", "format", "--isolated", "--check")),
        ("bad.py", "def f(x): return x\n", ("mypy", "--strict", "--cache-dir=/dev/null")),
        ("bad.yml", "a:  1\n", ("yamllint", "--strict")),
        ("bad.yml", "- hosts: all\n  tasks:\n    - shell: ls\n", ("ansible-lint", "--offline")),
    ],
    ids=["ruff", "format", "mypy", "yamllint", "ansible-lint"],
)
def test_each_linter_bites(tmp_path, name, text, command):
    """A linter that finds nothing in a bad file would make its test worthless."""
    (tmp_path / name).write_text(text)
    assert lint(*command, str(tmp_path / name))
