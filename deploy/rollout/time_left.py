"""How long the rest of a step takes, by what its waves took so far in this run."""

from __future__ import annotations

from collections.abc import Sequence

from inventory.plan import Wave


def left(rest: Sequence[Wave], took_s: Sequence[tuple[str, float]]) -> str:
    """Of the first wave's step, with its gates: "about 12 min left for switches".

    `rest` are the waves that have not ended, `took_s` the step and the seconds of each one that
    has. Empty while no wave of the step has ended: an older run may have had other waves. A canary
    counts as any other wave, because what takes long, applying and settling, it does, too.
    """
    if not rest:
        return ""
    step = rest[0].step
    known = [seconds for of, seconds in took_s if of == step]
    if not known:
        return ""
    number = sum(wave.step == step for wave in rest)
    return f"about {_said(number * sum(known) / len(known))} left for {step}"


def _said(seconds: float) -> str:
    """In the unit that a person plans with: never more exact than the estimate is."""
    if seconds < 90:
        return f"{max(10, round(seconds, -1)):.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{seconds / 3600:.1f} h"
