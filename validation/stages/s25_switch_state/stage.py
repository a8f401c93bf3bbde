"""The header of stage 25."""

from __future__ import annotations

from validation.stage import Stage

STAGE = Stage(
    number=25,
    title="Switch state",
    needs=(),
    blocks="loads between nodes: they would measure other switches than the planned ones",
)
