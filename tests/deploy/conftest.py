"""One lab that is as planned, for all tests of a worker that change it and leave it as it was."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.faults.fault import Lab
from tests.labs import Applied, kept_lab, started

_SHAPES: dict[tuple[str, str], str] = {}


@pytest.fixture(scope="session")
def converged() -> Iterator[Applied]:
    """The lab of chain and nodes, started from a kept one; every test leaves it as it found it."""
    whole = kept_lab()
    with started("chain", whole) as selection:
        _SHAPES.update(Lab(selection.lab).rates())
        yield whole


@pytest.fixture(autouse=True)
def _rates_are_left_as_found(request: pytest.FixtureRequest) -> Iterator[None]:
    """A port that keeps a shallower queue than it had is a flow that is slow in a later test."""
    yield
    if "converged" in request.fixturenames:
        from tests.deploy.chain.chain import NAME

        assert Lab(NAME).rates() == _SHAPES
