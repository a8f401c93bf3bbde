"""Runs the latency probes over a transport: round after round, on rails that are idle."""

from __future__ import annotations

from collections.abc import Sequence

from inventory.plan import Plan
from validation.evidence.gather import Transport
from validation.evidence.store import EvidenceStore
from validation.pairing.latency import LatencyProbe

from .load_run import LoadRun, one_round


def run(
    plan: Plan,
    rounds: Sequence[Sequence[LatencyProbe]],
    transport: Transport,
    store: EvidenceStore,
) -> LoadRun:
    """Time the messages of every pair; save the evidence. A round waits for the one before."""
    done = LoadRun()
    try:
        for sequence in rounds:
            one_round(plan, sequence, transport, store, done)
    finally:
        store.silent.update(sorted(done.errors.items()))
        store.save()
    return done
