"""The stages that a rollout must know: servers alone, those that send probes, or fill the rails."""

from __future__ import annotations

NODE_STATE_STAGE = 30
PROBED_STAGE = 40
LOADED_STAGE = 50
# Loads would slow the jobs on a fabric: nobody gets them unasked.
QUIET_STAGE = LOADED_STAGE - 1
