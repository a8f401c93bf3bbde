"""Stage 70: collectives recorded from real Open MPI over TCP in a lab."""

from __future__ import annotations

from dataclasses import replace

from validation.evidence.store import EvidenceStore

from ..recorded import EVIDENCE, lab
from . import Healthy


def healthy() -> Healthy:
    """Four collectives on two and four nodes, and two jobs at once."""
    store = EvidenceStore()
    loaded = EvidenceStore.load(EVIDENCE / "collectives" / "healthy")
    store.add(replace(one, plan_digest=lab().digest) for one in loaded)
    return Healthy(70, lab(), frozenset(lab().devices), store)
