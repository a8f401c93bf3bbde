"""What stage 50 would run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from inventory.plan import Plan
from validation.pairing.latency import latencies
from validation.pairing.matchings import Matchings
from validation.pairing.matchings import rounds as matchings
from validation.pairing.schedule import loads
from validation.probes.planned_load import Part, flows


def parts(
    plan: Plan, configured: frozenset[str], asked: Iterable[Matchings] = ()
) -> tuple[Part, ...]:
    """The planned rounds, and random matchings that were `asked` beyond them."""
    rounds = loads(plan, configured)
    top_ups = max((flow.terms.top_up_rounds for round_ in rounds for flow in round_), default=0)
    more = f"{top_ups} rounds at most for uplinks not loaded, and repeats of slow flows"
    timed = latencies(plan, configured)
    load = flows("pairs, both ways", rounds, more if rounds else "")
    more_pairs = (_matched(plan, configured, one) for one in asked)
    return (load, *((flows("pairs, timed", timed),) if timed else ()), *more_pairs)


def _matched(plan: Plan, configured: frozenset[str], asked: Matchings) -> Part:
    """Two NICs may meet in several matchings, and count each time."""
    rounds = [flows for _, flows in matchings(plan, configured, (asked,)) if flows]
    made = flows("random pairs, both ways", rounds, f"{asked.words}; again: {asked.again}")
    return replace(made, count=sum(map(len, rounds)) // 2)
