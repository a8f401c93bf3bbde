"""What a dialect refuses, in words for people."""

from __future__ import annotations


class DialectError(ValueError):
    """A plan that a dialect cannot print, or a device's answer that it cannot read.

    `hint` says what to do next; it may be empty.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n  hint: {self.hint}" if self.hint else self.message
