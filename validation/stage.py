"""What a stage is made of: its header, its checks, and where they report faults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

from inventory.problems import ExpectedError

from .expectation import Expectation
from .verdict import Figure

# What a check may take, by name; each call is about one device.
ARGUMENTS = frozenset({"host", "device", "plan", "expect", "faults", "view"})


class StageError(ExpectedError):
    """A stage that cannot be used: the sentence says which, and what to mend."""


@dataclass(frozen=True, slots=True)
class Stage:
    """The header of a stage.

    `needs` are the stages without which its answers mean little, `blocks` says what must
    not go on while it does not pass. A stage that `loads` fills links, disks or GPUs: it slows
    the jobs there, so nobody gets it unasked, and it runs only once all that it needs passes. One
    that is `compared` has many measurements that are alike: where most fail at once, no part did.
    """

    number: int
    title: str
    needs: tuple[int, ...]
    blocks: str
    loads: bool = False
    compared: bool = False


class Check:
    """The judge of all expectations of one class: a subclass whose docstring is its contract.

    The docstring says what is checked, then `Success:` and `Failure:`. `test` is called once per
    device with all of the device's expectations as `expect`; with `each`, once for every one: right
    where each has evidence of its own. It takes any of ARGUMENTS by name.
    """

    expects: ClassVar[type[Expectation]]
    each: ClassVar[bool] = False
    test: Callable[..., None]


@dataclass(frozen=True, slots=True)
class Fault:
    """Something found otherwise than expected, and the part to go and look at.

    `waits`: the device said itself that a reboot changes this.
    """

    suspect: str
    found: str
    expected: str
    hint: str
    waits: bool = False


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

    def unknown(
        self,
        expectation: Expectation,
        suspect: str,
        why: str,
        hint: str = "",
        *,
        waits: bool = False,
    ) -> None:
        """Leave one expectation inconclusive; a reason that holds for all is raised instead.

        `waits` only where the device said that it waits for a reboot, never where it said nothing.
        """
        fault = Fault(suspect, why, expectation.says, hint, waits)
        self.unknown_by_id.setdefault(expectation.id, fault)
