"""One line that differs, with its place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """`text` begins with `+ ` or `- `; `place` is what it stands in and itself, outermost first."""

    place: tuple[str, ...]
    text: str


Section = tuple[tuple[str, ...], tuple[Line, ...]]
"""The name of a section, outermost word first, and its lines."""
