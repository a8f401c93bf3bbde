"""How long acts take that no twin shows: our table, and a site's own in its place."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationError

from inventory.problems import InventoryError, Problem, close_to
from inventory.schema.types import Closed

from .files import is_there, yaml_mapping
from .wording import problem_of

DURATIONS = "durations.yml"
_OURS = FilePath(__file__).parents[1] / "profiles" / DURATIONS
Sure = Literal["published", "reported", "assumed"]
_Seconds = Annotated[float, Field(ge=0, le=86_400, allow_inf_nan=False)]


def _ascending(value: list[float]) -> list[float]:
    if value[0] > value[1]:
        raise ValueError("the least, then the most")
    return value


class Duration(Closed):
    """Seconds of one device, least and most; how sure, and who says it."""

    seconds: Annotated[
        list[_Seconds], Field(min_length=2, max_length=2), AfterValidator(_ascending)
    ] = Field(description="of one device: the least, then the most")
    sure: Sure = Field(description="published, reported (measured by somebody) or assumed")
    source: str = Field(default="", description="who says it: a page, a paper, an issue")


def durations(site: FilePath) -> tuple[dict[str, Duration], frozenset[str]]:
    """Every act's duration by its name, and which are the site's own; InventoryError.

    Ours where the site's folder says nothing else.
    """
    problems: list[Problem] = []
    ours = _read(_OURS, problems)
    own = site / "profiles" / DURATIONS
    theirs = _read(own, problems, frozenset(ours)) if is_there(own) else {}
    if problems:
        raise InventoryError(problems)
    return {**ours, **theirs}, frozenset(theirs)


def duration_problems(site: FilePath) -> list[Problem]:
    """Everything that is wrong with a site's own file; nothing where it has none."""
    try:
        durations(site)
    except InventoryError as error:
        return list(error.problems)
    return []


def _read(
    path: FilePath, problems: list[Problem], known: frozenset[str] | None = None
) -> dict[str, Duration]:
    """`known` are the names that there may be; None: any."""
    marked = yaml_mapping(path, problems)
    found: dict[str, Duration] = {}
    if marked is None or not isinstance(marked.value, dict):
        return found
    for name, value in marked.value.items():
        if known is not None and name not in known:
            expected = "an act of inventory/profiles/durations.yml"
            hint = close_to(str(name), known)
            problems.append(marked.key_problem((name,), f"`{name}`", expected, hint))
            continue
        try:
            found[name] = Duration.model_validate(value)
        except ValidationError as error:
            every = error.errors(include_url=False)
            problems += [problem_of(Duration, one, marked, (name,)) for one in every]
    return found
