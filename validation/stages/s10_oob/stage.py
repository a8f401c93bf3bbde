"""The header of stage 10."""

from __future__ import annotations

from validation.stage import Stage

STAGE = Stage(
    number=10,
    title="OOB",
    needs=(),
    blocks="everything else: a device that cannot be reached can be neither changed nor judged",
)
