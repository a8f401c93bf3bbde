"""The ladder: the stages there are, found by their folders `sNN_name/`: ours, and a site's own.

A stage's header is `STAGE` in its `stage.py`, what must be true is `expectations` in its
`expect.py`, and its checks are the classes of its `checks.py`. A site's own lie in its folder
`stages/`: a stage of another number, or more checks for one of ours, which need no header.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from inventory.plan import Plan

from .stage import Check, Stage, StageError

STAGES = Path(__file__).parent / "stages"


def folders(own: Path | None = None) -> tuple[Path, ...]:
    """The folders of all stages, in the order of the ladder; of one number ours is the first."""
    found = [*STAGES.glob("s[0-9][0-9]_*"), *(own.glob("s[0-9][0-9]_*") if own else ())]
    return tuple(sorted(found, key=lambda path: (number_of(path), path.parent != STAGES, path)))


def number_of(folder: Path) -> int:
    """The number of a stage, as its folder says it."""
    return int(folder.name[1:3])


def part(folder: Path, name: str) -> ModuleType | None:
    """A module of a stage's folder; None where it is not there. StageError where it is broken."""
    if not (folder / f"{name}.py").is_file():
        return None
    try:
        return import_module(f"{_package(folder)}.{name}")
    except Exception as error:
        if folder.parent == STAGES:
            raise
        what = f"{type(error).__name__}: {error}"
        raise StageError(f"{folder / name}.py cannot be used: {what}") from None


@cache
def ladder() -> dict[int, Stage]:
    """The header of each of our stages, in the order of the ladder."""
    return {number_of(folder): _header(folder) for folder in folders()}


def whole_ladder(own: Path | None) -> dict[int, Stage]:
    """The same with a site's own stages. StageError where one cannot be used."""
    mine = {
        number_of(folder): _header(folder)
        for folder in folders(own)
        if folder.parent != STAGES and number_of(folder) not in ladder()
    }
    return dict(sorted({**ladder(), **mine}.items()))


def stage_part(number: int, name: str) -> ModuleType:
    """A module of one of our stages. KeyError where there is no such stage or module."""
    found = (part(folder, name) for folder in folders() if number_of(folder) == number)
    module = next(found, None)
    if module is None:
        raise KeyError(f"stage {number} has no {name}.py")
    return module


def unasked(number: int, plan: Plan) -> tuple[str, ...]:
    """What a stage leaves out of a plan though it belongs there, as its `expect.py` says."""
    return _said(number, "unasked", plan)


def unanswered(number: int, plan: Plan) -> tuple[str, ...]:
    """What a stage asks of a plan and nothing here can answer: it stays inconclusive."""
    return _said(number, "unanswered", plan)


def open_ends(plan: Plan) -> tuple[str, ...]:
    """What no stage can show of a plan, known before anything is measured; a sentence each."""
    return tuple(
        f"stage {number} {sentence}"
        for number in ladder()
        for sentence in (*unasked(number, plan), *unanswered(number, plan))
    )


def _said(number: int, name: str, plan: Plan) -> tuple[str, ...]:
    ours = (part(folder, "expect") for folder in folders() if number_of(folder) == number)
    said = (getattr(module, name, None) for module in ours)
    return tuple(sentence for say in said if say for sentence in say(plan))


def checks(number: int) -> tuple[type[Check], ...]:
    """The checks of one of our stages, as they stand in its file."""
    found = (one for one in vars(stage_part(number, "checks")).values() if isinstance(one, type))
    return tuple(one for one in found if issubclass(one, Check) and one is not Check)


def _header(folder: Path) -> Stage:
    stage = getattr(part(folder, "stage"), "STAGE", None)
    where = folder / "stage.py"
    if not isinstance(stage, Stage):
        raise StageError(f"{where}: give it STAGE = Stage(...)")
    if stage.number != number_of(folder):
        raise StageError(f"{where}: its STAGE says number {stage.number}")
    if stage.loads and folder.parent != STAGES:
        raise StageError(f"{where}: a site's own stage loads nothing; leave `loads` out")
    return stage


def _package(folder: Path) -> str:
    """The package of a folder; a site's own is imported anew where another one has its name."""
    if folder.parent == STAGES:
        return f"{__package__}.stages.{folder.name}"
    known = sys.modules.get(folder.name)
    if known is None or [str(folder)] != list(known.__path__):
        spec = spec_from_file_location(
            folder.name, folder / "__init__.py", submodule_search_locations=[str(folder)]
        )
        assert spec is not None  # noqa: S101 # a file's name has a loader
        for name in [module for module in sys.modules if module.partition(".")[0] == folder.name]:
            del sys.modules[name]
        sys.modules[folder.name] = module_from_spec(spec)
    return folder.name
