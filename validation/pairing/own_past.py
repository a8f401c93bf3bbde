"""A flow against this cluster's own past: the same two NICs, measured in the same terms. Pure."""

from __future__ import annotations

from validation.judging.limits import Limit, judge
from validation.judging.past import Past, earlier
from validation.stages.s50_pairs.expect import expectation_of

from .load_result import Measured


def lost(found: Measured, past: Past) -> str:
    """How far a flow is below its past, in words; empty where its terms allow as much."""
    flow = found.flow
    same = earlier(past, expectation_of(flow), flow.measured_as)
    limit = Limit(flow.terms.source, trend=flow.terms.trend)
    return judge(found.gbps, limit, history=same).lost
