"""The book of a validation: who read which evidence, and what was asked for in vain."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from .gather import Gathered
from .store import EvidenceStore, Frame
from .trust import MissingEvidence, Trust

PROBE = "probe "  # frames that a probe run leaves; no shell command has this name


@dataclass
class Book:
    """Answers from a store as far as `trust` believes it, and notes every other question."""

    store: EvidenceStore
    trust: Trust
    noted: set[tuple[str, str]] = field(default_factory=set)
    used: set[tuple[str, str]] = field(default_factory=set)
    _boots: dict[str, str] = field(default_factory=dict)
    _clocks: dict[str, float] | None = None

    def read(self, device: str, command: str) -> Frame:
        """The believable frame of this command. Raises MissingEvidence with the reason."""
        frame = self.store.get(device, command)
        why = self._doubt(frame) if frame else self.store.why_not(device, command)
        if frame is None or why:
            self.noted.add((device, command))
            because = self.store.silent.get(device) or why
            raise MissingEvidence(f"{device}: `{command}`: {because}")
        self.used.add((device, command))
        return frame

    def _doubt(self, frame: Frame) -> str:
        if frame.device not in self._boots:
            self._boots[frame.device] = self.store.boot_id(frame.device)
        if self._clocks is None:
            self._clocks = self.store.clocks()
        return self.trust.doubt(frame, self._boots[frame.device], self._clocks)

    def add(self, found: Gathered) -> None:
        """Take what a trip brought; a device that answered whole is no longer silent."""
        self.store.add(found.frames)
        self._boots.clear()
        self._clocks = None
        for device in {frame.device for frame in found.frames}:
            self.store.silent.pop(device, None)
        self.store.silent.update(found.errors)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Reading inside counts for nobody: it serves a better word on a fault."""
        before = set(self.used)
        try:
            yield
        finally:
            self.used = before

    @contextmanager
    def reading(self) -> Iterator[set[tuple[str, str]]]:
        """Collects what is read inside, for one judgement."""
        before, self.used = self.used, set()
        mine: set[tuple[str, str]] = set()
        try:
            yield mine
        finally:
            mine.update(self.used)
            self.used = before | mine
