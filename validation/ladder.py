"""The ladder: the stages there are, by number, as their files declare them."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path

from .stage import Stage

_FOLDER = Path(__file__).parent / "stages"


@cache
def ladder() -> dict[int, Stage]:
    """Every stage's header, in the order of the ladder."""
    names = sorted(path.stem for path in _FOLDER.glob("stage_[0-9][0-9]_*.py"))
    stages = [import_module(f"{__package__}.stages.{name}").STAGE for name in names]
    return {one.number: one for one in stages}
