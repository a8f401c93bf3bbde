"""The header of stage 42."""

from __future__ import annotations

from validation.stage import Stage

STAGE = Stage(
    number=42,
    title="Loss",
    needs=(20,),
    blocks="loads between nodes: they would measure a cable that loses",
)
