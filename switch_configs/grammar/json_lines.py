"""JSON with the line of every member, and of every key that is said twice."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

Path = tuple[str, ...]
_BLANK = re.compile(r"[ \t\n\r]*")


@dataclass
class Located:
    """A value; `lines` has the line (from 1) of each member's key, by its path."""

    value: Any = None
    lines: dict[Path, int] = field(default_factory=dict)
    twice: list[Path] = field(default_factory=list)


def located(text: str) -> Located:
    """Read a text; `json.JSONDecodeError` where it is no JSON."""
    found = Located()
    reader = _Reader(text, found)
    found.value = reader.value(())
    reader.blank()
    if reader.at != len(text):
        raise json.JSONDecodeError("more after the end", text, reader.at)
    return found


@dataclass
class _Reader:
    text: str
    found: Located
    at: int = 0
    line: int = 1
    counted: int = 0

    def blank(self) -> None:
        match = _BLANK.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def value(self, path: Path) -> Any:
        self.blank()
        if self.text.startswith("{", self.at):
            return self._members(path)
        value, self.at = json.JSONDecoder().raw_decode(self.text, self.at)
        return value

    def _members(self, path: Path) -> dict[str, Any]:
        members: dict[str, Any] = {}
        self._take("{")
        while not self._next("}"):
            if members:
                self._take(",")
            self.blank()
            self.line += self.text.count("\n", self.counted, self.at)
            self.counted = self.at
            line = self.line
            key, self.at = json.JSONDecoder().raw_decode(self.text, self.at)
            if not isinstance(key, str):
                raise json.JSONDecodeError("a key is a text", self.text, self.at)
            own = (*path, key)
            if key in members:
                self.found.twice.append(own)
            self.found.lines[own] = line
            self._take(":")
            members[key] = self.value(own)
        self._take("}")
        return members

    def _next(self, word: str) -> bool:
        self.blank()
        return self.text.startswith(word, self.at)

    def _take(self, word: str) -> None:
        if not self._next(word):
            raise json.JSONDecodeError(f"expected {word}", self.text, self.at)
        self.at += len(word)
