"""A flow against this cluster's own past: the same two NICs, measured in the same terms. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from ..limits import Limit, judge
from ..verdict import Figure
from .expect import expectation_of
from .load_result import Measured

# By expectation, its figures in the earlier runs in which it passed, oldest first.
Past = Mapping[str, tuple[Figure, ...]]


def lost(found: Measured, past: Past) -> str:
    """How far a flow is below its past, in words; empty where its terms allow as much."""
    flow = found.flow
    earlier = past.get(expectation_of(flow), ())
    same = tuple(one.value for one in earlier if one.terms == flow.measured_as)
    limit = Limit(flow.terms.source, trend=flow.terms.trend)
    return judge(found.gbps, limit, history=same).lost
