"""Leaves out the tests that were not chosen, and of those chosen in part most instances."""

from __future__ import annotations

import json
import math
import random
from collections import defaultdict
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--choice", type=Path, help="a file of tests.impact; ./railbed test --changed")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    choice = config.getoption("--choice")
    if choice is None:
        return
    shares: dict[str, float] = json.loads(choice.read_text())
    groups: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        groups["::".join(item.nodeid.partition("[")[0].split("::")[:2])].append(item)
    kept: set[pytest.Item] = set()
    for name, members in groups.items():
        if name in shares:
            count = max(1, math.ceil(shares[name] * len(members)))
            members.sort(key=lambda item: item.nodeid)
            draw = random.Random(f"{config.getoption('seed', 0)} {name}")
            kept |= set(draw.sample(members, count))
    out = [item for item in items if item not in kept]
    config.hook.pytest_deselected(items=out)
    items[:] = [item for item in items if item in kept]
