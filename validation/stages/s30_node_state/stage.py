"""The header of stage 30."""

from __future__ import annotations

from validation.stage import Stage

STAGE = Stage(
    number=30,
    title="Node state",
    needs=(),
    blocks="loads on nodes: they would measure another system than the planned one",
)
