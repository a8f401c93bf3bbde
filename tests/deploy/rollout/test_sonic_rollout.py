"""The switch part of `apply` on models of SONiC behind sudo; no real switch has had one.

Each switch tells of its links, sessions and routes as a healthy fabric's would, once FRR has its
routing: the model forwards nothing itself.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from deploy.lab.models.sonic.tables import hashes
from deploy.rollout.survey import explained, survey
from deploy.transport.ssh_run import AS_ROOT
from inventory.plan import Plan, Switch
from switch_configs.errors import DialectError
from switch_configs.sonic.answers import ask, lossless
from tests.deploy.rollout.in_shells import in_shells, of_links
from tests.deploy.rollout.models import SECRETS, Site, held, is_pushed, is_settled, leaf_and_spine
from tests.deploy.rollout.trials import SPINE, passes_a_trial, trial
from tests.deploy.switches.test_sonic_push import SonicSwitch, factory
from tests.validation import lossless_says, modules_shown
from tests.validation.modules_shown import Shown
from tests.validation.shows.state import Device

ANOTHER = "Adm1ral"

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="files have owners"),
    pytest.mark.instances(keep=1, files_of="a rollout by a switch system"),
]


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    return leaf_and_spine(tmp_path_factory.mktemp("site") / "mini", "sonic", "", 1, 4)


def says(model: SonicSwitch, here: Device) -> dict[str, str]:
    """What it tells of its links and routes, modules among them."""
    told = of_links(here, "router bgp" in (model.held["frr"] or ""))
    shown = {port: Shown(f"{here.name}-{port}") for port in here.ports}
    lines = (ask.MODULES, ask.RATES, ask.NAMES)
    told |= dict(zip(lines, modules_shown.sonic(shown), strict=True))
    dumps = lossless_says.sonic(dict.fromkeys(here.ports, lossless_says.WELL))
    return told | {lossless.LINES[name]: text for name, text in dumps.items()}


def started(root: Path, one: Switch) -> tuple[SonicSwitch, AbstractContextManager[object]]:
    model = SonicSwitch(root, one.name, one.management)
    model.start(json.dumps(factory(one)))
    return model, nullcontext()


@pytest.fixture
def site(plan: Plan, tmp_path: Path, monkeypatch) -> Iterator[Site[SonicSwitch]]:
    with in_shells(plan, tmp_path, monkeypatch, started, says) as made:
        yield made


def by_hand(model: SonicSwitch, line: str) -> None:
    assert model.shell(AS_ROOT, line.encode(), 20.0).returncode == 0


def test_a_new_site_goes_from_survey_to_pushed_to_read_back(site, plan):
    result = is_pushed(site)
    for model in site.switches.values():
        assert model.held["db"] == hashes(model.startup), "a restart brings what runs"
        assert not model.waits
        assert model.runs["TACPLUS"]["global"]["passkey"] == SECRETS["tacacs_key"]
    looks = ("sonic-cfggen -d --print-data", "docker exec bgp vtysh -c show ")
    again = is_settled(site, lambda model: model.held["calls"], looks)
    other = json.dumps({"TACPLUS": {"global": {"passkey": ANOTHER, "timeout": "9"}}})
    typed = f"echo '{other}' > /host/railbed/x; sonic-cfggen -j /host/railbed/x --write-to-db"
    by_hand(site.switches["spine1"], typed)
    found = survey(site.context, site.transport)
    (different,) = found.differences
    assert different.device == "spine1"
    assert '"passkey": (not shown)' in different.text
    assert "config_db.json (not as it runs)" in different.text
    shown = explained(site.context, site.transport, found)
    told = held(site.context.state_dir) + repr((site.said, result, again, found, shown))
    assert not [value for value in (*SECRETS.values(), ANOTHER) if value in told]


@pytest.mark.full  # EOS and Cumulus Linux have theirs in every run
def test_a_trial_goes_back_by_itself_stays_and_is_taken_away(site, monkeypatch):
    spine = site.switches[SPINE]
    with pytest.raises(DialectError, match="not as SONiC writes it"):
        trial(site, monkeypatch, 40)
    start = spine.startup
    by_hand(spine, "config save -y")
    with pytest.raises(DialectError, match="describes no data port"):
        trial(site, monkeypatch, 40)
    start["PORT"]["Ethernet0"]["description"] = "bench"
    spine.machine.start(json.dumps(start))
    by_hand(spine, "config save -y")
    passes_a_trial(site, monkeypatch, 40, lambda switch: (switch.held["db"], switch.startup))
