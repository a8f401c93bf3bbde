"""The header of stage 45."""

from __future__ import annotations

from validation.stage import Stage

STAGE = Stage(
    number=45,
    title="Single node",
    needs=(30,),
    blocks="pairs and collectives: a slow node slows all that wait for it",
    loads=True,
)
