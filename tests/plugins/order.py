"""Tests run in an order drawn by the seed, so that none can lean on another: those of labs too."""

from __future__ import annotations

import pytest

from .seed import drawn


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Shuffle files and their tests; labs come last where one process runs all."""
    files: dict[str, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(file_of(item.nodeid), []).append(item)
    names = sorted(files)
    drawn(config.option.seed, "files").shuffle(names)
    for name in names:
        files[name].sort(key=lambda item: item.nodeid)
        drawn(config.option.seed, name).shuffle(files[name])
    items[:] = [item for name in names for item in files[name]]
    items.sort(key=_is_lab)


def _is_lab(item: pytest.Item) -> bool:
    return item.get_closest_marker("lab") is not None


def file_of(nodeid: str) -> str:
    """The file of a test, as pytest names it."""
    return nodeid.partition("::")[0]
