"""The header of stage 75."""

from __future__ import annotations

from validation.stage import Stage

STAGE = Stage(
    number=75,
    title="Storage",
    needs=(30, 40),
    blocks="training: checkpoints and data sets come over it",
    loads=True,
)
