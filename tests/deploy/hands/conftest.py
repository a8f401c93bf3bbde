"""One lab for all tests of the changing hands: up, and its OOB server set up by pyinfra."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from deploy import lab
from deploy.pyinfra_run import run
from inventory import site_folder

from .hands import LAB, open_hands, silent


@pytest.fixture(scope="session")
def leased() -> Iterator[None]:
    """The lab's OOB server is set up; that is enough for every device to get its lease."""
    lab.down(LAB)
    lab.up(site_folder("lab"), LAB, say=silent)
    try:
        done = run(open_hands(), {open_hands().plan.oob.name: ("oob_server",)}, dry_run=False)
        assert done.ok, done.transcript
        yield
    finally:
        lab.down(LAB)
