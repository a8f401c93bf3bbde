"""What of a switch must stay as it is while it is watched, in one form for every switch system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Held:
    """Counts that move where something flaps or is reset.

    `carrier`: how often a port's carrier changed; `flapped_s`: how many seconds ago it did last,
    where the system tells that. `sessions`: by the name that the switch shows, the state, and
    how often it came up or went down, or since when it is as it is (Unix seconds): such times of
    one state may differ by `slack`.
    """

    carrier: Mapping[str, int]
    sessions: Mapping[str, tuple[str, float]]
    flapped_s: Mapping[str, float] = field(default_factory=dict)
    slack: float = 0.0
