"""One line that differs, with its place."""

from __future__ import annotations

from dataclasses import dataclass

from switch_configs.shown.foreign import Chain, written


@dataclass(frozen=True, slots=True)
class Line:
    """`sign` is `+` or `-`; `place` is what it stands in and itself, outermost first.

    `chain` is the same as it is written; of a leaf of a tree the name of the section says the
    first `named`, and the value is last.
    """

    place: tuple[str, ...]
    sign: str
    chain: Chain
    named: int | None = None

    @property
    def text(self) -> str:
        """The whole line."""
        rest = self.chain[len(self.chain) - 1 if self.named is None else self.named :]
        return f"{self.sign} {written(rest)}"


Section = tuple[tuple[str, ...], tuple[Line, ...]]
"""The name of a section, outermost word first, and its lines."""
