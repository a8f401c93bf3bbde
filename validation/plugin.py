"""Stage files are read by pytest, with the plugin here; one check is judged on all devices.

All checks are judged in rounds: what they ask in vain is gathered in one trip per device, until
nothing is missing or trips are used up. What the last round says are the verdicts.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from inventory.plan import Plan
from inventory.reading.fields import Unreadable

from .evidence.backend import host as evidence_host
from .evidence.lookup import Book
from .evidence.trust import MissingEvidence
from .expectation import Expectation
from .locating.view import View
from .stage import ARGUMENTS, Check, Fault, Faults, StageError
from .verdict import Figure, Finding, Verdict


@dataclass(frozen=True, slots=True)
class Item:
    """One check on one device: what it judged, and the frames without which it could not."""

    stage: int
    check: str
    device: str
    expectations: tuple[str, ...]
    frames: tuple[tuple[str, str], ...]
    complete: bool


@dataclass
class Judge:
    """Calls checks, device by device, and turns what they say into findings."""

    plan: Plan
    book: Book
    wanted: tuple[Expectation, ...]
    past: Mapping[str, tuple[Figure, ...]] = field(default_factory=dict)
    unconfirmed: frozenset[str] = frozenset()
    findings: list[Finding] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)

    def scope(self, check: type[Check]) -> tuple[tuple[Expectation, ...], ...]:
        """The expectations of a check, in the portions in which it judges them."""
        found = dict[str, list[Expectation]]()
        for expectation in self.wanted:
            if expectation.check == check.expects.check:
                found.setdefault(expectation.id if check.each else expectation.device, []).append(
                    expectation
                )
        return tuple(tuple(found[key]) for key in sorted(found))

    def judge(self, check: type[Check], view: View) -> list[Finding]:
        """One check on every device of its scope; findings are kept and returned."""
        made: list[Finding] = []
        for expect in self.scope(check):
            made += self._on_device(check, expect, view)
        self.findings += made
        return made

    def _on_device(
        self, check: type[Check], expect: tuple[Expectation, ...], view: View
    ) -> list[Finding]:
        device, faults = expect[0].device, Faults()
        everything = {
            "host": evidence_host(device, self.book),
            "device": self.plan.any_switch.get(device) or self.plan.node.get(device),
            "plan": self.plan,
            "expect": expect,
            "faults": faults,
            "view": view,
        }
        test: Callable[..., None] = check().test
        taken = {name: everything[name] for name in inspect.signature(test).parameters}
        with self.book.reading() as frames:
            verdict, why = _called(test, taken)
        one = expect[0]
        ids, complete = tuple(item.id for item in expect), verdict is not Verdict.INCONCLUSIVE
        read = tuple(sorted(frames))
        self.items.append(Item(one.stage, one.check, device, ids, read, complete))
        return [_finding(item, faults, verdict, why) for item in expect]

    def in_rounds(self, checks: Sequence[type[Check]], gather: Callable[[], bool]) -> None:
        """Judge until no evidence is missing that can still be had: the last round counts.

        `gather` fetches what the book noted; False: nothing more.
        """
        while True:
            self._forget()
            for check in checks:
                view = View(self.plan, self.book, self.wanted, self.past, self.unconfirmed)
                self.judge(check, view)
            if not gather():
                break

    def _forget(self) -> None:
        self.findings.clear()
        self.items.clear()
        self.book.noted.clear()


def _called(function: Callable[..., None], taken: Mapping[str, object]) -> tuple[Verdict, str]:
    try:
        function(**taken)
    except MissingEvidence as missing:
        return Verdict.INCONCLUSIVE, str(missing)
    except Unreadable as unreadable:
        return Verdict.INCONCLUSIVE, f"the answer cannot be used: {unreadable}"
    except AssertionError as failed:
        return Verdict.FAIL, str(failed).split("\n", 1)[0] or "an assertion failed"
    except Exception as error:  # noqa: BLE001 - a check that breaks has judged nothing
        return Verdict.INCONCLUSIVE, f"the check broke: {type(error).__name__}: {error}"
    return Verdict.PASS, ""


def _finding(one: Expectation, faults: Faults, verdict: Verdict, why: str) -> Finding:
    fault, figure = faults.by_id.get(one.id), faults.figures.get(one.id)
    if fault:
        return _with(one, Verdict.FAIL, fault, figure)
    if verdict is Verdict.PASS and one.id in faults.unknown_by_id:
        return _with(one, Verdict.INCONCLUSIVE, faults.unknown_by_id[one.id], figure)
    suspect = "" if verdict is Verdict.PASS else f"device {one.device}"
    return _with(one, verdict, Fault(suspect, why, one.says, ""), figure)


def _with(one: Expectation, verdict: Verdict, fault: Fault, figure: Figure | None) -> Finding:
    return Finding(
        one.stage,
        one.check,
        one.device,
        one.id,
        verdict,
        fault.suspect,
        fault.found,
        fault.expected,
        fault.hint,
        figure,
        fault.waits,
    )


class StagePlugin:
    """Hooks of one collection: the checks of stage files, in order, or why they cannot be used."""

    def __init__(self) -> None:
        self.checks: tuple[type[Check], ...] = ()
        self.broken: list[str] = []

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep why a stage file could not be read."""
        if report.failed:
            self.broken.append(f"{report.nodeid}: {str(report.longrepr).strip()}")

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Refuse tests that are not checks."""
        for item in items:
            check = getattr(item, "cls", None)
            unknown = sorted(set(getattr(item, "fixturenames", ())) - ARGUMENTS - {"request"})
            if not (isinstance(check, type) and issubclass(check, Check)):
                self.broken.append(f"{item.nodeid}: give it a class Verify...(Check)")
            elif not hasattr(check, "expects"):
                self.broken.append(f"{item.nodeid}: it lacks `expects`, a class of expectations")
            elif unknown:
                known = ", ".join(sorted(ARGUMENTS))
                self.broken.append(f"{item.nodeid}: takes {unknown[0]!r}; a check takes {known}")
            elif not _is_contract(check):
                self.broken.append(f"{item.nodeid}: its docstring needs Success: and Failure:")
        if self.broken:
            raise pytest.UsageError("; ".join(self.broken))
        self.checks = tuple(item.cls for item in items if isinstance(item, pytest.Function))

    def check_broken(self) -> None:
        """Raises StageError when stage files could not be used."""
        if self.broken:
            raise StageError("; ".join(self.broken))


def _is_contract(check: type[Check]) -> bool:
    text = check.__doc__ or ""
    return "Success:" in text and "Failure:" in text
