"""Which stages need more than a look: those that send probes, and those that fill the rails."""

from __future__ import annotations

PROBED_STAGE = 40
LOADED_STAGE = 50
# Loads would slow the jobs on a fabric: nobody gets them unasked.
QUIET_STAGE = LOADED_STAGE - 1
