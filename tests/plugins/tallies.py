"""Sums of what a class of tests tried, part by part, told when the run ends.

A part says what it counted by `tally(what, tried=..., ...)`. Parts may run in any worker; what
`--resume` left out is not in the sum, so it is said how many parts there were.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable

import pytest

_TALLY = "tally"


@pytest.fixture
def tally(record_property: Callable[[str, object], None]) -> Callable[..., None]:
    """Note the counts of one part of a class: `tally("init", tried=9, accepted=4)`."""

    def note(what: str, **counts: int) -> None:
        record_property(_TALLY, [what, counts])

    return note


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line a class, in the order in which a part named its counts."""
    sums: dict[str, Counter[str]] = defaultdict(Counter)
    parts: Counter[str] = Counter()
    for kind in ("passed", "failed"):
        for report in terminalreporter.stats.get(kind, []):
            for name, value in report.user_properties:
                if name == _TALLY and report.when == "call":
                    what, counts = value
                    sums[what].update(counts)
                    parts[what] += 1
    for what, counted in sorted(sums.items()):
        words = ", ".join(f"{count:,} {name}" for name, count in counted.items())
        terminalreporter.write_line(f"{what}: {words}; in {parts[what]} parts")
