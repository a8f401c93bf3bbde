"""Roles on a lab's machines by the users' own command lines of both engines."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from deploy.session import Selection

ROOT = Path(__file__).parents[2]
TOOLS = Path(sys.executable).parent


def run(
    selection: Selection,
    engine: str,
    host: str,
    check: bool = False,
    roles: Sequence[str] = (),
    values: Mapping[str, Any] | None = None,
) -> str:
    """A command line as a user types it; its output. AssertionError where it fails.

    `values` go before the inventory's, and `roles` are all that run, where given.
    """
    with begun(selection, engine, host, check, roles, values) as process:
        said, _ = process.communicate(timeout=900)
    assert process.returncode == 0, said[-4000:]
    assert "Traceback" not in said
    return said


@contextmanager
def begun(
    selection: Selection,
    engine: str,
    host: str,
    check: bool = False,
    roles: Sequence[str] = (),
    values: Mapping[str, Any] | None = None,
) -> Iterator[subprocess.Popen[str]]:
    """The same, while it runs, in a process group of its own."""
    env = {**os.environ, "PATH": f"{TOOLS}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    env |= {"RAILBED_SITE": selection.site, "RAILBED_STATE": str(selection.state_dir)}
    env |= {"PYINFRA_PROGRESS": "off"}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(dict(values or {}), file)
        file.flush()
        if engine == "ansible":
            argv = _ansible(host, check, roles, file.name)
        else:
            argv = _pyinfra(host, check, roles, values or {})
        with subprocess.Popen(
            argv,
            cwd=ROOT,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ) as process:
            try:
                yield process
            finally:
                if process.poll() is None:
                    process.kill()


def _ansible(host: str, check: bool, roles: Sequence[str], values: str) -> list[str]:
    argv = [sys.executable, "-m", "ansible", "playbook", "-i", "inventory/ansible_source.py"]
    argv += ["deploy/playbooks/nodes.yml", "--limit", host, "--diff", "-e", f"@{values}"]
    argv += ["--tags", ",".join(roles)] if roles else []
    return [*argv, "--check"] if check else argv


def _pyinfra(host: str, check: bool, roles: Sequence[str], values: Mapping[str, Any]) -> list[str]:
    # What the console script does, from this checkout whatever else is installed.
    argv = [sys.executable, "-c", "from pyinfra_cli.main import main; main()"]
    argv += ["inventory.pyinfra_source:hosts", "deploy/nodes.py", "--limit", host]
    data = {name: json.dumps(value) for name, value in values.items() if not isinstance(value, str)}
    data |= {name: value for name, value in values.items() if isinstance(value, str)}
    data |= {"railbed_roles": ",".join(roles)} if roles else {}
    for name, value in data.items():
        argv += ["--data", f"{name}={value}"]
    return [*argv, "--dry"] if check else [*argv, "--yes"]


def tasks(said: str) -> set[str]:
    """The tasks of Ansible's output in which something changed."""
    return {
        block.split("]")[0]
        for block in re.split(r"\n(?=TASK|RUNNING HANDLER)", said)
        if re.search(r"^changed:", block, re.MULTILINE)
    }


def operations(said: str) -> set[str]:
    """The operations of pyinfra's last table that changed, or would change, something."""
    table = said.rpartition("Operation ")[2].splitlines()[1:]
    found = (re.match(r"\s+(\S.*?)\s{2,}(.*)", line) for line in table)
    counts = {one[1]: one[2].split() for one in found if one and "|" in one[1]}
    # A dry run: change, conditional change. A run: hosts, success, error, no change.
    return {
        name
        for name, told in counts.items()
        if (told[1] == "1" if len(told) == 4 else told != ["-", "-"])
    }


def assert_nothing_changed(engine: str, said: str) -> None:
    """Both engines, by what they print."""
    if engine == "ansible":
        recap = re.search(r"changed=(\d+)", said)
        assert recap is not None
        assert recap[1] == "0", tasks(said)
    else:
        assert "Operation " in said
        assert operations(said) == set()
