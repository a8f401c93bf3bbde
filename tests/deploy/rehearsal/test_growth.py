"""A node that comes is rehearsed: it is off until the change, and nobody else notices it."""

from __future__ import annotations

import shutil

import pytest

from deploy.rehearsal.flows import totals
from deploy.rehearsal.rehearse import Asked, rehearse
from tests.labs import lab_name

from .test_rehearse import SWITCHES, two_rails

pytestmark = [
    pytest.mark.lab,
    pytest.mark.instances(keep=1, files_of="what breaks a real switch goes back"),
]


def test_a_third_node_comes_under_the_traffic_of_the_others(tmp_path):
    folder = two_rails(tmp_path / "site", SWITCHES["eos"], growth=2.0)
    text = (folder / "fabric.yml").read_text()
    shutil.copytree(folder, tmp_path / "later")
    grown = text.replace("\n  nodes_per_pod: 2\n", "\n  nodes_per_pod: 3\n")
    (tmp_path / "later/fabric.yml").write_text(grown)
    asked = Asked(str(folder), most_machines=20, change=str(tmp_path / "later"))
    found = rehearse(asked, print, keep=False, name=lab_name("tgrow"))
    assert found.exit_code == 0, [one.outcome for one in found.acts]
    boots, first, _, change, _, back = found.acts
    assert "node-p1-3 off until the change" in boots.outcome
    assert "node-p1-3" not in first.changed
    assert {"node-p1-3", "leaf-p1-r0", "leaf-p1-r1"} <= set(change.changed)
    assert {"leaf-p1-r0", "leaf-p1-r1"} <= set(back.changed)
    for act in (change, back):
        assert act.traffic
        assert [one.unknown for one in act.traffic.flows] == [""] * 4
        assert totals(act.traffic.flows)[1] == 0
