"""The seed of a run: it orders the tests, and draws samples and examples; `--seed N` repeats it.

Without the option it comes from the commit. So a commit is judged by the same tests in the same
order wherever it is tested, and the next commit by others.
"""

from __future__ import annotations

import random
import subprocess
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import pytest

T = TypeVar("T")
_ROOT = Path(__file__).parents[2]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--seed", type=int, help="order and samples of a run; from the commit, unless given"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):
        config.option.seed = config.workerinput["seed"]
    elif config.option.seed is None:
        config.option.seed = seed_of_commit()
    if getattr(config.option, "hypothesis_seed", None) is None:
        config.option.hypothesis_seed = config.option.seed
    _steady_hypothesis()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Workers draw by the seed of the run that started them."""
    node.workerinput["seed"] = node.config.option.seed


def pytest_report_header(config: pytest.Config) -> str:
    return f"seed: {config.option.seed} (--seed {config.option.seed} repeats this order and sample)"


def seed_of_commit() -> int:
    """A number of at most six digits, from the commit that is checked out."""
    asked = ["git", "-C", str(_ROOT), "rev-parse", "HEAD"]
    commit = subprocess.run(asked, capture_output=True, check=False).stdout.strip()
    return zlib.crc32(commit) % 1_000_000


def _steady_hypothesis() -> None:
    """No verdict by the clock, and none that hangs on what an earlier run found."""
    from hypothesis import HealthCheck, settings

    steady = settings(
        deadline=None,
        database=None,
        derandomize=False,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.register_profile("railbed", steady)
    settings.load_profile("railbed")


def drawn(seed: int, name: str) -> random.Random:
    """The numbers of one test or group of a run: no other's draws move them."""
    return random.Random(f"{seed}:{name}")


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> random.Random:
    """Random numbers of this test in this run."""
    return drawn(request.config.option.seed, request.node.nodeid)


@pytest.fixture
def sampled(
    request: pytest.FixtureRequest, rng: random.Random
) -> Callable[[Iterable[T], int], list[T]]:
    """`sampled(items, keep)`: `keep` of them by the seed, in their order; all in `--full`."""

    def choose(items: Iterable[T], keep: int) -> list[T]:
        every = list(items)
        if request.config.getoption("--full") or len(every) <= keep:
            return every
        return [every[i] for i in sorted(rng.sample(range(len(every)), keep))]

    return choose
