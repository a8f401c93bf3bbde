"""Runs of stage 50 over soft-RoCE between two virtual machines (tests/vm/test_rdma.py)."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path

from inventory.plan import Plan
from tests.vm.two_plan import two_node_plan
from validation.evidence.store import EvidenceStore

from .recorded import EVIDENCE


@cache
def two() -> Plan:
    """The plan under which the runs were recorded, in content."""
    with tempfile.TemporaryDirectory() as folder:
        return two_node_plan(Path(folder) / "two")


def rdma_run(name: str) -> EvidenceStore:
    """A recorded run as if gathered for today's plan digest."""
    loaded = EvidenceStore.load(EVIDENCE / "rdma_pairs" / name)
    assert not loaded.problems
    store = EvidenceStore()
    store.add(replace(frame, plan_digest=two().digest) for frame in loaded)
    store.silent.update(loaded.silent)
    return store
