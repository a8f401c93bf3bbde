"""One lab of nodes at their roles, for all tests of what can go wrong on one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from deploy.session import Selection
from tests.bench import small_lab
from tests.labs import applied

from .lab_of_nodes import BASE, MORE


@pytest.fixture(scope="session")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Selection]:
    """The OOB server and four nodes as planned; switches are left alone."""
    site = small_lab.site(tmp_path_factory.mktemp("site"), 4, MORE)
    with applied(BASE, site, only=("oob", "nodes")) as selection:
        yield selection
