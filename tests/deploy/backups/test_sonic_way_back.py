"""SONiC shows its secrets in clear: changed by hand, kept, taken away by a run, brought back."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from deploy.backups.changed import kept_aside
from deploy.backups.store import Backups
from deploy.lab.models.trees import Tree
from deploy.switches.push_session import Whole
from inventory.plan import Plan
from tests.deploy.backups.way_back import comes_back
from tests.deploy.rollout.in_shells import in_shells
from tests.deploy.rollout.models import Site, leaf_and_spine
from tests.deploy.rollout.test_sonic_rollout import ANOTHER, by_hand, says, started
from tests.deploy.switches.test_sonic_push import SonicSwitch
from tests.switch_configs.sites import small
from tests.switch_configs.sonic.plans import SONIC, database, made, with_database

SPINE = "spine1"
FOREIGN = "Her1ng-44"
CHANGE = {
    "TACPLUS": {"global": {"passkey": ANOTHER, "timeout": "9"}},
    # No list of words knows that the second field holds one, too.
    "TACPLUS_SERVER": {"192.0.2.9": {"passkey": FOREIGN, "remark": FOREIGN}},
}

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="files have owners"),
    pytest.mark.instances(keep=1, files_of="a run on switches is taken back"),
]


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    return leaf_and_spine(tmp_path_factory.mktemp("site") / "mini", "sonic", "", 1, 4)


@pytest.fixture
def site(plan: Plan, tmp_path: Path, monkeypatch) -> Iterator[Site[SonicSwitch]]:
    with in_shells(plan, tmp_path, monkeypatch, started, says) as made:
        yield made


def changed_by_hand(model: SonicSwitch) -> None:
    typed = "echo '{}' > /host/railbed/x; sonic-cfggen -j /host/railbed/x --write-to-db; rm -f {}"
    by_hand(model, typed.format(json.dumps(CHANGE), "/host/railbed/x"))
    by_hand(model, "config save -y")


def test_what_was_changed_by_hand_is_kept_taken_away_and_brought_back(site):
    model = site.switches[SPINE]

    def runs() -> object:
        return model.runs

    told = comes_back(site, SPINE, partial(changed_by_hand, model), runs, [ANOTHER, FOREIGN])
    assert told == {"TACPLUS global", "TACPLUS_SERVER 192.0.2.9", "all files"}
    assert model.runs["TACPLUS_SERVER"]["192.0.2.9"]["passkey"] == FOREIGN
    assert not model.waits
    kept = Backups(site.context.state_dir)
    assert FOREIGN in repr(kept.opened(kept.of(SPINE)[-2]).running.files)


@pytest.mark.parametrize("port", ["22", "2222"])
def test_what_a_push_has_said_in_a_table_of_the_switchs_own_is_no_drift(port):
    asked = SONIC.render(made(small("sonic"), "leaf-p1-r0"))
    new = {"DEVICE_METADATA": {"localhost": {"hostname": "x", "type": "ToRRouter"}}}
    ssh = {"SSH_SERVER": {"POLICIES": {"ports": "22"}}}
    later = {"SSH_SERVER": {"POLICIES": {"ports": port}}}

    def whole(tables: Tree) -> Whole:
        held = with_database(asked, tables)
        return Whole(asked, held)

    found = kept_aside(whole({**new, **ssh}), whole(database(asked) | later), asked)
    assert [one.section for one in found] == ["SSH server"] * (port != "22")
