"""Stage 20: a fabric of NX-OS that exists as state, told as its switches print it."""

from __future__ import annotations

from tests.switch_configs.sites import small

from ..shows.fabric import devices, evidence
from ..shows.state import healthy as all_well
from . import Healthy


def healthy() -> Healthy:
    """A fabric of every role, all of it well."""
    plan = small("nxos")
    return Healthy(20, plan, devices(plan), evidence(plan, all_well(plan)))
