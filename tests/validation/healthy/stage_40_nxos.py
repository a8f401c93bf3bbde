"""Stage 40 on NX-OS: the same of a leaf and a spine whose ports are not Linux's."""

from __future__ import annotations

from validation.evidence.store import EvidenceStore

from ..lossless_site import healthy as lossless
from ..shows import nxos
from ..shows.fabric import evidence
from ..shows.state import healthy as all_well
from . import Healthy


def healthy() -> Healthy:
    """What they run of PFC, and their ports as a fabric that is all well shows them."""
    told = lossless("nxos")
    store = EvidenceStore()
    store.add(told.store)
    shown = evidence(told.plan, all_well(told.plan))
    store.add(one for one in shown if one.device in told.configured and one.command == nxos.PORTS)
    return Healthy(40, told.plan, told.configured, store)
