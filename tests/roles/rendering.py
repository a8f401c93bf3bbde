"""Renders every file of every role as both engines do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from roles.pyinfra_role import ROLES, text_of

from .owned import CASES, owned, variables


@dataclass(frozen=True)
class Job:
    """One file to write: `name` is unique; a template may use `values` and `more`, no others."""

    name: str
    src: str
    values: dict[str, object]
    more: dict[str, object]


def jobs() -> list[Job]:
    """Every file of every role, for the lab's hosts and with what the lab does not ask for."""
    found, counts = [], Counter[str]()
    for role, case in CASES:
        values = variables(role, case)
        for src, _, _, _, more in owned(role, case).files.values():
            name = ".".join(filter(None, (role, case, src)))
            path = str(ROLES / role / ("templates" if src.endswith(".j2") else "files") / src)
            found.append(Job(f"{name}.{counts[name]}", path, values, more))
            counts[name] += 1
    return found


def by_ansible(folder: Path) -> dict[str, bytes]:
    """As the Ansible parts do, as root; a play for files with the same variables: none leaks.

    What a file has beside them is said as a role's task says it, in a loop of one.
    """
    alike: dict[str, list[Job]] = {}
    for one in jobs():
        alike.setdefault(json.dumps(one.values, sort_keys=True), []).append(one)
    plays = [
        {
            "name": some[0].name,
            "hosts": "localhost",
            "connection": "local",
            "gather_facts": False,
            "vars": some[0].values,
            "tasks": [
                {
                    "name": "Render",
                    "railbed_files": {
                        "files": [_row(one, folder) for one in some],
                    },
                }
            ],
        }
        for some in alike.values()
    ]
    (folder / "play.json").write_text(json.dumps(plays))
    tools = Path(sys.executable).parent
    python = f"ansible_python_interpreter={sys.executable}"
    play = [str(tools / "ansible-playbook"), "-i", "localhost,", "-e", python]
    run([*play, str(folder / "play.json")], folder)
    return read(folder)


def _row(job: Job, folder: Path) -> dict[str, object]:
    row: dict[str, object] = {"src": job.src, "dest": str(folder / job.name)}
    for name, item in job.more.items():
        row |= {"loop": [item], "loop_var": name}
    return row


def by_pyinfra() -> dict[str, bytes]:
    """As the pyinfra parts render, before anything is sent."""
    return {
        one.name: text_of(
            Path(one.src).parents[1].name, Path(one.src).name, one.values | one.more
        ).encode()
        for one in jobs()
    }


def run(argv: list[str], folder: Path) -> None:
    env = os.environ | {
        "ANSIBLE_ACTION_PLUGINS": str(ROLES / "plugins/action"),
        "ANSIBLE_LIBRARY": str(ROLES / "plugins/modules"),
        "ANSIBLE_MODULE_UTILS": str(ROLES / "plugins/module_utils"),
        "ANSIBLE_LOCALHOST_WARNING": "False",
        "ANSIBLE_PIPELINING": "True",
        "HOME": str(folder),
    }
    done = subprocess.run(
        argv, cwd=folder, env=env, capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def read(folder: Path) -> dict[str, bytes]:
    return {one.name: (folder / one.name).read_bytes() for one in jobs()}
