"""SONiC shows its secrets in clear: changed by hand, kept, taken away by a run, brought back."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from deploy.backups.changed import kept_aside
from deploy.backups.drift import drift
from deploy.backups.rollback import Wish, chosen, goals_of, rollback
from deploy.backups.store import Backups
from deploy.backups.taken import take
from deploy.lab.models.sonic.tables import Tree
from deploy.record.journal import Record
from deploy.switches.push_session import Whole
from inventory.plan import Plan
from tests.deploy.rollout.in_shells import in_shells
from tests.deploy.rollout.models import SECRETS, Site, held, leaf_and_spine
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

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="files have owners")


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
    model, names = site.switches[SPINE], tuple(site.switches)
    assert site.apply().exit_code == 0
    assert all(one.made for one in take(site.context, names, 9))
    assert not any(one.made for one in take(site.context, names, 9))
    changed_by_hand(model)
    before = model.runs
    (drifted,) = drift(site.context, [SPINE])
    told = {one.what: one.cause for one in drifted.details}
    assert set(told) == {"TACPLUS global", "TACPLUS_SERVER 192.0.2.9", "all files"}
    assert all(one.startswith("changed on the device, since the backup") for one in told.values())
    assert [one.device for one in take(site.context, names, 9) if one.made] == [SPINE]
    assert site.apply().changed == (SPINE,)
    assert model.runs["TACPLUS"]["global"]["passkey"] == SECRETS["tacacs_key"]
    wish = Wish(2)
    with closing(Record(site.context.state_dir / "record.sqlite")) as record:
        goals = goals_of(site.context, 2, chosen(record, wish, frozenset(names)))
        done = rollback(site.context, site.transport, record, wish, goals)
    assert done.exit_code == 0, done.outcome
    assert model.runs == before
    assert model.runs["TACPLUS_SERVER"]["192.0.2.9"]["passkey"] == FOREIGN
    assert not model.waits
    everything = held(site.context.state_dir) + repr((site.said, done, goals, drifted))
    assert not [one for one in (*SECRETS.values(), ANOTHER, FOREIGN) if one in everything]
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
