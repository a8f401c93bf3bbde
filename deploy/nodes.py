"""The pyinfra deploy script: `pyinfra inventory.pyinfra_source:hosts deploy/nodes.py`.

pyinfra runs it once for each host. Which roles a host gets, and in which order, stands in
playbooks/nodes.yml, which Ansible plays. `--data railbed_roles=os_base,ofed` runs only these,
as `--tags os_base,ofed` does for Ansible.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import yaml
from pyinfra import host, logger

ROOT = Path(__file__).resolve().parents[1]


def roles_of(groups: list[str]) -> list[str]:
    """List the roles of a host in these groups, in the order of the playbook."""
    plays = yaml.safe_load((ROOT / "deploy/playbooks/nodes.yml").read_text(encoding="utf-8"))
    ours = (play for play in plays if "roles" in play and play["hosts"] in groups)
    return [one["role"] for play in ours for one in play["roles"]]


def chosen(roles: list[str], named: str) -> list[str]:
    """Keep the named ones of a host's roles, or all; RuntimeError for one that nobody has."""
    wanted = {name for name in named.split(",") if name}
    if unknown := sorted(name for name in wanted if not (ROOT / "roles" / name).is_dir()):
        raise RuntimeError(f"no such role: {', '.join(unknown)}")
    return [role for role in roles if not wanted or role in wanted]


# pyinfra takes an inventory that it cannot import for the name of a host.
if not host.data.get("railbed_plan_digest"):
    raise RuntimeError(f"{host.name} has no plan digest: it does not come from our inventory")

_roles = chosen(roles_of(host.groups), str(host.data.get("railbed_roles") or ""))
# deploy/servers/pyinfra_run.py believes that a host was reached only by this line.
logger.info("railbed: %s: roles %s", host.name, ", ".join(_roles) or "none")
for _role in _roles:
    import_module(f"roles.{_role}.deploy").apply()
