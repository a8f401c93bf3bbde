"""The header of stage 60."""

from __future__ import annotations

from validation.stage import Stage

STAGE = Stage(
    number=60,
    title="Congestion",
    needs=(20, 40, 50),
    blocks="collectives and jobs: they are many to one all the time",
    loads=True,
)
