"""The switch part of `apply` on models of NVUE behind sudo; no real switch has had one.

Each switch tells of its links, sessions and routes as a healthy fabric's would, once what NVUE
applied has its routing: the model forwards nothing itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.record.journal import Record
from deploy.rollout.reached import reached
from deploy.rollout.survey import explained, survey
from deploy.transport.ssh_run import AS_ROOT
from deploy.trial.push_trial import WORDS
from inventory.plan import Plan, Switch
from switch_configs.answers.linux import ethtool_module
from switch_configs.cumulus.answers import ask
from switch_configs.errors import DialectError
from tests.deploy.fake_nvue import Daemon, Tree, merged
from tests.deploy.rollout.in_shells import in_shells, of_links
from tests.deploy.rollout.models import SECRETS, Site, held, is_pushed, is_settled, leaf_and_spine
from tests.deploy.rollout.trials import SPINE, passes_a_trial, trial
from tests.deploy.switches.test_cumulus_push import Switch as Model
from tests.validation import modules_shown
from tests.validation.modules_shown import Shown
from tests.validation.shows.state import Device

pytestmark = pytest.mark.instances(keep=1, files_of="a rollout by a switch system")

HASH = "$6$aB3dE5fG$Zx9cV8bN7mQ"


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    return leaf_and_spine(tmp_path_factory.mktemp("site") / "mini", "cumulus", "cumulus", 1, 4)


def factory(one: Switch) -> Tree:
    """What a person types on a new switch: a key, an address (its README); its hash is hidden."""
    login = {"type": "ssh-ed25519", "key": "AAAAC3NzaC1lZDI1NTE5AAAAIKey"}
    user = {
        "full-name": "cumulus,,,",
        "hashed-password": HASH,
        "role": "system-admin",
        "ssh": {"authorized-key": {"railbed": login}},
    }
    port = {"type": "eth", "ip": {"address": {str(one.management.address): {}}, "vrf": "mgmt"}}
    return {
        "interface": {one.management.port: port},
        "system": {"hostname": one.name, "aaa": {"user": {"cumulus": user}}},
    }


def says(model: Model, here: Device) -> dict[str, str]:
    """What it tells of its links and routes, modules among them."""
    told = of_links(here, "bgp" in model.runs.get("router", {}))
    for port in here.ports:
        shown = Shown(f"{here.name}-{port}")
        told[f"ethtool -m {port}"] = modules_shown.ethtool(shown).removesuffix(
            f"{ethtool_module.END}\n"
        )
        told[ask.phy(port)] = modules_shown.nvue(shown)
    return told


def started(root: Path, one: Switch) -> tuple[Model, Daemon]:
    model = Model(root, one.name, one.management)
    return model, model.start(factory(one))


@pytest.fixture
def site(plan: Plan, tmp_path: Path, monkeypatch) -> Iterator[Site[Model]]:
    with in_shells(plan, tmp_path, monkeypatch, started, says) as made:
        yield made


def by_hand(model: Model, line: str) -> None:
    assert model.shell(AS_ROOT, line.encode(), 20.0).returncode == 0


def test_a_new_site_goes_from_survey_to_pushed_to_read_back(site, plan, tmp_path):
    result = is_pushed(site)
    kept = set[str]()
    for name, model in site.switches.items():
        held_now = model.nvue
        assert model.runs == held_now["startup"]
        assert not model.waits
        user = {"system": {"aaa": {"user": factory(plan.switch[name])["system"]["aaa"]["user"]}}}
        assert merged(model.runs, user) == model.runs
        servers = model.runs["system"]["aaa"]["tacacs"]["server"].values()
        kept |= {one["secret"] for one in servers}
    looks = ("config show", "config diff startup applied", "config revision", "show ")
    again = is_settled(site, lambda model: model.nvue["calls"], looks)
    by_hand(
        site.switches["spine1"],
        "nv set system aaa tacacs vrf default && nv config apply -y && nv config save",
    )
    found = survey(site.context, site.transport)
    (other,) = found.differences
    assert (other.device, "vrf: mgmt" in other.text) == ("spine1", True)
    assert not re.search(r"(?m)^[-+].*secret", other.text)
    shown = explained(site.context, site.transport, found)
    told = held(site.context.state_dir) + repr((site.said, result, again, found, shown))
    assert all(one.startswith("$nvsec$") for one in kept)
    assert not [value for value in (HASH, *SECRETS.values(), *kept) if value in told]


def test_a_trial_goes_back_by_itself_stays_and_is_taken_away(site, monkeypatch):
    spine = site.switches[SPINE]
    by_hand(spine, "nv set interface swp1 type swp && nv config apply -y && nv config save")
    with pytest.raises(DialectError, match="saves by itself"):
        trial(site, monkeypatch, 40)
    off = "nv set system config auto-save state disabled && nv config apply -y && nv config save"
    by_hand(spine, off)
    passes_a_trial(site, monkeypatch, 40, lambda switch: (switch.runs, switch.nvue["startup"]))


def test_a_person_ends_a_trial_and_the_record_says_where_the_switch_may_be(site, monkeypatch):
    spine = site.switches[SPINE]
    off = "nv set system config auto-save state disabled && nv set interface swp1 type swp"
    by_hand(spine, f"{off} && nv config apply -y && nv config save")
    answers = iter([True, True, True, False])
    result = trial(site, monkeypatch, 40, lambda _: next(answers))
    assert [part.ok for part in result.trial.parts] == [True] * 3
    assert not result.trial.passed
    assert spine.runs["interface"]["swp1"]["description"] == WORDS
    record = Record(site.context.state_dir / "record.sqlite")
    assert reached(record).of(SPINE) == {"", site.context.plan.digest}
    record.close()


def test_a_switch_that_runs_its_plan_passes_a_trial_too(site, monkeypatch):
    site.applies()
    result = trial(site, monkeypatch, 40)
    assert result.trial.passed, (result.trial.parts, site.said)
    assert site.apply().changed == ()
