"""A plan in a file: what would change, as seen at one time; applied only while it holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from .errors import RailbedError, RefusedError
from .files import write_atomically
from .look import Difference
from .survey import Survey

_SILENT = "silent"
_HINT = "save it anew with `railbed plan -o FILE`, read it, and apply that"


@dataclass(frozen=True, slots=True)
class SavedPlan:
    """What was planned, and what was seen of each device: a digest, or that it was silent.

    `only` is the step it was made for, or empty. `saved` is the time, ISO 8601 in UTC.
    """

    site: str
    lab: str
    only: str
    plan_digest: str
    saved: str
    seen: Mapping[str, str]
    differences: tuple[Difference, ...]
    format: Literal[1] = 1


_JSON = TypeAdapter(SavedPlan)


def saved_plan(site: str, lab: str, only: str, found: Survey) -> SavedPlan:
    """Turn a survey into what a person may read now and apply later."""
    silent = {name: _SILENT for name, _ in found.silent}
    now = datetime.now(UTC).isoformat(timespec="seconds")
    seen = dict(sorted({**found.seen, **silent}.items()))
    return SavedPlan(site, lab, only, found.plan_digest, now, seen, found.differences)


def write(plan: SavedPlan, path: Path) -> None:
    """Write it as JSON, whole or not at all."""
    try:
        write_atomically(path, _JSON.dump_json(plan, indent=1).decode() + "\n")
    except OSError as error:
        raise RailbedError(f"{path} cannot be written: {error.strerror}") from None


def read(path: Path) -> SavedPlan:
    """Read one back; RailbedError for a file that is none."""
    try:
        return _JSON.validate_json(path.read_bytes(), strict=True)
    except OSError as error:
        raise RailbedError(f"{path} cannot be read: {error.strerror}", hint=_HINT) from None
    except ValidationError:
        raise RailbedError(f"{path} is not a saved plan of this version", hint=_HINT) from None


def refuse_other(saved: SavedPlan, site: str, lab: str, only: str, digest: str) -> None:
    """RailbedError (exit 2) where the file is for another site, step or plan than this."""
    wanted = {"site": saved.site, "lab": saved.lab, "step": saved.only, "plan": saved.plan_digest}
    now = {"site": site, "lab": lab, "step": only or saved.only, "plan": digest}
    other = [
        f"{what} {wanted[what] or 'none'}, not {now[what]}"
        for what in now
        if wanted[what] != now[what]
    ]
    if other:
        raise RailbedError(f"the plan of {saved.saved} is for {'; '.join(other)}", hint=_HINT)


def refuse_drifted(saved: SavedPlan, found: Survey) -> None:
    """RefusedError (exit 1) naming each device that is not as it was seen then."""
    now = saved_plan(saved.site, saved.lab, saved.only, found)
    before, after = _texts(saved), _texts(now)
    told = [
        f"{name}: then {before.get(name, _SILENT)}, now {after.get(name, _SILENT)}"
        for name in sorted({*saved.seen, *now.seen})
        if saved.seen.get(name) != now.seen.get(name)
    ]
    if told:
        raise RefusedError(
            f"{len(told)} devices are not as they were at {saved.saved}: {'; '.join(told)}",
            hint=_HINT,
            exit_code=1,
        )


def _texts(plan: SavedPlan) -> dict[str, str]:
    """In a few words, how each device was."""
    words = {
        name: "silent" if seen == _SILENT else "as planned" for name, seen in plan.seen.items()
    }
    for one in plan.differences:
        lines = one.text.splitlines()
        words[one.device] = (
            f"{len(lines)} lines of difference, the first: {lines[0] if lines else ''}"
        )
    return words
