"""One lab for all tests of the changing hands, whose OOB server alone is set up."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.labs import OOB, applied

from .hands import BASE


@pytest.fixture(scope="session")
def leased() -> Iterator[None]:
    """The lab's OOB server is set up; that is enough for every device to get its lease."""
    with applied(BASE, only=OOB):
        yield
