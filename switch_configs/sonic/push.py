"""placeholder"""

from __future__ import annotations

from switch_configs.intent import Rendered, Step

PENDING_COMMAND = "true"
UNDO_COMMAND = "true"


def push_steps(old: Rendered, new: Rendered, window_s: int) -> tuple[Step, ...]:
    return ()
