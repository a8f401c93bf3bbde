"""What can go wrong in the world, said without a traceback."""

from __future__ import annotations


class RailbedError(Exception):
    """An expected failure: one sentence, what to do about it, and the exit code.

    Exit codes: 1 a device or a gate said no, 2 bad input or usage, 3 inconclusive.
    """

    def __init__(self, message: str, hint: str = "", exit_code: int = 2) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.exit_code = exit_code

    def __str__(self) -> str:
        return f"{self.message}\n  hint: {self.hint}" if self.hint else self.message


class RefusedError(RailbedError):
    """A run that did nothing: another one is at work, or its plan does not hold any more."""
