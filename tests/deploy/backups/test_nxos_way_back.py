"""The way back on NX-OS over real SSH."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from inventory.plan import Plan
from tests.deploy.backups.way_back import comes_back
from tests.deploy.fake_nxos import FakeNxos
from tests.deploy.rollout.models import SNMP, Site, behind_ssh, leaf_and_spine, made_quick
from tests.deploy.rollout.test_nxos_rollout import factory, shows
from tests.deploy.rollout.trials import lines_of

SPINE = "spine1"


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    return leaf_and_spine(tmp_path_factory.mktemp("site") / "mini", "nxos", "admin", more=SNMP)


@pytest.fixture
def site(plan: Plan, tmp_path: Path, monkeypatch) -> Iterator[Site[FakeNxos]]:
    made_quick(monkeypatch)
    with behind_ssh(plan, tmp_path, FakeNxos, factory, shows) as made:
        yield made


def test_what_was_changed_by_hand_is_kept_taken_away_and_brought_back(site):
    store = site.switches[SPINE].store

    def change() -> None:
        line = "ntp server 192.0.2.77 use-vrf management\n"
        store.running = store.startup = store.running + line

    def runs() -> object:
        return lines_of(store.running), lines_of(store.startup)

    assert comes_back(site, SPINE, change, runs, [])
    assert store.checkpoints == store.flash == {}
