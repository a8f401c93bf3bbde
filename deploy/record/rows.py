"""What the record holds, row by row."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import datetime
from types import NoneType
from typing import Any, get_args

from deploy.errors import RailbedError
from inventory.load.json_text import parsed
from switch_configs.intent import Impact

_KINDS: dict[str, Any] = {
    "int": int,
    "bool": int,  # as SQLite keeps it
    "str | None": (str, NoneType),
    "tuple[str, ...]": tuple,
}
_MOST = 60
_TIMES = frozenset({"started", "ended", "began"})


def damaged(what: str, found: object) -> RailbedError:
    """What is said of a record that holds what nobody here wrote into it."""
    said = ascii(found)
    return RailbedError(
        f"the record is damaged: found {said[:_MOST]} where a {what} belongs",
        hint="it knows what was changed and when: bring it back from a backup; if there is none, "
        "`railbed runs --forget-history` begins a new one",
    )


def words_of(text: object) -> tuple[str, ...]:
    """A column that holds a list as JSON. Raises RailbedError for any other."""
    try:
        found = parsed(text) if isinstance(text, str) else None
    except ValueError:
        found = None
    if not isinstance(found, list) or not all(isinstance(one, str | int) for one in found):
        raise damaged("list", text)
    return tuple(map(str, found))


class _Row:
    """A row whose columns hold what they are for. Raises RailbedError for one that does not."""

    __slots__ = ()

    def __post_init__(self) -> None:
        kind: Any = type(self)
        for field in fields(kind):
            value = getattr(self, field.name)
            if not isinstance(value, _KINDS.get(str(field.type), str)):
                raise damaged(f"{field.name} of a {kind.__name__}", value)
            if field.name in _TIMES and value is not None:
                time_of(value)
            if field.type == "Impact" and value not in get_args(Impact):
                raise damaged("impact", value)


def time_of(text: object) -> datetime:
    """A column that holds a time. Raises RailbedError for any other."""
    with suppress(ValueError):
        if isinstance(text, str) and (found := datetime.fromisoformat(text)).tzinfo:
            return found
    raise damaged("time", text)


def seconds_of(number: object) -> float:
    """A column that holds seconds since a machine's start. Raises RailbedError for any other."""
    # More than a century of seconds is none, and neither is `inf` or `nan`.
    if isinstance(number, int | float) and 0 <= number < 4e9:
        return float(number)
    raise damaged("number of seconds", number)


@dataclass(frozen=True, slots=True)
class RunRow(_Row):
    """One run as the record holds it; `ended` and `outcome` are None while it runs.

    A `replay` judged what another run had gathered.
    """

    id: int
    command: str
    plan_digest: str
    started: str
    ended: str | None
    outcome: str | None
    replay: bool = False


@dataclass(frozen=True, slots=True)
class WaveRow(_Row):
    """One wave of a run, with what its gate decided and why."""

    name: str
    step: str
    devices: tuple[str, ...]
    started: str
    ended: str | None
    decision: str | None
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChangeRow(_Row):
    """One phase of a change to one device; digests before and after, detail for people."""

    wave: str
    device: str
    phase: str
    at: str
    impact: Impact
    before: str
    after: str
    detail: str


@dataclass(frozen=True, slots=True)
class SpanRow(_Row):
    """One phase of a wave, or of the run where `wave` is empty; `device` where it is one's own."""

    wave: str
    phase: str
    device: str
    began: str
    ended: str


@dataclass(frozen=True, slots=True)
class TranscriptRow(_Row):
    """What an engine wrote in one run, without secrets; `dry_run` where it only looked."""

    wave: str
    engine: str
    dry_run: bool
    hosts: tuple[str, ...]
    at: str
    text: str
