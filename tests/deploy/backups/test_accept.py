"""`accept` on models of EOS: what was typed by hand becomes the site's, or nothing is written."""

from __future__ import annotations

import io
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from deploy.backups import told, with_stanza
from deploy.backups.accept import Accepted, Wish, accept, accept_of_site
from deploy.backups.drift import drift, exit_code
from deploy.errors import RailbedError
from deploy.rollout import preconditions
from deploy.session import Selection
from inventory import open_site
from inventory.plan import Plan
from inventory.problems import ExpectedError
from tests.deploy.backups.conftest import Starts
from tests.deploy.backups.test_eos_backup import FOREIGN
from tests.deploy.backups.test_eos_rollback import as_planned
from tests.deploy.fake_eos import FakeEos
from tests.deploy.rollout.models import LEAF, SECRETS, SNMP, Site, held, leaf_and_spine

WHY = "kept: asked for by the storage team"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("site") / "mini"


@pytest.fixture(scope="module")
def plan(folder: Path) -> Plan:
    return leaf_and_spine(folder, "eos", "admin", more=SNMP + "  ntp: [172.16.3.5]\n")


@pytest.fixture
def starts() -> Starts:
    return as_planned


@pytest.fixture
def site(site: Site[FakeEos], folder: Path, tmp_path: Path) -> Site[FakeEos]:
    mine = tmp_path / "site" / "mini"
    shutil.copytree(folder, mine)
    site.context = replace(site.context, site=str(mine))
    return site


def fabric(site: Site[FakeEos]) -> Path:
    return Path(site.context.site) / "fabric.yml"


def typed(site: Site[FakeEos], line: str, after: str, device: str = LEAF) -> None:
    """Somebody types a line, EOS shows it behind this one, and it is saved."""
    store = site.switches[device].store
    assert after in store.running
    store.running = store.startup = store.running.replace(after, f"{after}\n{line}", 1)


def lost(site: Site[FakeEos], line: str, by: str = "") -> None:
    store = site.switches[LEAF].store
    assert line in store.running
    store.running = store.startup = store.running.replace(line, by, 1)


def accepts(site: Site[FakeEos], section: str, *names: str, dry_run: bool = False) -> Accepted:
    return accept(site.context, Wish(names or (LEAF,), section, WHY, dry_run))


def reopened(site: Site[FakeEos]) -> None:
    site.context = replace(site.context, plan=open_site(site.context.site))


def drifted(site: Site[FakeEos]) -> int:
    return exit_code(drift(site.context, [LEAF]))


def refused(site: Site[FakeEos], section: str, *names: str) -> str:
    before = fabric(site).read_bytes()
    with pytest.raises(RailbedError) as told:
        accepts(site, section, *names)
    assert told.value.exit_code == 1
    assert fabric(site).read_bytes() == before
    said = str(told.value)
    everything = said + held(site.context.state_dir)
    assert not [one for one in (FOREIGN, *SECRETS.values()) if one in everything]
    return said


HOST = "ip host printer 192.0.2.10"
BELOW = "   logging event link-status"
PORT = "interface Ethernet17/1"
PROFILE = "   service-profile lossless-1599488-6400000-5"


def test_a_line_typed_by_hand_is_accepted_and_then_is_no_drift(site):
    typed(site, HOST, f"hostname {LEAF}")
    text = fabric(site).read_text()
    assert drifted(site) == 1
    shown = accepts(site, "hostname", dry_run=True)
    assert fabric(site).read_text() == text
    assert shown.stanza.splitlines() == [
        "raw:",
        f"  - devices: [{LEAF}]",
        "    section: hostname",
        "    lines:",
        f'      - "{HOST}"',
        f'    reason: "{WHY}"',
    ]
    done = accepts(site, "hostname")
    assert done == replace(shown, written=True)
    assert fabric(site).read_text() == f"{text}\n{shown.stanza}"
    reopened(site)
    assert drifted(site) == 0
    again = accepts(site, "hostname")
    assert (again.stanza, again.written) == ("", False)
    before = site.switches[LEAF].store.running
    result = site.apply()
    assert (result.exit_code, result.changed) == (0, ()), result.outcome
    assert site.switches[LEAF].store.running == before


def test_a_line_below_a_planned_one_is_accepted_beside_a_comment(site):
    path = fabric(site)
    path.write_text(f"{path.read_text()}raw:  # ours\n  # nothing yet\n")
    store = site.switches[LEAF].store
    block = re.search(rf"{PORT}\n.*?(?=\n!)", store.running, re.DOTALL)
    assert block
    typed(site, BELOW, block[0])
    done = accepts(site, "ethernet")
    assert [f'"{PORT}"' in done.stanza, f'"{BELOW}"' in done.stanza] == [True, True]
    assert done.unproved, "nobody here knows the line"
    assert "raw:  # ours\n" in path.read_text()
    assert path.read_text().endswith("  # nothing yet\n")
    reopened(site)
    assert drifted(site) == 0


def test_switches_that_run_the_same_share_one_stanza(site):
    for name in site.switches:
        typed(site, HOST, f"hostname {name}", name)
    done = accepts(site, "hostname", *sorted(site.switches))
    assert f"devices: [{', '.join(sorted(site.switches))}]" in done.stanza
    reopened(site)
    assert exit_code(drift(site.context, sorted(site.switches))) == 0


def test_switches_that_run_others_are_accepted_one_by_one(site):
    names = sorted(site.switches)
    typed(site, HOST, f"hostname {LEAF}")
    assert "spine1: runs nothing in hostname" in refused(site, "hostname", *names)
    typed(site, f"{HOST}1", "hostname spine1", "spine1")
    assert "not the same lines" in refused(site, "hostname", *names)


def test_another_section_is_named_and_nothing_is_written(site):
    typed(site, HOST, f"hostname {LEAF}")
    text = fabric(site).read_text()
    done = accepts(site, "bgp")
    assert (done.stanza, "hostname" in done.elsewhere) == ("", True)
    assert fabric(site).read_text() == text


def test_what_else_differs_stays_told(site):
    typed(site, HOST, f"hostname {LEAF}")
    lost(site, "lldp timer 5", "lldp timer 6")
    assert accepts(site, "hostname").written
    reopened(site)
    assert drifted(site) == 1


def test_a_planned_value_that_was_changed_is_refused(site):
    lost(site, "lldp timer 5", "lldp timer 6")
    assert "planned, and it does not run: lldp timer 5" in refused(site, "system")


def test_a_planned_line_that_was_lost_is_refused(site):
    lost(site, "lldp hold-time 20\n")
    assert "planned, and it does not run: lldp hold-time 20" in refused(site, "system")


SECRET_LINES = (
    f"tacacs-server host 192.0.2.9 vrf MGMT key 7 {FOREIGN}",
    f"tacacs-server host 192.0.2.9 vrf MGMT {FOREIGN}",
    f"snmp-server host 192.0.2.9 version 2c {FOREIGN}",
    f"snmp-server community {FOREIGN} ro",
)


@pytest.mark.parametrize("line", SECRET_LINES)
def test_a_line_that_may_hold_a_secret_is_never_written_nor_shown(site, line):
    section, after = ("tacacs", "!\naaa group") if "tacacs" in line else ("snmp", "!\nspanning")
    store = site.switches[LEAF].store
    store.running = store.startup = store.running.replace(after, f"{line}\n{after}", 1)
    said = refused(site, section)
    assert f"{LEAF}, {section}: may hold a secret, and is never written: " in said
    assert "credentials" in said


@pytest.mark.parametrize("line", [f"   banner {FOREIGN}", "   description 0a1b2c3d4e5f"])
def test_a_word_that_looks_made_up_is_taken_for_a_secret(site, line):
    typed(site, line, PORT)
    assert "may hold a secret" in refused(site, "ethernet")


def test_a_login_is_the_switchs_own(site):
    store = site.switches[LEAF].store
    line = f"username eve privilege 15 role network-admin secret 0 {FOREIGN}"
    store.running = store.startup = f"{store.running}{line}\n"
    said = refused(site, "system")
    assert "1 of users that nobody planned: the switch's own" in said
    assert "eve" not in said


@pytest.mark.parametrize(
    ("line", "after", "section", "told"),
    [
        (
            "ntp server vrf MGMT 172.16.3.77 iburst",
            "ntp server vrf MGMT 172.16.3.5 iburst",
            "ntp",
            "ntp",
        ),
        ("   mtu 1500", PORT, "ethernet", "mtu"),
    ],
)
def test_a_line_that_contradicts_the_plan_is_refused_in_the_proofs_words(
    site, line, after, section, told
):
    typed(site, line, after)
    said = refused(site, section)
    assert "contradict the plan" in said
    assert told in said


def test_a_planned_port_that_was_switched_off_is_refused(site):
    typed(site, "   shutdown", PORT)
    assert f"{LEAF}, ethernet: switches off what the plan uses: " in refused(site, "ethernet")


@pytest.mark.parametrize("line", ["   shutdown", "   neighbor up shutdown"])
def test_what_switches_off_many_sessions_at_once_is_refused(site, line):
    typed(site, line, f"router bgp {site.context.plan.switch[LEAF].asn}")
    assert f"{LEAF}, bgp: switches off what the plan uses: " in refused(site, "bgp")


def test_what_is_not_saved_is_not_accepted(site):
    typed(site, HOST, f"hostname {LEAF}")
    store = site.switches[LEAF].store
    store.startup = store.startup.replace(f"{HOST}\n", "")
    assert "not saved" in refused(site, "hostname")


def test_a_switch_that_is_silent_is_not_known(site):
    site.switches[LEAF].faults.refuse_login = True
    with pytest.raises(RailbedError) as told:
        accepts(site, "hostname")
    assert told.value.exit_code == 3


def test_lines_that_the_inventory_refuses_are_refused_in_its_words(site):
    typed(site, "ip host {{x}} 192.0.2.10", f"hostname {LEAF}")
    before = fabric(site).read_bytes()
    with pytest.raises(ExpectedError, match="template"):
        accepts(site, "hostname")
    assert fabric(site).read_bytes() == before


def test_a_site_that_changed_meanwhile_is_left_alone(site, monkeypatch):
    typed(site, HOST, f"hostname {LEAF}")
    path, proves = fabric(site), preconditions.refuse_unproved
    other = f"{path.read_text()}# somebody else\n"

    def meanwhile(plan: Plan) -> object:
        path.write_text(other)
        return proves(plan)

    monkeypatch.setattr(with_stanza, "refuse_unproved", meanwhile)
    with pytest.raises(RailbedError, match="changed meanwhile"):
        accepts(site, "hostname")
    assert path.read_text() == other


def test_what_it_says(site):
    store = site.switches[LEAF].store
    typed(site, HOST, f"hostname {LEAF}")
    store.running = store.startup = store.running.replace("!\nntp", "vlan 99\n!\nntp", 1)

    def said(found: Accepted) -> str:
        file = io.StringIO()
        told.accepted_text(found, Console(file=file, width=300))
        return file.getvalue()

    text = said(accepts(site, "hostname", dry_run=True))
    assert f'      - "{HOST}"\n' in text
    assert f"would be written into {fabric(site)}" in text
    assert "nobody here can judge: leaf-p1-1 unread: " in text
    assert "nobody planned what runs in other sections, too: " in text
    text = said(accepts(site, "hostname"))
    assert f"\nwritten into {fabric(site)}: taking it out again is the way back\n" in text
    reopened(site)
    assert f"{LEAF}: nothing to accept in hostname\n" in said(accepts(site, "hostname"))
    assert "lays frr.conf with the reason" in said(
        Accepted(fabric(site), (), "x", ("y",), anew=True)
    )


def test_a_switch_and_a_section_that_nobody_has_are_named(site):
    chosen = Selection(site.context.site, "lab")
    for wish, meant in (
        (Wish(("leaf-p1-01",), "bgp", WHY), "'leaf-p1-1'"),
        (Wish((LEAF,), "bpg", WHY), "'bgp'"),
    ):
        with pytest.raises(RailbedError, match=f"did you mean {meant}") as told:
            accept_of_site(chosen, wish)
        assert told.value.exit_code == 2
