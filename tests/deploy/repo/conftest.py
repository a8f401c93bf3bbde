"""A lab whose OOB server serves packages, and one node that asks it by its own apt."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from deploy import lab, supply
from deploy.context import Context, no_journal
from deploy.repo_run import sync
from deploy.session import open_context
from inventory import site_folder

from .bench import NAME, NODE, SELECTION, by_pyinfra, on, trust


@pytest.fixture(scope="session")
def served() -> Iterator[Context]:
    """The OOB server as planned, packages on it, and a node that knows where to ask."""
    lab.down(NAME)
    lab.up(site_folder("lab"), NAME, say=silent)
    try:
        supply.prepare(SELECTION, silent)
        context = open_context(SELECTION, silent, no_journal)
        assert sync(context)
        by_pyinfra("oob1")
        wait_for_lease()
        trust(context)
        yield context
    finally:
        lab.down(NAME)


@pytest.fixture
def healthy(served: Context) -> Iterator[Context]:
    """What is served is what should be, before and after; the node has no lists yet."""
    sync(served)
    on(NODE, "apt-get clean; rm -rf /var/lib/apt/lists/*; dpkg --purge chrony")
    yield served
    sync(served)


def wait_for_lease() -> None:
    give_up = time.monotonic() + 60
    while "10.88.1." not in on(NODE, "ip -4 -br address show eth0").text:
        assert time.monotonic() < give_up, "no lease"
        time.sleep(0.2)


def silent(_: str) -> None:
    """No progress."""
