"""How each stage that loads gets its evidence. One line a stage; the ladder says the order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from deploy.context import Context
from deploy.loads.collective_run import run as run_collectives
from deploy.loads.congestion_run import next_turn
from deploy.loads.congestion_run import run as run_congestion
from deploy.loads.latency_run import run as run_latencies
from deploy.loads.load_run import run as run_loads
from deploy.loads.mpi_run import MpiOverSsh
from deploy.loads.single_run import run as run_single
from deploy.loads.soak_run import run as run_soak
from deploy.loads.storage_run import run as run_storage
from validation.evidence.gather import Transport
from validation.evidence.store import EvidenceStore
from validation.judging.past import Past
from validation.pairing.latency import latencies
from validation.pairing.matchings import asked_in
from validation.pairing.matchings import rounds as matchings
from validation.pairing.schedule import loads


@dataclass(frozen=True)
class Loading:
    """What a runner may use: the context, the way to devices, where evidence goes.

    `past` has the figures of earlier runs.
    """

    context: Context
    transport: Transport
    store: EvidenceStore
    configured: frozenset[str]
    past: Past = field(default_factory=dict)


def _pairs(one: Loading) -> None:
    rounds = loads(one.context.plan, one.configured)
    one.context.say(f"loading {sum(map(len, rounds)) // 2} pairs in {len(rounds)} rounds ...")
    asked = asked_in(one.store)
    matched = tuple(matchings(one.context.plan, one.configured, asked))
    for more in asked:
        one.context.say(f"and {more.words} ({more.again}) ...")
    run_loads(one.context.plan, rounds, one.transport, one.store, one.configured, matched, one.past)
    quiet = latencies(one.context.plan, one.configured)
    if quiet:
        one.context.say(f"timing messages of {sum(map(len, quiet))} pairs ...")
        run_latencies(one.context.plan, quiet, one.transport, one.store)


def _single(one: Loading) -> None:
    context = one.context
    context.say("measuring each node by itself ...")
    run_single(context.plan, one.configured, one.transport, one.store, context.say)


def _congestion(one: Loading) -> None:
    turn = next_turn(one.context.state_dir)
    one.context.say(f"loading many to one, turn {turn} ...")
    plan, say = one.context.plan, one.context.say
    run_congestion(plan, one.configured, turn, one.transport, one.store, say)


def _collectives(one: Loading) -> None:
    plan = one.context.plan
    launcher = MpiOverSsh(plan, one.transport)
    run_collectives(plan, one.configured, launcher, one.store, one.context.say, one.past)


def _storage(one: Loading) -> None:
    context = one.context
    if context.plan.mounts:
        context.say("loading the mounts of the storage plane ...")
    run_storage(context.plan, one.configured, one.transport, one.store, context.say)


def _soak(one: Loading) -> None:
    run_soak(one.context.plan, one.configured, one.transport, one.store, one.context.say)


RUNS: Mapping[int, Callable[[Loading], None]] = {
    45: _single,
    50: _pairs,
    60: _congestion,
    70: _collectives,
    75: _storage,
    80: _soak,
}
