"""Runs what stage 45 asks of single nodes: all at once what draws little, then wave after wave."""

from __future__ import annotations

from collections.abc import Callable

from deploy.errors import RailbedError
from deploy.loads.loading import Loading
from inventory.plan import Plan
from validation.evidence.gather import Transport
from validation.evidence.store import EvidenceStore
from validation.stages.s45_single_node.ramp import RampError
from validation.stages.s45_single_node.work import program_files, steps

from .work_run import WorkRun
from .work_run import run as run_work


def run(
    plan: Plan,
    configured: frozenset[str],
    transport: Transport,
    store: EvidenceStore,
    say: Callable[[str], None] = lambda _: None,
) -> WorkRun:
    """Run it all. RailbedError where no wave keeps within the power steps; nothing ran then."""
    try:
        some = steps(plan, configured)
    except RampError as error:
        raise RailbedError(f"single nodes cannot be burnt: {error}") from error
    return run_work(plan, some, transport, store, program_files(), say)


def load(loading: Loading) -> None:
    """Run the stage."""
    context = loading.context
    context.say("measuring each node by itself ...")
    run(context.plan, loading.configured, loading.transport, loading.store, context.say)
