"""One lab that is as planned, for all tests of a worker that change it and leave it as it was."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.labs import Applied, kept_lab, started


@pytest.fixture(scope="session")
def converged() -> Iterator[Applied]:
    """The lab of chain and nodes, started from a kept one; every test leaves it as it found it."""
    whole = kept_lab()
    with started("chain", whole):
        yield whole
