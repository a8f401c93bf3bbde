"""A lab whose OOB server serves packages, and one node that asks it by its own apt."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from deploy.context import Context, no_journal
from deploy.packages.repo_run import sync
from deploy.session import open_context
from tests.labs import OOB, applied

from .bench import BASE, NODE, on, trust


@pytest.fixture(scope="session")
def served() -> Iterator[Context]:
    """The OOB server as planned, packages on it, and a node that knows where to ask."""
    with applied(BASE, only=OOB) as selection:
        context = open_context(selection, silent, no_journal)
        trust(context)
        yield context


@pytest.fixture
def healthy(served: Context) -> Iterator[Context]:
    """What is served is what should be, before and after; the node has no lists yet."""
    sync(served)
    on(NODE, "apt-get clean; rm -rf /var/lib/apt/lists/*; dpkg --purge chrony")
    yield served
    sync(served)


def silent(_: str) -> None:
    """No progress."""
