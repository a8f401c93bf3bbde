"""The two tiers: what each run proves, and `--full`, which runs every instance of it."""

from __future__ import annotations

import os

import pytest

# Settings of hypothesis are made when a module is imported, before any fixture: so by environment.
_FULL = "RAILBED_TEST_FULL"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="run everything, not only the CI tier")
    parser.addoption(
        "--update-golden", action="store_true", help="write tests/golden anew from what is made"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    os.environ[_FULL] = "1" if config.getoption("--full") else ""


def examples(quick: int, full: int = 0) -> int:
    """How many examples hypothesis draws: `quick`, or in `--full` `full` (ten times as many)."""
    return (full or 10 * quick) if os.environ.get(_FULL) else quick


@pytest.fixture(scope="session")
def is_full(pytestconfig: pytest.Config) -> bool:
    """Whether this is `./railbed test --full`: the whole fault matrix, not a sample of it."""
    return bool(pytestconfig.getoption("--full"))


@pytest.fixture(scope="session")
def update_golden(pytestconfig: pytest.Config) -> bool:
    """Whether golden files are written anew; who does it reads the diff."""
    return bool(pytestconfig.getoption("--update-golden"))
