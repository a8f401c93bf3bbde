"""The header of stage 40."""

from __future__ import annotations

from validation.stage import Stage

STAGE = Stage(
    number=40,
    title="Lossless class and MTU",
    needs=(20,),
    blocks="loads between nodes: they would stall on packets that do not pass",
)
