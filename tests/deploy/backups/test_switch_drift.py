"""`drift` of switches on models of EOS: what, who, when; logins beside the last backup."""

from __future__ import annotations

import io
import json
import re
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from rich.console import Console

from deploy.backups import drift as drift_of_switches
from deploy.backups import told
from deploy.backups.asked import SiteDrift
from deploy.backups.drift import BEFORE_RUN, NO_BACKUP, SwitchDrift, drift, exit_code
from deploy.backups.store import Backups
from deploy.backups.taken import fetcher, kept, take
from deploy.commands.next_steps import Typed
from deploy.differences import keep
from deploy.record.journal import Record
from deploy.record.rows import ChangeRow
from deploy.rollout.outcome import MEASURED
from deploy.switches.push_result import OLD_AGAIN
from inventory import open_site
from inventory.plan import Plan
from tests.deploy.backups.conftest import Starts
from tests.deploy.backups.test_eos_backup import FOREIGN, by_hand
from tests.deploy.backups.test_eos_rollback import as_planned
from tests.deploy.fake_eos import FakeEos
from tests.deploy.rollout.models import (
    LEAF,
    SECRETS,
    SNMP,
    Site,
    held,
    leaf_and_spine,
)
from tests.deploy.rollout.test_eos_rollout import HASH

NTP = "  ntp: [172.16.3.%s]\n"
NIGHT = datetime(2026, 3, 11, 2, 15, tzinfo=UTC)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("site") / "mini"


@pytest.fixture(scope="module")
def plan(folder: Path) -> Plan:
    return leaf_and_spine(folder, "eos", "admin", more=SNMP + NTP % 5)


@pytest.fixture
def starts() -> Starts:
    return as_planned


@pytest.fixture
def site(site: Site[FakeEos], plan: Plan, folder: Path, tmp_path: Path) -> Site[FakeEos]:
    """Every switch is as the last run left it, by the record, too."""
    site.context = replace(site.context, site=str(folder))
    with closing(Record(tmp_path / "record.sqlite")) as record:
        record.end_run(record.begin_run(plan.site, plan.digest), MEASURED)
    keep(str(folder), tmp_path, plan.digest)
    return site


def backed_up(site: Site[FakeEos], night: int, device: str = LEAF) -> None:
    store = Backups(site.context.state_dir, lambda: NIGHT + timedelta(days=night))
    kept(site.context, store, fetcher(site.context)(device))


def of_leaf(site: Site[FakeEos]) -> SwitchDrift:
    (found,) = drift(site.context, [LEAF])
    return found


def causes(found: SwitchDrift) -> dict[str, str]:
    """The cause of each section, by its first words."""
    return {re.sub(r" [*#].*", "", one.what): one.cause for one in found.details}


def test_what_is_as_the_run_left_it_is_no_drift(site):
    found = drift(site.context, site.switches)
    assert [(one.details, one.notes) for one in found] == [((), (NO_BACKUP,))] * 2
    assert exit_code(found) == 0
    for switch in site.switches.values():
        assert all(one.startswith(("show ", "terminal ")) for one in switch.commands)


def test_what_somebody_changed_is_told_with_the_backups_between_which(site):
    by_hand(site, "ip host never0 192.0.2.10")
    backed_up(site, 0)
    by_hand(site, f"tacacs-server host 192.0.2.9 key 7 {FOREIGN}")
    backed_up(site, 1)
    backed_up(site, 2)
    by_hand(site, "lldp management-address vrf MGMT")
    found = of_leaf(site)
    told_of = causes(found)
    device = "changed on the device, "
    assert told_of.pop("tacacs-server host 192.0.2.9") == (
        f"{device}between the backup of 2026-03-11 02:15:00 UTC and the backup of "
        "2026-03-12 02:15:00 UTC"
    )
    assert sorted(told_of.values()) == [
        f"{device}before the backup of 2026-03-11 02:15:00 UTC",
        f"{device}since the backup of 2026-03-12 02:15:00 UTC",
    ]
    assert exit_code([found]) == 1
    assert FOREIGN not in repr(found) + held(site.context.state_dir)


def test_what_the_plan_changed_is_told_apart(site, folder, tmp_path):
    now = tmp_path / "now" / "mini"
    now.parent.mkdir()
    now.mkdir()
    for one in folder.iterdir():
        if one.is_file():
            (now / one.name).write_text(one.read_text().replace(NTP % 5, NTP % 6))
    plan = open_site(now)
    site.context = replace(site.context, plan=plan, site=str(now))
    backed_up(site, 0)
    by_hand(site, "ip host never0 192.0.2.10")
    found = causes(of_leaf(site))
    assert found.pop("ip").startswith("changed on the device, since the backup of 2026-03-11")
    assert len(found) == 2, "one server goes, another comes"
    (why,) = set(found.values())
    assert re.fullmatch(
        r"the plan changed: fabric.yml:\d+ switch_services.ntp\[0\]: 172.16.3.5 -> 172.16.3.6", why
    )
    site.context.state_dir.joinpath("record.sqlite").unlink()
    assert "not known: no run on record" in repr(of_leaf(site))


def test_logins_and_secrets_are_told_beside_the_last_backup(site, plan):
    backed_up(site, 0)
    store = site.switches[LEAF].store
    store.running = store.startup = store.running.replace(HASH, "$6$other$Xyz")
    (one,) = of_leaf(site).details
    assert (one.place, one.what) == ("the switch's own", "users")
    assert one.cause.startswith("changed on the device, since the backup of 2026-03-11 02:15:00")
    backed_up(site, 1)
    assert of_leaf(site).details == (), "and from then on that is what is known"
    store.running = store.startup = re.sub(r"(?<= key 7 )\S+", "0a0b0c0d", store.running)
    (one,) = of_leaf(site).details
    assert (one.place, one.lines) == ("secrets", ("a secret changed",))
    with closing(Record(site.context.state_dir / "record.sqlite")) as record:
        run = record.begin_run(plan.site, plan.digest)
        done = ChangeRow("w", LEAF, "save", "", "runtime", "", "", "done: save")
        record.change(run, done)
    found = of_leaf(site)
    assert (found.details, found.notes) == ((), (BEFORE_RUN,)), "a run may have changed it"
    by_hand(site, "username eve privilege 15 role network-admin secret sha512 $6$evesalt$Xyz")
    found = of_leaf(site)
    assert {one.what for one in found.details} == {"users", "1 of users that nobody planned"}
    assert "eve" not in repr(found)


def test_a_backup_after_a_run_is_made_also_where_it_says_the_same(site, plan):
    """Beside one from before the run no secret could be told, and every one after it says that."""
    backed_up(site, 0)
    with closing(Record(site.context.state_dir / "record.sqlite")) as record:
        run = record.begin_run(plan.site, plan.digest)
        record.change(run, ChangeRow("w", LEAF, "undo", "", "runtime", "", "", OLD_AGAIN))
    assert of_leaf(site).notes == (BEFORE_RUN,)
    assert [bool(one.made) for one in take(site.context, [LEAF], 9)] == [True]
    assert (of_leaf(site).details, of_leaf(site).notes) == ((), ())
    assert [bool(one.made) for one in take(site.context, [LEAF], 9)] == [False]
    store = site.switches[LEAF].store
    store.running = store.startup = re.sub(r"(?<= key 7 )\S+", "0a0b0c0d", store.running)
    (one,) = of_leaf(site).details
    assert (one.place, one.lines) == ("secrets", ("a secret changed",))


def test_who_does_not_answer_is_not_known(site):
    site.switches[LEAF].faults.refuse_login = True
    found = drift(site.context, site.switches)
    assert exit_code(found) == 3
    assert "login refused" in next(one.silent for one in found if one.device == LEAF)


def test_who_cannot_be_compared_hides_no_other(site, monkeypatch):
    """Its plan cannot be rendered, or pushed, say: EOS takes no window of a second."""
    by_hand(site, "ip host never0 192.0.2.10")
    monkeypatch.setattr(drift_of_switches, "window_s", lambda _: 1)
    found = {one.device: one for one in drift(site.context, site.switches)}
    assert "a window of 1 s" in found[LEAF].silent
    assert (found["spine1"].silent, found["spine1"].notes) == ("", (NO_BACKUP,))


def test_it_says_how_to_accept_and_to_revert(site, monkeypatch):
    # What an earlier command line of this process named would stand in each command.
    monkeypatch.setattr("deploy.commands.next_steps._now", Typed())
    by_hand(site, f"tacacs-server host 192.0.2.9 key 7 {FOREIGN}")
    found = SiteDrift(None, (of_leaf(site),))
    file = io.StringIO()
    told.site_drift_text(found, Console(file=file, width=200))
    said = file.getvalue() + json.dumps(told.site_drift_json(found))
    for words in (
        "cause  changed on the device",
        "revert  `./railbed apply --only switches` brings all switches to the plan",
        f"accept  `./railbed accept {LEAF} --section NAME --reason TEXT` takes lines",
        "switches: 0 as planned, 1 drifted, 0 not known",
        '"exit_code": 1',
    ):
        assert words in said
    assert not [one for one in (FOREIGN, HASH, *SECRETS.values()) if one in said]
