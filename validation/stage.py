"""What a stage file is made of: its header, its checks, and where they report faults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from inventory.problems import ExpectedError

from .expectation import Expectation
from .verdict import Figure

# What a check may take, by name; each call is about one device.
ARGUMENTS = frozenset({"host", "device", "plan", "expect", "faults", "view"})


class StageError(ExpectedError):
    """A stage file that cannot be used: the sentence says which, and what to mend."""


@dataclass(frozen=True, slots=True)
class Stage:
    """The header of a stage file.

    `needs` are the stages without which its answers mean little, `blocks` says what must
    not go on while it does not pass. A stage that `loads` fills links, disks or GPUs: it slows
    the jobs there, so nobody gets it unasked, and it runs only once all that it needs passes.
    """

    number: int
    title: str
    needs: tuple[int, ...]
    blocks: str
    loads: bool = False


def check(name: str, *, each: bool = False) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Marks a test function as the judge of all expectations whose `check` is `name`.

    It is called once per device with all of the device's, or, with `each`, once for each:
    right where every expectation has evidence of its own.
    """

    def mark(function: Callable[..., None]) -> Callable[..., None]:
        function.__dict__.update(check=name, each=each)
        return function

    return mark


def check_of(function: Callable[..., Any]) -> str:
    """The name given by `check`, or ""."""
    return str(function.__dict__.get("check", ""))


def wants_each(function: Callable[..., Any]) -> bool:
    """Whether `check` was given `each`."""
    return bool(function.__dict__.get("each", False))


@dataclass(frozen=True, slots=True)
class Fault:
    """Something found otherwise than expected, and the part to go and look at."""

    suspect: str
    found: str
    expected: str
    hint: str


@dataclass
class Faults:
    """Collects the faults of one check on one device, and what it cannot tell."""

    by_id: dict[str, Fault] = field(default_factory=dict)
    unknown_by_id: dict[str, Fault] = field(default_factory=dict)
    figures: dict[str, Figure] = field(default_factory=dict)

    def figure(self, expectation: Expectation, value: float, unit: str, terms: str = "") -> None:
        """Keep the one number that this expectation is judged by, whatever the verdict.

        `terms` say how it was measured; only numbers of the same terms are its history.
        """
        self.figures[expectation.id] = Figure(value, unit, terms)

    def add(
        self, expectation: Expectation, suspect: str, found: str, expected: str = "", hint: str = ""
    ) -> None:
        """Fail one expectation; `expected` is its own sentence unless given."""
        says = expected or expectation.says
        self.by_id.setdefault(expectation.id, Fault(suspect, found, says, hint))

    def unknown(self, expectation: Expectation, suspect: str, why: str, hint: str = "") -> None:
        """Leave one expectation inconclusive; a reason that holds for all is raised instead."""
        self.unknown_by_id.setdefault(expectation.id, Fault(suspect, why, expectation.says, hint))
