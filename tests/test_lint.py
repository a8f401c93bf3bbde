"""Lint is a test: any finding of any linter fails the run."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tree import ROOT, files

TOOLS = Path(sys.executable).parent
# Where all of Ansible's own lies. To look for it in the whole tree takes half of the linter's time.
ANSIBLE = ("roles", "deploy/playbooks")
PLAYS = re.compile(
    rb"^\s*(- )?(hosts|gather_facts|import_playbook|ansible\.builtin\.\w+):", re.MULTILINE
)
SHELL = re.compile(rb"#! ?/(usr/)?bin/(env )?(ba|da)?sh\b")
needs_shellcheck = pytest.mark.skipif(
    not shutil.which("shellcheck"), reason="needs shellcheck (Debian package shellcheck)"
)


def lint(*command: str) -> str:
    """Run one linter, this environment's if it has it; its findings, empty when it is content."""
    path = f"{TOOLS}:{os.environ['PATH']}"
    done = subprocess.run(
        [shutil.which(command[0], path=path) or command[0], *command[1:]],
        cwd=ROOT,
        env={**os.environ, "PATH": path},
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


@needs_shellcheck
def test_shellcheck():
    """Every script, by its name or its first line; of templates nothing, as they are no scripts."""
    must_be_clean("shellcheck", *(path.as_posix() for path in scripts()))


def scripts() -> list[Path]:
    """All scripts of the tree."""
    named = {path for path in files() if path.suffix == ".sh"}
    others = (path for path in files() if path.suffix not in {".j2", ".md", ".py"})
    return sorted(named | {one for one in others if SHELL.match((ROOT / one).read_bytes()[:32])})


def test_the_scripts_are_found():
    found = {path.as_posix() for path in scripts()}
    ours = {"railbed", ".ci/run", "roles/roce_nic/files/nics/nvidia.sh"}
    assert ours | {"roles/gds/files/railbed-gds", "validation/on_node/host_state.sh"} <= found
    assert len(found) > 25


def test_ansible_lint(is_full):
    """The production profile with nothing skipped, over roles and playbooks.

    It takes as long as a lab: what was clean is not looked at again until a file of it, a tool
    or a setting changes. A new clone, and the full tier, always look.
    """
    clean = ROOT / ".railbed" / "lint" / linted()
    if is_full or not clean.exists():
        must_be_clean("ansible-lint", "--offline", "--nocolor", "-q", *ANSIBLE, ".ansible-lint")
        clean.parent.mkdir(parents=True, exist_ok=True)
        clean.touch()


def test_all_of_ansible_is_where_it_is_looked_for():
    """No play and no task lies elsewhere; other YAML is yamllint's."""
    yaml = [path for path in files() if path.suffix in {".yml", ".yaml"}]
    found = {path for path in yaml if PLAYS.search((ROOT / path).read_bytes())}
    assert len(found) > 20
    assert not [path for path in found if not any(map(path.is_relative_to, ANSIBLE))]


def linted() -> str:
    """A digest of all that ansible-lint may read: roles, playbooks, settings, the tools' lock."""
    settings = {".ansible-lint", ".yamllint", ".gitignore", "ansible.cfg", "requirements.lock"}
    digest = hashlib.sha256()
    for path in files():
        if path.as_posix() in settings or any(map(path.is_relative_to, ANSIBLE)):
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
        pytest.param("bad", "#!/bin/sh\nrm $1\n", ("shellcheck",), marks=needs_shellcheck),
    ],
    ids=["ruff", "format", "mypy", "yamllint", "ansible-lint", "shellcheck"],
)
def test_each_linter_bites(tmp_path, name, text, command):
    """A linter that finds nothing in a bad file would make its test worthless."""
    (tmp_path / name).write_text(text)
    assert lint(*command, str(tmp_path / name))
