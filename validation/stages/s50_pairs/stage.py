"""The header of stage 50."""

from __future__ import annotations

from validation.stage import Stage

STAGE = Stage(
    number=50,
    title="Pairs",
    needs=(20, 40),
    blocks="congestion and collectives: one slow NIC slows them all",
    loads=True,
    compared=True,
)
