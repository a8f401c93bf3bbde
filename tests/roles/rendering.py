"""Renders every template of every role by both engines, each in its own process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import yaml

from inventory import open_site
from inventory.hostvars import vars_for
from roles.face import ROLES

PLAN = open_site("lab")
HOST_OF = {"oob_server": PLAN.oob.name, "roce_nic": PLAN.nodes[0].name}
# Templates that a role renders once for each item of a list: the item's name, and the list.
EACH = {
    "bridge.netdev.j2": ("oob_server_zone", "oob_server_zones"),
    "bridge.network.j2": ("oob_server_zone", "oob_server_zones"),
    "ports.network.j2": ("oob_server_zone", "oob_server_zones"),
    "rail.network.j2": ("roce_nic_rail", "roce_nic_rails"),
}


@dataclass(frozen=True)
class Job:
    """One file to render: `name` is unique, `values` is all that the template may use."""

    name: str
    template: str
    values: dict[str, object]


def jobs() -> list[Job]:
    """Every template of every role, for the lab's hosts."""
    found = []
    for path in sorted(ROLES.glob("*/templates/*.j2")):
        role = path.parents[1].name
        values = variables(role)
        name, many = EACH.get(path.name, ("", ""))
        items = values[many] if many else [None]
        assert isinstance(items, list)
        for number, item in enumerate(items):
            more = {name: item} if name else {}
            found.append(Job(f"{role}.{path.name}.{number}", str(path), {**values, **more}))
    return found


def variables(role: str) -> dict[str, object]:
    """The role's own variables on its host: the inventory's, over the role's defaults."""
    specs = yaml.safe_load((ROLES / role / "meta/argument_specs.yml").read_text())
    options = specs["argument_specs"]["main"]["options"]
    fallback = yaml.safe_load((ROLES / role / "defaults/main.yml").read_text())
    host = vars_for(PLAN, HOST_OF[role])
    return {key: host.get(key, fallback.get(key)) for key in options}


def by_ansible(folder: Path) -> dict[str, bytes]:
    """By Ansible's template module, one play for each file, so that no variable leaks."""
    plays = [
        {
            "name": one.name,
            "hosts": "localhost",
            "connection": "local",
            "gather_facts": False,
            "vars": one.values,
            "tasks": [
                {
                    "name": "Render",
                    "ansible.builtin.template": {
                        "src": one.template,
                        "dest": str(folder / one.name),
                        "mode": "0644",
                    },
                }
            ],
        }
        for one in jobs()
    ]
    (folder / "play.json").write_text(json.dumps(plays))
    tools = Path(sys.executable).parent
    python = f"ansible_python_interpreter={sys.executable}"
    play = [str(tools / "ansible-playbook"), "-i", "localhost,", "-e", python]
    run([*play, str(folder / "play.json")], folder)
    return read(folder)


SCRIPT = """
import json, os
from jinja2 import FileSystemLoader
from pyinfra.operations import files
for job in json.load(open({jobs!r})):
    files.template(
        name=job["name"], src=job["template"], dest={folder!r} + "/" + job["name"],
        jinja_env_kwargs={{
            "trim_blocks": True, "loader": FileSystemLoader(os.path.dirname(job["template"])),
        }},
        **job["values"],
    )
"""


def by_pyinfra(folder: Path) -> dict[str, bytes]:
    """By pyinfra's template operation with the settings of `roles.face`."""
    listed = folder / "jobs.json"
    listed.write_text(json.dumps([one.__dict__ for one in jobs()]))
    script = folder / "script.py"
    script.write_text(SCRIPT.format(jobs=str(listed), folder=str(folder)))
    program = "from pyinfra_cli.main import main; main()"
    run([sys.executable, "-c", program, "@local", str(script), "--yes"], folder)
    return read(folder)


def run(argv: list[str], folder: Path) -> None:
    env = os.environ | {"ANSIBLE_LOCALHOST_WARNING": "False", "HOME": str(folder)}
    done = subprocess.run(
        argv, cwd=folder, env=env, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def read(folder: Path) -> dict[str, bytes]:
    return {one.name: (folder / one.name).read_bytes() for one in jobs()}
