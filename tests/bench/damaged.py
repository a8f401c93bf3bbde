"""What the damage bench damages: the evidence of a stage, and the text that a parser reads alone.

A stage is judged as `validation.run` judges it, without pytest around: once whole, and then, for a
damaged answer, only what rested on that answer. A check that did not read it cannot say otherwise.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from types import ModuleType
from typing import Protocol

from inventory.reading.fields import Unreadable
from tests.plugins.needs import samples_folder
from tests.validation import healthy
from tests.validation.healthy import Healthy
from tests.validation.link_readings import CASES as LINKS
from tests.validation.parse.test_blank_lines import MORE
from tests.validation.parse.test_cuts import CASES as CUTS
from tests.validation.parse.test_number_tokens_host import CASES as HOSTS
from validation.evidence.lookup import Book
from validation.evidence.store import Frame
from validation.evidence.trust import Trust
from validation.expect import expectations
from validation.expectation import Expectation
from validation.ladder import checks, ladder
from validation.locating.view import View
from validation.plugin import Judge
from validation.verdict import Finding, Verdict

_LIKE = 4  # answers of one kind that are damaged: those of other devices are like them


@dataclass(frozen=True)
class Text:
    """A text with lines to damage; `where` tells it from others of its subject."""

    where: str
    text: str
    frame: Frame | None = None


class Subject(Protocol):
    """A stage with its evidence, or a parser with its text."""

    name: str
    refused: str  # why it does not accept what is whole; empty where it does

    def texts(self) -> Sequence[Text]:
        """All that is read."""

    def stays(self, one: Text, text: str) -> bool:
        """Whether it says of a damaged text what it says of the whole."""

    def sees(self, one: Text, text: str) -> bool:
        """Whether it reads the whole text, of another subject, too, and sees the damaged one."""


class Stage:
    """A stage that judges healthy evidence. It stays where all still passes."""

    def __init__(self, module: ModuleType) -> None:
        self.name = module.__name__.rpartition(".")[2]
        self._case: Healthy = module.healthy()
        case = self._case
        self._due = expectations(
            case.plan, case.configured, case.stage, frozenset(ladder()) - {case.stage}
        )
        self._checks = checks(case.stage)
        self._trust = Trust.of(case.plan, {})
        self._book = self._opened()
        judge = self._judged(self._book, self._due)
        bad = [one for one in judge.findings if one.verdict is not Verdict.PASS]
        self.refused = f"{bad[0].expectation}: {bad[0].found}" if bad else ""
        self._resting: dict[tuple[str, str], set[str]] = {}
        for item in judge.items:
            for key in item.frames:
                self._resting.setdefault(key, set()).update(item.expectations)

    def texts(self) -> Sequence[Text]:
        """Answers that something rests on, of each kind a few."""
        kinds: dict[str, list[Frame]] = {}
        for frame in self._case.store:
            if (frame.device, frame.command) in self._resting and frame.payload:
                kinds.setdefault(re.sub(r"\d+", "N", frame.command), []).append(frame)
        return [
            Text(f"{one.device} {one.command}", one.payload.decode(errors="replace"), one)
            for frames in kinds.values()
            for one in frames[:: max(1, len(frames) // _LIKE)][:_LIKE]
        ]

    def stays(self, one: Text, text: str) -> bool:
        """Whether all that rested on the answer passes with this one in its place."""
        frame = one.frame
        assert frame is not None
        data = text.encode()
        sealed = hashlib.sha256(data).hexdigest()
        self._case.store.add([replace(frame, payload=data, byte_length=len(data), sha256=sealed)])
        try:
            resting = self._resting[frame.device, frame.command]
            due = tuple(one for one in self._due if one.id in resting)
            found: list[Finding] = self._judged(self._opened(), due).findings
        finally:
            self._case.store.add([frame])
        return all(one.verdict is Verdict.PASS for one in found)

    def sees(self, one: Text, text: str) -> bool:
        """Whether the same answer of the same device is its evidence, too, and it sees this."""
        theirs = one.frame
        if theirs is None or (theirs.device, theirs.command) not in self._resting:
            return False
        mine = self._case.store.get(theirs.device, theirs.command)
        if mine is None or mine.payload != theirs.payload:
            return False
        return not self.stays(replace(one, frame=mine), text)

    def _opened(self) -> Book:
        return Book(self._case.store, self._trust)

    def _judged(self, book: Book, due: tuple[Expectation, ...]) -> Judge:
        judge = Judge(self._case.plan, book, due)
        for check in self._checks:
            if any(isinstance(one, check.expects) for one in due):
                judge.judge(check, View(self._case.plan, book, self._due, {}))
        return judge


class Parser:
    """A reader alone. It stays where it reads just what it read of the whole."""

    def __init__(self, name: str, read: Callable[[str], object], text: str) -> None:
        self.name, self._read, self._text = name, read, text
        self._whole: object = None
        try:
            self._whole, self.refused = read(text), ""
        except Unreadable as why:
            self.refused = str(why)

    def texts(self) -> Sequence[Text]:
        """Its one text."""
        return [Text("alone", self._text)]

    def stays(self, one: Text, text: str) -> bool:
        """Whether it reads the same, or a number that is none."""
        try:
            found = self._read(text)
        except Unreadable:
            return False
        return found == self._whole or not _finite(found)

    def sees(self, one: Text, text: str) -> bool:
        """Its text is its own."""
        return False


def _finite(found: object) -> bool:
    if isinstance(found, float):
        return isfinite(found)
    if isinstance(found, dict):
        return all(map(_finite, found.values()))
    return not isinstance(found, list | tuple) or all(map(_finite, found))


def subjects() -> list[Subject]:
    """Every parser and every stage, parsers first: they take least."""
    samples = samples_folder()
    cuts = [
        Parser(one.name, lambda text, one=one: one.takes(one.read(text)), text)  # type: ignore[misc]
        for one in (*CUTS, *MORE)
        if (text := one.whole(samples)) is not None
    ]
    hosts = [Parser(one.name, one.read, one.text) for one in HOSTS]
    links = [Parser(one.name, one.read, one.text) for one in LINKS]
    return [*cuts, *hosts, *links, *map(Stage, healthy.modules())]
