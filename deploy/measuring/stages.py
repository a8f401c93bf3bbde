"""The stages that a rollout must know: servers alone, those that send probes, or fill the rails."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from deploy.errors import RailbedError
from inventory import site_folder
from validation.ladder import ladder

NODE_STATE_STAGE = 30
PROBED_STAGE = 40
# The last stage that slows no job: those behind it load nodes or links.
QUIET_STAGE = min(number for number, stage in ladder().items() if stage.loads) - 1
# What a gate after a change loads: the rails of the fabric it may have slowed.
LOADED_STAGE = 50
_LAST = 99


def own_stages(site: str) -> Path:
    """The folder of a site's own stages, whether there is one or not."""
    return site_folder(site) / "stages"


def loading(through: int, only: Iterable[int] = ()) -> tuple[int, ...]:
    """The stages up to `through` that load, in order; of `only` where that names any."""
    chosen = frozenset(only)
    return tuple(
        number
        for number, stage in ladder().items()
        if stage.loads and number <= through and (not chosen or number in chosen)
    )


def load_phase(number: int) -> str:
    """What the record of times calls the loads of a stage."""
    return f"loads of stage {number}"


def left_out(through: int, only: Iterable[int] = ()) -> frozenset[int]:
    """The stages up to `through` that load and were not asked for."""
    return frozenset(loading(through)) - frozenset(loading(through, only))


def asked_stages(through: int, only: Iterable[int] = ()) -> frozenset[int]:
    """The stages that a run is for: what the record keeps, and reports hold themselves to."""
    return frozenset(one for one in ladder() if one <= through) - left_out(through, only)


def last_stage(through: int, only: Sequence[int]) -> tuple[int, frozenset[int]]:
    """Which stage is the last, and the loading ones that were named; RailbedError for others."""
    if not min(ladder()) <= through <= _LAST:
        known = ", ".join(map(str, ladder()))
        raise RailbedError(f"--through {through}: no such stage", hint=f"stages are {known}")
    wrong = sorted(set(only) - set(loading(max(ladder()))))
    if wrong:
        known = ", ".join(map(str, loading(max(ladder()))))
        raise RailbedError(f"--only {wrong[0]}: not a stage that loads", hint=f"one of {known}")
    return max([through, *only]), frozenset(only)
