#!/usr/bin/env python3
"""The inventory that Ansible runs: `ansible-playbook -i inventory/ansible_source.py ...`.

Prints JSON for `--list` and `--host NAME` and fails closed: a broken site prints its
problems on stderr and exits 2. Imports nothing of Ansible.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inventory.plan import Plan

_ROOT = Path(__file__).resolve().parents[1]
_TRIED = "RAILBED_PYTHON_TRIED"
_READY = "RAILBED_READY"  # engine_source.READY_VARIABLE: nothing of ours is imported here
_SHARED = "railbed_shared_by_nodes"
_USAGE = "usage: ansible_source.py --list | --host NAME"


def main(arguments: list[str]) -> int:
    """Answer Ansible; the exit status is 0, or 2 with the reason on stderr."""
    from inventory.problems import InventoryError

    try:
        answer = _answer(arguments)
    except InventoryError as error:
        return _refuse(f"the inventory cannot be used:\n{error}")
    if answer is None:
        return _refuse(_USAGE)
    sys.stdout.write(json.dumps(answer, sort_keys=True) + "\n")
    return 0


def _answer(arguments: list[str]) -> dict[str, object] | None:
    from inventory.engines.source import source
    from inventory.nodes.hostvars import vars_for

    if arguments != ["--list"] and not (len(arguments) == 2 and arguments[0] == "--host"):
        return None
    found = source()
    if arguments[0] == "--list":
        return listed(found.plan, found.ssh_config)
    if arguments[1] not in found.plan.devices:
        return {}
    way = _connection(found.plan, found.ssh_config)
    return vars_for(found.plan, arguments[1]) | way[arguments[1]]


def _connection(plan: Plan, ssh_config: str | None) -> dict[str, dict[str, object]]:
    """How each device is reached; on servers a login that is not root's becomes it."""
    from inventory.oob.logins import become

    way = {} if ssh_config is None else {"ansible_ssh_common_args": f"-F {ssh_config}"}
    found: dict[str, dict[str, object]] = {name: {**way} for name in plan.devices}
    for name, user in become(plan).items():
        found[name] |= {"ansible_user": user, "ansible_become": True}
    return found


def listed(plan: Plan, ssh_config: str | None) -> dict[str, object]:
    """Return what `--list` answers."""
    from inventory.nodes.hostvars import node_site_vars, vars_for

    connection, shared = _connection(plan, ssh_config), node_site_vars(plan)
    hostvars = {
        name: {key: value for key, value in vars_for(plan, name).items() if key not in shared}
        | connection[name]
        for name in plan.devices
    }
    hostvars[plan.oob.name][_SHARED] = shared
    return {**_groups(plan, shared), "_meta": {"hostvars": hostvars}}


def _groups(plan: Plan, shared: dict[str, object]) -> dict[str, object]:
    """Each group with its hosts. Nodes read what they share from one place, the OOB server.

    A group's variable would come out of `ansible-inventory --list` once for each node: 500 MB
    of a site of 1,280.
    """
    from inventory.nodes.groups import NODES
    from inventory.nodes.hostvars import groups

    members: dict[str, dict[str, object]] = {
        group: {"hosts": list(names)} for group, names in groups(plan).items()
    }
    members.setdefault(NODES, {"hosts": []})["vars"] = {
        key: f"{{{{ hostvars['{plan.oob.name}'].{_SHARED}.{key} }}}}" for key in shared
    }
    return dict(members)


def _refuse(why: str) -> int:
    sys.stderr.write(f"{why}\n")
    return 2


def _use_our_python() -> None:
    """Ansible starts this file with whatever `python3` it finds: continue with ours."""
    python = _ROOT / ".venv" / "bin" / "python"
    if os.environ.get(_TRIED) or not python.exists():
        return
    os.environ[_TRIED] = "1"
    os.execv(python, [str(python), __file__, *sys.argv[1:]])  # noqa: S606 # no shell is meant


def _ready(arguments: list[str]) -> str | None:
    """What who started the engine made ready (ready.py), for `--list`; None where nobody did.

    It is read before anything of ours is imported: planning the site anew takes a second.
    """
    folder = os.environ.get(_READY)
    if not folder or arguments != ["--list"]:
        return None
    return (Path(folder) / "ansible.json").read_text(encoding="utf-8")


def _begin() -> int:
    try:
        ready = _ready(sys.argv[1:])
    except OSError as error:
        return _refuse(f"{_READY} names a folder without the inventory: {error}")
    if ready is not None:
        sys.stdout.write(ready)
        return 0
    # Python puts this script's folder first; our modules must be found by their full names.
    sys.path[0] = str(_ROOT)
    try:
        import inventory  # noqa: F401 # only whether this Python has what it needs
    except ImportError as error:
        _use_our_python()
        return _refuse(f"{sys.executable} lacks a package ({error}): run ./railbed first")
    return main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(_begin())
