"""Ansible as it comes: the contracts of the roles as one task a thing, with stock settings.

What `meta/owns.yml` lists becomes tasks of `ansible.builtin`: a `file` for each folder, a
`template` or `copy` for each file, one `apt`, a `systemd_service` for each unit, a `sysctl`
command for the parameters. So the comparison is of the same wanted state, written as one would
without looking at what a task costs.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from validation.manifest.contract import Contract, ContractRow, PackageRow, contract

# As ansible-core 2.19 is without our settings, but for the way to the hosts.
_SETTINGS = (
    "[defaults]\nroles_path = {folder}/roles\ngathering = implicit\nforks = 5\n"
    "[ssh_connection]\npipelining = False\nssh_args = -o ControlMaster=auto -o ControlPersist=60s\n"
)
Task = dict[str, Any]


def playbook(folder: Path, roles: tuple[str, ...]) -> Path:
    """Write settings, roles and a playbook for the nodes; returns the playbook."""
    for role in roles:
        _write_role(contract(role), folder / "roles" / role)
    (folder / "ansible.cfg").write_text(_SETTINGS.format(folder=folder))
    play = folder / "nodes.yml"
    play.write_text(yaml.safe_dump([{"hosts": "kind_node", "roles": list(roles)}]))
    return play


def _write_role(made: Contract, home: Path) -> None:
    for name in ("tasks", "templates"):
        (home / name).mkdir(parents=True)
    for name in ("defaults", "files"):
        (home / name).symlink_to(made.folder / name)
    # Stock Ansible includes nothing but templates, and `applied.j2` includes files as well.
    for one in (*made.folder.glob("templates/*"), *made.folder.glob("files/*")):
        (home / "templates" / one.name).symlink_to(one)
    text = yaml.safe_dump(list(_tasks(made)), sort_keys=False)
    (home / "tasks" / "main.yml").write_text(text)


def _tasks(made: Contract) -> Iterator[Task]:
    owns = made.owns
    for folder in owns.folders:
        who = {"owner": folder.owner, "group": folder.group, "mode": folder.mode}
        yield _row(folder, "file", path=folder.path, state="directory", **who)
    if owns.packages:
        names = " + ".join(f"{_names(one)} | list" for one in owns.packages)
        yield {"ansible.builtin.apt": {"name": f"{{{{ {names} }}}}"}}
    for file in owns.files:
        who = {"owner": file.owner, "group": file.group, "mode": file.mode}
        module = "template" if file.src.endswith(".j2") else "copy"
        yield _row(file, module, src=file.src, dest=file.path, **who)
    for unit in owns.units:
        wanted: Task = {"name": unit.name}
        if unit.masked:
            wanted["masked"] = True
        if unit.enabled is not None:
            wanted["enabled"] = unit.enabled
        if unit.active:
            wanted["state"] = "started"
        yield _row(unit, "systemd_service", **wanted)
    if owns.sysctls:
        yield {"ansible.builtin.command": "sysctl --all", "changed_when": False}


def _row(row: ContractRow, module: str, **arguments: object) -> Task:
    task: Task = {f"ansible.builtin.{module}": arguments}
    if row.each:
        task |= {"loop": f"{{{{ {row.each} }}}}", "loop_control": {"loop_var": row.name_of_each}}
    return task | ({"when": f"({row.when}) is truthy"} if row.when else {})


def _names(row: PackageRow) -> str:
    """An expression for the packages of a row: its list is a dictionary of versions by name."""
    return f"({row.each} | dictsort | map('join', '='))"
