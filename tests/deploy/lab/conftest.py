"""One lab for the tests that only look or that mend what they break."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from deploy import lab
from deploy.lab.spec import LabSpec
from tests.labs import lab_name

from .traces import SITE, forget


@pytest.fixture(scope="session")
def standing() -> Iterator[LabSpec]:
    """A lab of booted machines, up for the whole session of tests."""
    name = lab_name("tone")
    forget(name)
    yield lab.up(SITE, name, say=lambda _: None)
    forget(name)
