"""The inventory that pyinfra loads: `pyinfra inventory.pyinfra_source:hosts ...`.

A broken site ends the process: pyinfra would take an inventory that it cannot import for
the name of a host, do nothing and exit 0.
"""

from __future__ import annotations

from .engine_source import STATE_VARIABLE, source
from .hostvars import groups, vars_for
from .problems import InventoryError

Host = tuple[str, dict[str, object]]


def hosts() -> dict[str, list[Host]]:
    """Return every group with its hosts and their data; SystemExit when the site is broken."""
    try:
        found = source()
    except InventoryError as error:
        raise SystemExit(f"the inventory cannot be used:\n{error}") from None
    if found.ssh_config is None:
        why = f"{STATE_VARIABLE} is not set, and the site has no ssh/config yet"
        raise SystemExit(f"{why}: `./railbed diff` writes it")
    connection: dict[str, object] = {
        "ssh_config_file": found.ssh_config,
        "ssh_known_hosts_file": found.known_hosts,
        "ssh_strict_host_key_checking": "yes",
    }
    data = {name: vars_for(found.plan, name) | connection for name in found.plan.devices}
    return {
        group: [(name, data[name]) for name in members]
        for group, members in groups(found.plan).items()
    }
