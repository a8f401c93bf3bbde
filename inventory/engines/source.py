"""What both engines read: the site and the state folder that the environment names."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from inventory import open_site
from inventory.plan import Plan
from inventory.state import STATE_VARIABLE, is_lab, named_state, state_dir

SITE_VARIABLE = "RAILBED_SITE"
LAB_VARIABLE = "RAILBED_LAB"
# The folder in which who starts an engine made its inventory ready (ready.py).
READY_VARIABLE = "RAILBED_READY"


@dataclass(frozen=True, slots=True)
class Source:
    """A plan, and the SSH files of the state folder (None where no folder is named)."""

    plan: Plan
    ssh_config: str | None
    known_hosts: str | None


def source() -> Source:
    """Open the site of RAILBED_SITE (default `lab`); InventoryError when it is broken.

    RAILBED_STATE is the folder that holds `ssh/config` and `ssh/known_hosts`; without it, the
    site's own folder counts, if they are there (RAILBED_LAB names the lab, default `lab`).
    """
    site = os.environ.get(SITE_VARIABLE) or "lab"
    named = os.environ.get(STATE_VARIABLE)
    state = Path(named) if named else state_dir(site, os.environ.get(LAB_VARIABLE) or "lab")
    if named and not is_lab(site):
        named_state(site, state)
    plan = open_site(site, state)
    ssh = state.absolute() / "ssh"
    if not named and not (ssh / "config").is_file():
        return Source(plan, None, None)
    return Source(plan, str(ssh / "config"), str(ssh / "known_hosts"))
