"""The header of stage 70."""

from __future__ import annotations

from validation.stage import Stage

STAGE = Stage(
    number=70,
    title="Collectives",
    needs=(20, 30, 40, 50),
    blocks="training: a job is as slow as its slowest rank",
    loads=True,
    compared=True,
)
