"""The inventory that pyinfra loads: `pyinfra inventory.pyinfra_source:hosts ...`.

A broken site ends the process: pyinfra would take an inventory that it cannot import for
the name of a host, do nothing and exit 0.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .engines.source import READY_VARIABLE, source
from .nodes.hostvars import groups, node_site_vars, vars_for
from .oob.logins import become
from .plan import Plan
from .problems import InventoryError
from .state import STATE_VARIABLE

PYINFRA = "pyinfra.json"
# So long a busy host may take to greet and to let in, as ansible.cfg says for Ansible. paramiko
# gives the keys in between 15 s, which no option changes, so a login is tried again.
CONNECT_S = 60.0
RETRIES = 2
Host = tuple[str, dict[str, object]]


def hosts() -> dict[str, list[Host]]:
    """Return every group with its hosts and their data; SystemExit when the site is broken."""
    if ready := os.environ.get(READY_VARIABLE):
        try:
            return _read(Path(ready) / PYINFRA)
        except (OSError, ValueError, KeyError) as error:
            why = f"{READY_VARIABLE} names a folder without the inventory: {error}"
            raise SystemExit(why) from None
    try:
        found = source()
    except InventoryError as error:
        raise SystemExit(f"the inventory cannot be used:\n{error}") from None
    if found.ssh_config is None:
        why = f"{STATE_VARIABLE} is not set, and the site has no ssh/config yet"
        raise SystemExit(f"{why}: `./railbed diff` writes it")
    return _hosts(listed(found.plan, found.ssh_config, str(found.known_hosts)))


def listed(plan: Plan, ssh_config: str, known_hosts: str) -> dict[str, Any]:
    """Return groups and the data of each host; what all nodes share is in it once."""
    connection: dict[str, object] = {
        "ssh_config_file": ssh_config,
        "ssh_known_hosts_file": known_hosts,
        "ssh_strict_host_key_checking": "yes",
        "ssh_paramiko_connect_kwargs": {"banner_timeout": CONNECT_S, "auth_timeout": CONNECT_S},
        "ssh_connect_retries": RETRIES,
    }
    shared = node_site_vars(plan)
    data = {name: vars_for(plan, name) | connection for name in plan.devices}
    for name in become(plan):  # the login itself is in ssh_config
        data[name]["_sudo"] = True
    for name in plan.node:
        data[name] = {key: value for key, value in data[name].items() if key not in shared}
    return {"groups": groups(plan), "hosts": data, "nodes": [*plan.node], "shared": shared}


def _hosts(found: Mapping[str, Any]) -> dict[str, list[Host]]:
    nodes, shared = set(found["nodes"]), found["shared"]
    data = {
        name: {**own, **shared} if name in nodes else own for name, own in found["hosts"].items()
    }
    return {
        group: [(name, data[name]) for name in members]
        for group, members in found["groups"].items()
    }


def _read(path: Path) -> dict[str, list[Host]]:
    return _hosts(json.loads(path.read_text(encoding="utf-8")))
