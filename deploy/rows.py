"""What the record holds, row by row."""

from __future__ import annotations

from dataclasses import dataclass

from switch_configs.intent import Impact


@dataclass(frozen=True, slots=True)
class RunRow:
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
class WaveRow:
    """One wave of a run, with what its gate decided and why."""

    name: str
    step: str
    devices: tuple[str, ...]
    started: str
    ended: str | None
    decision: str | None
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChangeRow:
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
class SpanRow:
    """One phase of a wave, or of the run where `wave` is empty; `device` where it is one's own."""

    wave: str
    phase: str
    device: str
    began: str
    ended: str


@dataclass(frozen=True, slots=True)
class TranscriptRow:
    """What an engine wrote in one run, without secrets; `dry_run` where it only looked."""

    wave: str
    engine: str
    dry_run: bool
    hosts: tuple[str, ...]
    at: str
    text: str
