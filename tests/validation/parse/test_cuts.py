"""Every parser, with its tool's output cut anywhere: never another answer than the whole gives."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules

import pytest

from inventory.reading.fields import Unreadable
from tests.plugins.needs import samples_folder
from tests.validation import cuts
from tests.validation.cuts import Case

CASES = [
    case
    for module in sorted(one.name for one in iter_modules(cuts.__path__))
    for case in import_module(f"{cuts.__name__}.{module}").CASES
]


def ends(text: str) -> Iterator[int]:
    """Where to cut: before each line, in its middle, and before its end."""
    at = 0
    for line in text.splitlines(keepends=True):
        yield from {at, at + len(line) // 2, at + len(line.rstrip()) - 1}
        at += len(line)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_cut_output_never_says_something_else(case: Case):
    """Cut anywhere, it is unreadable, or says all that the whole said."""
    text = case.whole(samples_folder())
    if text is None:
        pytest.skip("needs the folder of captures that RAILBED_SAMPLES names")
    whole = case.takes(case.read(text))
    unreadable = 0
    for end in sorted({one for one in ends(text) if 0 <= one < len(text.rstrip())}):
        try:
            found = case.takes(case.read(text[:end]))
        except Unreadable:
            unreadable += 1
            continue
        assert found == whole, f"cut after {end} characters it says {found}"
    assert unreadable, "no cut makes it unreadable: it needs nothing of its text"
