"""Stage 45: five nodes of eight GPUs, asked for all that a single node is asked."""

from __future__ import annotations

from .. import single_says
from . import Healthy, answered


def healthy() -> Healthy:
    """Every part as its model, and as the others."""
    plan, some = single_says.plan(), single_says.configured()
    said = {name: single_says.node_says(plan, name) for name in sorted(some)}
    return Healthy(45, plan, some, answered(plan, said))
