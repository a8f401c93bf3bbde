"""One lab that is as planned, for all tests of the whole chain that a worker runs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.labs import Applied, kept_lab, started


@pytest.fixture(scope="session")
def converged() -> Iterator[Applied]:
    """The lab of the chain, started from a kept one; every test leaves it as it found it."""
    whole = kept_lab()
    with started("chain", whole):
        yield whole
