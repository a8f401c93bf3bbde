"""Renders and judges switches on all processors."""

from __future__ import annotations

import gc
import multiprocessing
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

from inventory.plan import Plan
from switch_configs import intent, render, without_raw
from switch_configs.intent import Rendered
from switch_configs.readback.facts import SwitchFacts
from validation.proof.configuration import Proof, proof_and_facts

# A switch takes milliseconds: less than this many are not worth a process.
_FEW = 8
_CHUNKS_PER_WORKER = 8
_PLAN: Plan | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """A switch's configuration, what its proof says, and what it says itself."""

    rendered: Rendered
    proof: Proof
    facts: SwitchFacts


def judged_renders(plan: Plan, names: Sequence[str]) -> Iterator[Judged]:
    """Each switch's configuration and what its proof says, in the order of the names.

    DialectError as `switch_configs.render`.
    """
    workers = min(os.cpu_count() or 1, -(-len(names) // _FEW))
    if workers < 2:
        yield from map(partial(judged, plan), names)
        return
    # Forked workers have the plan already: it is large, and nothing of it is sent.
    global _PLAN  # noqa: PLW0603
    _PLAN = plan
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(workers, mp_context=fork, initializer=gc.disable) as pool:
        size = max(1, len(names) // (workers * _CHUNKS_PER_WORKER))
        yield from pool.map(_of_plan, names, chunksize=size)


def _of_plan(name: str) -> Judged:
    assert _PLAN is not None  # noqa: S101 # set before the fork
    return judged(_PLAN, name)


def judged(plan: Plan, name: str) -> Judged:
    """One switch's configuration and what its proof says; DialectError as `render`."""
    made = render(plan, name)
    return Judged(made, *proof_and_facts(intent(plan, name), made, without_raw(plan, name)))
