"""The pyinfra deploy script: `pyinfra inventory.pyinfra_source:hosts deploy/nodes.py`.

pyinfra runs it once for each host. Which roles a host gets, and in which order, stands in
playbooks/nodes.yml, which Ansible plays.
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
    return [one["role"] for play in plays if play["hosts"] in groups for one in play["roles"]]


# pyinfra takes an inventory that it cannot import for the name of a host.
if not host.data.get("railbed_plan_digest"):
    raise RuntimeError(f"{host.name} has no plan digest: it does not come from our inventory")

_roles = roles_of(host.groups)
# deploy/pyinfra_run.py believes that a host was reached only by this line.
logger.info("railbed: %s: roles %s", host.name, ", ".join(_roles) or "none")
for _role in _roles:
    import_module(f"roles.{_role}.deploy").apply()
