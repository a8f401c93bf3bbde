"""What a person asks of one validation beyond its plan: random matchings, how long to watch."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from deploy.errors import RailbedError
from inventory.plan import Plan
from inventory.problems import close_to
from validation.pairing.matchings import MOST, Matchings, rounds
from validation.stages.s80_soak.stage import STAGE
from validation.stages.s80_soak.terms import lengths

from .stages import LOADED_STAGE, asked_stages

_SEEDS = 1_000_000
SOAK_STAGE = STAGE.number


def matchings(
    count: int | None, seed: int | None, through: int, only: frozenset[int]
) -> Matchings | None:
    """What `--matchings` and `--seed` ask for; a seed that nobody named is drawn.

    RailbedError where they ask for nothing that this run would load.
    """
    if count is None:
        if seed is not None:
            raise RailbedError("--seed belongs to --matchings N", hint="--matchings 3 --seed 7")
        return None
    if not 1 <= count <= MOST:
        raise RailbedError(f"--matchings {count}: expected 1 to {MOST}")
    if seed is not None and seed < 0:
        raise RailbedError(f"--seed {seed}: expected 0 or more")
    if LOADED_STAGE not in asked_stages(through, only):
        raise RailbedError(
            f"--matchings: stage {LOADED_STAGE} is not asked, which loads pairs",
            hint=f"`railbed validate --only {LOADED_STAGE} --matchings {count}`",
        )
    return Matchings(count, secrets.randbelow(_SEEDS) if seed is None else seed)


def soak_words(name: str, through: int, only: frozenset[int]) -> frozenset[str]:
    """The words of what `--soak` asks for. RailbedError where this run would not soak."""
    if not name:
        return frozenset()
    if name not in lengths():
        known = ", ".join(f"{one.name} ({one.says})" for one in lengths().values())
        hint = close_to(name, tuple(lengths())) or f"one of {known}"
        raise RailbedError(f"--soak {name}: no such length", hint=hint)
    if SOAK_STAGE not in asked_stages(through, only):
        raise RailbedError(
            f"--soak: stage {SOAK_STAGE} is not asked, which watches",
            hint=f"`railbed validate --through {SOAK_STAGE} --only {SOAK_STAGE} --soak {name}`",
        )
    return frozenset({lengths()[name].words})


def refuse_empty(plan: Plan, devices: frozenset[str], asked: Matchings) -> None:
    """RailbedError where a matching would have no pair: nobody may take that for a pass."""
    if all(flows for _, flows in rounds(plan, devices, (asked,))):
        return
    raise RailbedError(
        f"{asked.again}: a matching would have no pair",
        hint="it pairs NICs of one rail behind different leaves, which must be connected",
    )


def must_be_step(only: str, steps: Sequence[str]) -> None:
    """RailbedError for a word behind `--only` that is no step; "" is all of them."""
    if only and only not in steps:
        hint = close_to(only, steps) or f"one of {', '.join(steps)}"
        raise RailbedError(f"--only {only}: not a step", hint=hint)
