"""One lab of nodes at their roles, for all tests of what can go wrong on one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from deploy.change import apply_site
from deploy.session import Selection
from tests.bench import small_lab

from .lab_of_nodes import MORE, NAME, applied, silent


@pytest.fixture(scope="session")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Selection]:
    """The OOB server and four nodes as planned; switches are left alone."""
    site = small_lab.site(tmp_path_factory.mktemp("site"), 4, MORE)
    with small_lab.standing(site, NAME) as selection:
        first = apply_site(selection, "oob", dry_run=False, say=silent)
        assert first.exit_code == 0, first.outcome
        done = applied(selection)
        assert done.exit_code == 0, done.outcome
        yield selection
