"""The switch part of `apply` on models of NX-OS over real SSH; no real switch has had one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from inventory.plan import Plan
from switch_configs import render
from switch_configs.answers.typed import decoded
from tests.deploy.fake_nxos import FakeNxos
from tests.deploy.rollout.models import (
    LEAF,
    SECRETS,
    SNMP,
    Site,
    behind_ssh,
    goes_from_survey_to_read_back,
    is_drained_and_taken_back,
    is_taken_back,
    leaf_and_spine,
    loses,
    made_quick,
)
from tests.deploy.rollout.trials import SPINE, lines_of, passes_a_trial
from tests.validation import lossless_says, modules_shown
from tests.validation.shows import nxos
from tests.validation.shows.state import Device

pytestmark = pytest.mark.instances(keep=1, files_of="a rollout by a switch system")

HASH = "$5$aB3dE5fG$Zx9cV8bN7mQ"


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    return leaf_and_spine(tmp_path_factory.mktemp("site") / "mini", "nxos", "admin", more=SNMP)


def own(login: str) -> str:
    """What a person types on a new switch beside its name and address (its README)."""
    return (
        "feature scp-server\n"
        f"username admin password 5 {HASH}  role network-admin\n"
        f"username admin sshkey ssh-ed25519 {login}\n"
    )


def factory(plan: Plan, name: str, login: str) -> str:
    at = plan.switch[name].management
    return (
        f"version 10.5(3) Bios:version 01.08\nhostname {name}\n{own(login)}"
        f"interface {at.port}\n  vrf member management\n  ip address {at.address}\n"
    )


def shows(switch: FakeNxos, here: Device) -> dict[str, str]:
    """What it tells of its links, routes and PFC: of a feature that is off it knows no command."""
    on = {name: f"\nfeature {name}\n" in switch.store.running for name in ("bgp", "lldp")}
    runs = here if on["bgp"] else replace(here, sessions=[], routes={})
    told = nxos.says(replace(runs, runs_bgp=on["bgp"], runs_lldp=on["lldp"]))
    blocks = re.split(r"(?m)^interface ", switch.store.running)
    paused = [one.split("\n")[0] for one in blocks if "\n  priority-flow-control mode on\n" in one]
    table = lossless_says.nxos_table(dict.fromkeys(paused, lossless_says.WELL))
    modules = {port: modules_shown.Shown(f"{here.name}-{port}") for port in here.ports}
    return told | {
        "show interface priority-flow-control": table,
        "show interface transceiver details | json": modules_shown.nxos(modules),
    }


@pytest.fixture
def site(plan: Plan, tmp_path: Path, monkeypatch) -> Iterator[Site[FakeNxos]]:
    made_quick(monkeypatch)
    with behind_ssh(plan, tmp_path, FakeNxos, factory, shows) as made:
        yield made


def test_a_new_site_goes_from_survey_to_pushed_to_read_back(site):
    kept = rf'(?<= key 7 ")[^"]+|(?<= sha )0x\S+|(?<= aes-128 )0x\S+|{re.escape(HASH)}'
    goes_from_survey_to_read_back(site, ("show ", "echo "), kept, (15, "optic"), (40, "pfc"))
    for switch in site.switches.values():
        assert switch.store.running.count(" key 7 ") == 2
        assert switch.store.checkpoints == switch.store.flash == {}


def test_a_port_that_does_not_pause_takes_the_push_back(site, monkeypatch):
    lost = "  priority-flow-control mode on\n"
    is_taken_back(site, monkeypatch, lambda: loses(site.switches[LEAF], lost))
    typed = [
        one
        for one in site.switches[LEAF].commands
        if one.startswith(("rollback ", "configure replace c"))
    ]
    assert typed[0].startswith("rollback "), "what is not right is not confirmed"


def test_a_feature_that_is_off_refuses_its_show_and_what_changes_something_is_not_typed(site):
    asked = "show lldp neighbors detail | json\nshow feature | json\nclear counters\nshow clock\n"
    told = decoded(site.transport.run("spine1", asked, 20.0).stdout)
    bare = "show run\nshow  running-config\nshow running-config | json\nshow Start\nshow tech\n"
    unmasked = decoded(site.transport.run("spine1", bare, 20.0).stdout)
    assert {one.status for one in unmasked} == {1}, "no mask knows what these show"
    assert [(one.status, bool(one.out)) for one in told] == [
        (1, False),
        (0, True),
        (1, False),
        (0, True),
    ]
    assert "Invalid command" in told[0].why
    assert "clear counters" not in site.switches["spine1"].commands


def test_a_drain_is_typed_and_taken_back_and_a_survey_tells_it(site, plan):
    name = "spine1"
    (login,) = re.findall(r"sshkey ssh-ed25519 (\S+)", site.switches[name].store.running)
    (file,) = render(plan, name).files
    text = re.sub(r"<<secret:(\w+)>>", lambda one: SECRETS[one[1]], file.text)
    is_drained_and_taken_back(site, name, f"{text}{own(login)}", "  graceful-shutdown activate")


@pytest.mark.full  # EOS and Cumulus Linux have theirs in every run
def test_a_trial_goes_back_by_itself_stays_and_is_taken_away(site, monkeypatch):
    spine = site.switches[SPINE]
    text = f"{spine.store.running}interface Ethernet1/1\n  description bench\n"
    spine.store.startup = spine.store.running = text
    spine.second_s = 0.02

    def runs(switch):
        texts = (switch.store.running, switch.store.startup)
        # Which release it is, each tells by itself.
        return [lines_of(re.sub(r"(?m)^version .*\n", "", text)) for text in texts]

    passes_a_trial(site, monkeypatch, 16, runs)
