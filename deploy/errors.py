"""What can go wrong in the world, said without a traceback."""

from __future__ import annotations

from inventory.problems import ExpectedError


class RailbedError(ExpectedError):
    """An expected failure: one sentence, what to do about it, and the exit code.

    Exit codes: 1 a device or a gate said no, 2 bad input or usage, 3 inconclusive.
    """

    def __init__(self, message: str, hint: str = "", exit_code: int = 2) -> None:
        super().__init__(message, hint)
        self.exit_code = exit_code

    def __str__(self) -> str:
        return self.told()


class RefusedError(RailbedError):
    """A run that did nothing: another one is at work, or its plan does not hold any more."""
