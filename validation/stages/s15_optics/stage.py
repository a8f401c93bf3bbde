"""The header of stage 15."""

from __future__ import annotations

from validation.stage import Stage

STAGE = Stage(
    number=15,
    title="Optics and link quality",
    needs=(10,),
    blocks="cabling and loads: a bad lane looks like a slow or flapping link there",
)
