"""Folders of variables that Ansible reads without being asked, and that nobody else would read.

`group_vars` and `host_vars` beside an inventory or a playbook change what Ansible does, and
neither what pyinfra does nor what drift compares with (docs.ansible.com, "Using Variables":
they are loaded relative to the inventory file and to the playbook). So they are refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from inventory.problems import Problem

from .files import is_there, label

_ROOT = Path(__file__).resolve().parents[2]
_BESIDE = (Path("inventory"), Path("deploy/playbooks"))
_NAMES = ("group_vars", "host_vars")


def foreign_vars(site: Path, root: Path = _ROOT) -> Iterator[Problem]:
    """A problem for each such folder of a site, beside the inventory and beside the playbooks."""
    for folder in dict.fromkeys((site, *(root / one for one in _BESIDE))):
        for name in _NAMES:
            for path in (folder / name, folder / f"{name}.yml"):
                if is_there(path):
                    hint = "remove it: a role's variables stand in fabric.yml, `role_variables`"
                    expected = "no variables that only one engine reads"
                    yield Problem(label(path), 1, 1, "", f"`{name}`", expected, hint)
