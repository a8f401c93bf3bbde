"""The inventory of both engines, made ready once by who knows the plan.

Each engine would open the site and plan it anew: half a second of a small site, half a minute
of a large one, for each process that is started.
"""

from __future__ import annotations

import json
from pathlib import Path

from inventory import ansible_source, pyinfra_source
from inventory.plan import Plan


def make_ready(plan: Plan, ssh_config: str, known_hosts: str, folder: Path) -> None:
    """Write what RAILBED_READY then names: the same that each engine's own source would say."""
    theirs = {
        "ansible.json": ansible_source.listed(plan, ssh_config),
        pyinfra_source.PYINFRA: pyinfra_source.listed(plan, ssh_config, known_hosts),
    }
    for name, value in theirs.items():
        (folder / name).write_text(json.dumps(value), encoding="utf-8")
