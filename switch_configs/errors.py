"""What a dialect refuses, in words for people."""

from __future__ import annotations

from inventory.problems import ExpectedError


class DialectError(ExpectedError, ValueError):
    """A plan that a dialect cannot print, or a device's answer that it cannot read.

    `hint` says what to do next; it may be empty.
    """

    def __str__(self) -> str:
        return self.told()
