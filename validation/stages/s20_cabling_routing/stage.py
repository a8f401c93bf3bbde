"""The header of stage 20."""

from __future__ import annotations

from validation.stage import Stage

STAGE = Stage(
    number=20,
    title="Cabling and routing",
    needs=(),
    blocks="every test that sends data: it would measure another fabric than the planned one",
)
