"""What all tests of a worker share: one lab that is as planned, and one tree of the verbs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest
import typer

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


@pytest.fixture(scope="session", autouse=True)
def _one_tree_of_verbs() -> Iterator[None]:
    """Making it takes 60 ms, more than many a verb; it keeps nothing of a call."""
    made = cache(typer.main.get_command)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("typer.main.get_command", made)
        patched.setattr("typer.testing._get_command", made)
        yield
