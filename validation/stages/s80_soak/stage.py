"""The header of stage 80."""

from __future__ import annotations

from validation.stage import Stage

STAGE = Stage(
    number=80,
    title="Soak and fault drill",
    needs=(20, 40),
    blocks="handing over: nobody has seen how it behaves when something breaks",
    loads=True,
)
