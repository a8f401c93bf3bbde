"""Brings packages to exact versions on a host, all in one transaction; Ansible sends it there."""

from __future__ import annotations

from typing import Any

from ansible.module_utils import railbed_packages as logic  # type: ignore[attr-defined]
from ansible.module_utils.basic import AnsibleModule

DOCUMENTATION = r"""
module: railbed_packages
short_description: Have packages at exact versions, in one transaction, held or not
description:
  - Reads what is installed and held, refuses what must not be beside it, and changes all packages
    of a set together, up or down; then holds them again (apt takes holds away with a change).
  - What it reports in a check is what a run would change.
options:
  packages:
    description: Version by name of the package; empty, any version will do.
    type: dict
    required: true
  hold:
    description: Whether they are held (apt-mark, dnf versionlock) afterwards, or let go.
    type: bool
    default: false
  conflicts:
    description: Names, with wildcards, of packages that must not be installed.
    type: list
    elements: str
    default: []
  replaced:
    description: Names, with wildcards, of packages of which only those in `packages` stay.
    type: list
    elements: str
    default: []
  family:
    description: What the host's packages are.
    type: str
    choices: [deb, rpm]
    default: deb
attributes:
  check_mode: {support: full}
"""

EXAMPLES = r"""
- name: Install the GPU driver
  railbed_packages:
    packages: {nvidia-open: 580.126.20-1, nvidia-fabricmanager: 580.126.20-1}
    hold: true
"""

RETURN = r"""
changes:
  description: What was changed, or would be, in words.
  returned: always
  type: list
  elements: str
"""

_OPTIONS: dict[str, dict[str, Any]] = {
    "packages": {"type": "dict", "required": True},
    "hold": {"type": "bool", "default": False},
    "conflicts": {"type": "list", "elements": "str", "default": []},
    "replaced": {"type": "list", "elements": "str", "default": []},
    "family": {"type": "str", "choices": ["deb", "rpm"], "default": "deb"},
}


def _look(module: AnsibleModule, wanted: dict[str, str]) -> logic.Found:
    family, others = module.params["family"], module.params["conflicts"] + module.params["replaced"]
    asked = logic.query(family, sorted(wanted), others)
    _, out, _ = module.run_command(["/bin/sh", "-c", asked])
    return logic.found(family, out)


def main() -> None:
    """Look, change, look again."""
    module = AnsibleModule(argument_spec=_OPTIONS, supports_check_mode=True)
    wanted = {name: str(version) for name, version in module.params["packages"].items()}
    family, hold, replaced = (module.params[name] for name in ("family", "hold", "replaced"))
    there = _look(module, wanted)
    try:
        logic.refuse(there, wanted, module.params["conflicts"])
    except logic.Refused as error:
        module.fail_json(msg=str(error))
    told = logic.changes(there, wanted, hold, replaced)
    if told and not module.check_mode:
        for command in logic.commands(family, there, wanted, hold, replaced):
            status, out, err = module.run_command(["/bin/sh", "-c", command])
            if status != 0:
                module.fail_json(msg=f"{command}: {(err or out).strip()}", stdout=out, stderr=err)
        if left := logic.changes(_look(module, wanted), wanted, hold, replaced):
            module.fail_json(msg=f"after the transaction still not so: {'; '.join(left)}")
    module.exit_json(changed=bool(told), changes=told)


if __name__ == "__main__":
    main()
