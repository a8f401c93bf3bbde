"""Runs what stage 75 asks of the mounts: one group of nodes after the other."""

from __future__ import annotations

from collections.abc import Callable

from deploy.loads.loading import Loading
from inventory.plan import Plan
from validation.evidence.gather import Transport
from validation.evidence.store import EvidenceStore
from validation.stages.s75_storage.work import steps

from .work_run import WorkRun
from .work_run import run as run_work


def run(
    plan: Plan,
    configured: frozenset[str],
    transport: Transport,
    store: EvidenceStore,
    say: Callable[[str], None] = lambda _: None,
) -> WorkRun:
    """Run it all; where the site declares no mount, nothing."""
    return run_work(plan, steps(plan, configured), transport, store, None, say)


def load(loading: Loading) -> None:
    """Run the stage."""
    context = loading.context
    if context.plan.mounts:
        context.say("loading the mounts of the storage plane ...")
    run(context.plan, loading.configured, loading.transport, loading.store, context.say)
