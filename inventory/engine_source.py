"""What both engines read: the site and the state folder that the environment names."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from . import open_site
from .plan import Plan

SITE_VARIABLE = "RAILBED_SITE"
STATE_VARIABLE = "RAILBED_STATE"


@dataclass(frozen=True, slots=True)
class Source:
    """A plan, and the SSH files of the state folder (None where no folder is named)."""

    plan: Plan
    ssh_config: str | None
    known_hosts: str | None


def source() -> Source:
    """Open the site of RAILBED_SITE (default `lab`); InventoryError when it is broken.

    RAILBED_STATE is the folder that holds `ssh/config` and `ssh/known_hosts`.
    """
    plan = open_site(os.environ.get(SITE_VARIABLE) or "lab")
    state = os.environ.get(STATE_VARIABLE)
    if not state:
        return Source(plan, None, None)
    ssh = Path(state).absolute() / "ssh"
    return Source(plan, str(ssh / "config"), str(ssh / "known_hosts"))
