"""One lab, brought to its plan once, for all tests of the whole chain."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from deploy import lab
from deploy.change import apply_site
from deploy.runbook import ApplyResult
from inventory import site_folder

from .chain import NAME, SELECTION, silent


@pytest.fixture(scope="session")
def converged() -> Iterator[ApplyResult]:
    """A lab on which `apply` ended with go; torn down at the end of the session."""
    lab.down(NAME)
    lab.up(site_folder("lab"), NAME, say=silent)
    try:
        first = apply_site(SELECTION, "", dry_run=False, say=print)
        assert first.exit_code == 0, first.outcome
        yield first
    finally:
        lab.down(NAME)
