"""A plan in a file: what would change, as seen at one time; applied only while it holds."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from deploy.errors import RailbedError, RefusedError
from deploy.files import write_atomically
from deploy.record.revision import author, revision
from deploy.servers.engine_run import ROOT
from inventory.visible import one_line

from .look import Difference
from .survey import Survey

_SILENT = "silent"
_DECIDES = ("roles", "switch_configs", "deploy/playbooks")
_HINT = "save it anew with `railbed plan -o FILE`, read it, and apply that"


@dataclass(frozen=True, slots=True)
class SavedPlan:
    """What was planned, and what was seen of each device: a digest, or that it was silent.

    `only` is the step it was made for, or empty. `saved` is the time, ISO 8601 in UTC.
    `code` is a digest of the roles and dialects that would do it. `author` and `revision` (the
    clone's commit) say whose it is and from where; they decide nothing. `order` are sentences on
    the order since the last apply, for who reads the plan.
    """

    site: str
    lab: str
    only: str
    plan_digest: str
    code: str
    saved: str
    seen: Mapping[str, str]
    differences: tuple[Difference, ...]
    author: str
    revision: str
    format: Literal[2] = 2
    order: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """A file comes from anybody: its names stand in lines of ours, and act on no terminal."""
        for name in ("site", "lab", "only", "plan_digest", "code", "saved", "author", "revision"):
            object.__setattr__(self, name, one_line(getattr(self, name)))
        seen = {one_line(name): one_line(how) for name, how in self.seen.items()}
        object.__setattr__(self, "seen", seen)
        named = tuple(
            replace(difference, device=one_line(difference.device))
            for difference in self.differences
        )
        object.__setattr__(self, "differences", named)
        object.__setattr__(self, "order", tuple(map(one_line, self.order)))


_JSON = TypeAdapter(SavedPlan)


def saved_plan(
    site: str, lab: str, only: str, found: Survey, order: tuple[str, ...] = ()
) -> SavedPlan:
    """Turn a survey into what a person may read now and apply later."""
    silent = {name: _SILENT for name, _ in found.silent}
    now = datetime.now(UTC).isoformat(timespec="seconds")
    seen = dict(sorted({**found.seen, **silent}.items()))
    return SavedPlan(
        site,
        lab,
        only,
        found.plan_digest,
        code_digest(),
        now,
        seen,
        found.differences,
        author(),
        revision(),
        order=order,
    )


def code_digest(root: Path = ROOT) -> str:
    """SHA-256 of every file that decides what a change does: roles, dialects, playbooks."""
    whole = hashlib.sha256()
    files = (path for name in _DECIDES for path in (root / name).rglob("*") if path.is_file())
    for path in sorted(files):
        if "__pycache__" not in path.parts:
            whole.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes() + b"\0")
    return whole.hexdigest()


def write(plan: SavedPlan, path: Path) -> None:
    """Write it as JSON, whole or not at all."""
    try:
        write_atomically(path, _JSON.dump_json(plan, indent=1).decode() + "\n", mode=0o600)
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
    """RailbedError (exit 2) where the file is for another site, step, plan or code than this."""
    wanted = {"site": saved.site, "lab": saved.lab, "step": saved.only, "plan": saved.plan_digest}
    wanted["code of roles and dialects"] = saved.code
    now = {"site": site, "lab": lab, "step": only or saved.only, "plan": digest}
    now["code of roles and dialects"] = code_digest()
    other = [
        f"{what} {wanted[what] or 'none'}, not {now[what]}"
        for what in now
        if wanted[what] != now[what]
    ]
    if other:
        raise RailbedError(f"the plan of {saved.saved} is for {'; '.join(other)}", hint=_HINT)


def refuse_drifted(saved: SavedPlan, found: Survey) -> None:
    """RefusedError (exit 1) naming each device on which not the same would change as then."""
    now = saved_plan(saved.site, saved.lab, saved.only, found)
    before, after = _texts(saved), _texts(now)
    old, new = _by_device(saved), _by_device(now)
    told = [
        f"{name}: then {before.get(name, _SILENT)}, now {after.get(name, _SILENT)}"
        for name in sorted({*saved.seen, *now.seen})
        if (saved.seen.get(name), old.get(name)) != (now.seen.get(name), new.get(name))
    ]
    if told:
        raise RefusedError(
            f"{len(told)} devices are not as they were at {saved.saved}: {'; '.join(told)}",
            hint=_HINT,
            exit_code=1,
        )


def _by_device(plan: SavedPlan) -> dict[str, str]:
    """What differs; details are for people, and a rollout asks for none."""
    return {difference.device: difference.text for difference in plan.differences}


def _texts(plan: SavedPlan) -> dict[str, str]:
    """In a few words, how each device was."""
    words = {
        name: "silent" if seen == _SILENT else "as planned" for name, seen in plan.seen.items()
    }
    for difference in plan.differences:
        lines = difference.text.splitlines()
        words[difference.device] = (
            f"{len(lines)} lines of difference, the first: {lines[0] if lines else ''}"
        )
    return words
