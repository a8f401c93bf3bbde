"""The way back on Cumulus Linux, to a secret of which NVUE shows its own form alone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from inventory.plan import Plan
from tests.deploy.backups.way_back import comes_back
from tests.deploy.rollout.in_shells import in_shells
from tests.deploy.rollout.models import Site, leaf_and_spine
from tests.deploy.rollout.test_cumulus_rollout import by_hand, says, started
from tests.deploy.switches.test_cumulus_push import Switch as Model

SPINE = "spine1"


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    return leaf_and_spine(tmp_path_factory.mktemp("site") / "mini", "cumulus", "cumulus", 1, 4)


@pytest.fixture
def site(plan: Plan, tmp_path: Path, monkeypatch) -> Iterator[Site[Model]]:
    with in_shells(plan, tmp_path, monkeypatch, started, says) as made:
        yield made


def test_what_was_changed_by_hand_is_kept_taken_away_and_brought_back(site):
    model = site.switches[SPINE]

    def change() -> None:
        sets = ("service ntp mgmt server 192.0.2.77", "system aaa tacacs vrf default")
        typed = " && ".join(f"nv set {one}" for one in sets)
        by_hand(model, f"{typed} && nv config apply -y && nv config save")

    def runs() -> object:
        # NVUE encrypts a secret anew each time: of two nobody can tell whether they are one.
        now = json.dumps([model.runs, model.nvue["startup"]], sort_keys=True)
        return re.sub(r"\$nvsec\$[^\"]+", "", now)

    assert comes_back(site, SPINE, change, runs, [])
    assert not model.waits
