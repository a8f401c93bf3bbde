"""Runs what stage 50 asks of pairs: the planned rounds, asked matchings, and timed messages."""

from __future__ import annotations

from validation.pairing.latency import latencies
from validation.pairing.matchings import asked_in
from validation.pairing.matchings import rounds as matchings
from validation.pairing.schedule import loads

from .latency_run import run as run_latencies
from .load_run import run as run_loads
from .loading import Loading


def load(loading: Loading) -> None:
    """Run the stage; loads come first, since messages are timed on quiet links."""
    plan, store, say = loading.context.plan, loading.store, loading.context.say
    rounds = loads(plan, loading.configured)
    say(f"loading {sum(map(len, rounds)) // 2} pairs in {len(rounds)} rounds ...")
    asked = asked_in(store)
    matched = tuple(matchings(plan, loading.configured, asked))
    for more in asked:
        say(f"and {more.words} ({more.again}) ...")
    run_loads(plan, rounds, loading.transport, store, loading.configured, matched, loading.past)
    if quiet := latencies(plan, loading.configured):
        say(f"timing messages of {sum(map(len, quiet))} pairs ...")
        run_latencies(plan, quiet, loading.transport, store)
