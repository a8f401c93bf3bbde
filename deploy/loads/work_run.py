"""Runs work over a transport: step after step, one trip per device and step."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from inventory.plan import Plan
from switch_configs import is_typed
from validation.evidence.gather import WORKERS, Ask, Transport, gather
from validation.evidence.store import EvidenceStore
from validation.probes.work import Step

from .leftovers import end, marked

MOST_AT_ONCE = 256


@dataclass
class WorkRun:
    """What a run left in the store, and why devices took no part in it."""

    frames: int = 0
    steps: int = 0
    errors: dict[str, str] = field(default_factory=dict)


def run(
    plan: Plan,
    steps: Sequence[Step],
    transport: Transport,
    store: EvidenceStore,
    files: Mapping[str, str] | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> WorkRun:
    """Run every step; save what the jobs printed. `files` are laid into $RAILBED_TMP.

    A device whose trip failed takes part in no later step: what it might have printed is missing,
    and so inconclusive. Processes that a cut trip left behind are ended by their mark.
    """
    done = WorkRun()
    try:
        for number, step in enumerate(steps, 1):
            say(f"step {number} of {len(steps)}: {len(step)} jobs")
            _step(plan, step, transport, store, files, done)
    finally:
        store.silent.update(sorted(done.errors.items()))
        store.save()
    return done


def _step(
    plan: Plan,
    step: Step,
    transport: Transport,
    store: EvidenceStore,
    files: Mapping[str, str] | None,
    done: WorkRun,
) -> None:
    token = secrets.token_hex(8)
    typed = {name for name, one in plan.any_switch.items() if is_typed(one.dialect)}
    asks: dict[str, list[Ask]] = {}
    for job in sorted(step):
        if job.device not in done.errors:
            shell = job.shell if job.device in typed else marked(job.shell, token)
            ask = Ask(job.command, shell, job.limit_s)
            asks.setdefault(job.device, []).append(ask)
    workers = min(MOST_AT_ONCE, max(WORKERS, len(asks)))
    found = gather(plan, transport, asks, files, workers)
    store.add(found.frames)
    done.frames += len(found.frames)
    done.steps += 1
    done.errors.update(found.errors)
    if cut := sorted(set(found.errors) & set(asks) - typed):
        gather(plan, transport, {one: [Ask("end", end(token))] for one in cut}, None, workers)
