"""A leaf and a spine of EOS as models behind SSH."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inventory.plan import Plan
from tests.deploy.fake_eos import FakeEos
from tests.deploy.rollout.models import SNMP, Site, behind_ssh, leaf_and_spine, made_quick
from tests.deploy.rollout.test_eos_rollout import factory, shows

Starts = Callable[[Plan, str, str], str]
"""What a switch of this name runs at first, with this key of its user's."""


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    return leaf_and_spine(tmp_path_factory.mktemp("site") / "mini", "eos", "admin", more=SNMP)


@pytest.fixture
def starts() -> Starts:
    return factory


@pytest.fixture
def site(plan: Plan, starts: Starts, tmp_path: Path, monkeypatch) -> Iterator[Site[FakeEos]]:
    made_quick(monkeypatch)
    with behind_ssh(plan, tmp_path, FakeEos, starts, shows) as made:
        yield made
