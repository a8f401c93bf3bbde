"""A stock site of two rails is rehearsed to its end: every role, every push, every gate, twice.

Its switches are models of the system that the seed draws; NICs are stand-ins that keep state. One
that is plugged otherwise than planned stops at the gate that sees it.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from deploy.rehearsal.flows import totals
from deploy.rehearsal.rehearse import Asked, Rehearsal, rehearse
from deploy.rehearsal.slices import Slice
from deploy.rehearsal.twin_site import make
from inventory.load.site import PROFILES
from tests.labs import lab_name
from tests.shipped import loaded

from .stock import site

pytestmark = [
    pytest.mark.lab,
    pytest.mark.instances(keep=1, files_of="what breaks a real switch goes back"),
    pytest.mark.instances(keep=1, of="rehearsals on machines"),
]
SWITCHES = {
    "cumulus": "sn5600-cumulus",
    "eos": "arista-7060x6-64pe-eos",
    "nxos": "nexus-9364e-sg2-nxos",
    "sonic": "sn5600-sonic",
}
SMALL = Slice(nodes_per_pod=2, spines=2, servers_per_group=1)


def two_rails(folder: Path, switch_profile: str, growth: float = 1.0) -> Path:
    """A site as `init` makes it for HGX H100, of nodes that have two of its rails."""
    made = site(folder, switch_profile=switch_profile, storage="none", growth=growth)
    profile = dict(loaded(PROFILES / "nodes.yml")["hgx-h100"])
    for key in ("rails", "gpus"):
        profile[key] = profile[key][:2]
    profile.pop("acceptance", None)
    (made / "profiles").mkdir()
    (made / "profiles/nodes.yml").write_text(yaml.safe_dump({"two-rails": profile}))
    text = (made / "fabric.yml").read_text()
    (made / "fabric.yml").write_text(text.replace("hgx-h100", "two-rails"))
    return made


def rehearsed(folder: Path, change: Path | None = None, wiring: Path | None = None) -> Rehearsal:
    asked = Asked(str(folder), SMALL, 20, wiring, str(change) if change else "")
    return rehearse(asked, print, keep=False, name=lab_name("twin"))


def logging(folder: Path, change: Path) -> Path:
    """The same site, whose switches log to a server."""
    shutil.copytree(folder, change)
    with (change / "fabric.yml").open("a") as file:
        file.write("switch_services: {syslog: [172.16.3.9]}\n")
    return change


@pytest.mark.instances(keep=1)
@pytest.mark.parametrize("system", sorted(SWITCHES))
def test_a_stock_site_is_rehearsed_to_its_end_with_a_change_and_the_way_back(tmp_path, system):
    site = two_rails(tmp_path / "site", SWITCHES[system])
    found = rehearsed(site, logging(site, tmp_path / "change"))
    assert [(one.title, one.passed) for one in found.acts] == [
        ("the twin boots", True), ("the whole rollout, from nothing", True),
        ("the rollout again", True), ("the change", True), ("the change again", True),
        ("the way back", True),
    ], [one.outcome for one in found.acts]  # fmt: skip
    _, first, again, change, _, back = found.acts
    assert change.changed == back.changed == tuple(sorted(found.twin.plan.switch))
    assert set(first.changed) == set(found.twin.plan.devices)
    assert {one.decision for one in first.waves} == {"go"}
    assert not again.changed
    for act in (change, back):
        assert act.traffic
        assert [one.unknown for one in act.traffic.flows] == [""] * 4
        assert [one.sent > 100 for one in act.traffic.flows] == [True] * 4
        assert not [one for one in act.traffic.flapped if "not known" in one]
        if system == "eos":  # where switches log to is told without a restart
            assert (totals(act.traffic.flows)[1], act.traffic.flapped) == (0, ())
    assert found.exit_code == 0


def test_a_cable_that_is_plugged_otherwise_stops_the_rollout(tmp_path):
    """The cables are those of `wiring.csv`, and what gates say is what is plugged."""
    folder = two_rails(tmp_path / "site", SWITCHES["eos"])
    make(str(folder), tmp_path / "twin", SMALL, 20)
    rows = (tmp_path / "twin/wiring.csv").read_text().splitlines()
    ends = [at for at, row in enumerate(rows) if row.startswith("leaf-p1-r0,") and "spine" in row]
    one, other = (rows[at].split(",") for at in ends[:2])
    one[2:4], other[2:4] = other[2:4], one[2:4]
    rows[ends[0]], rows[ends[1]] = ",".join(one), ",".join(other)
    plugged = tmp_path / "plugged.csv"
    plugged.write_text("\n".join(rows) + "\n")
    found = rehearsed(folder, wiring=plugged)
    assert found.exit_code == 1
    assert not found.acts[-1].passed
    assert "leaf-p1-r0" in found.acts[-1].outcome
