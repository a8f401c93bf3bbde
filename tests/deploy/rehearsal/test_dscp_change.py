"""Another DSCP goes to a twin in three plans and back in three, and no packet is lost by them."""

from __future__ import annotations

import shutil

import pytest

from deploy.rehearsal.flows import totals
from deploy.rehearsal.rehearse import Asked, rehearse
from tests.labs import lab_name

from .test_rehearse import SWITCHES, two_rails

pytestmark = [pytest.mark.lab, pytest.mark.full]


@pytest.mark.parametrize("system", sorted(SWITCHES))
def test_another_dscp_is_three_plans_there_and_three_back(tmp_path, system):
    folder, later = two_rails(tmp_path / "site", SWITCHES[system]), tmp_path / "later"
    shutil.copytree(folder, later)
    text = (folder / "fabric.yml").read_text()
    (later / "fabric.yml").write_text(text.replace("  dscp: 26\n", "  dscp: 34\n", 1))
    asked = Asked(str(folder), change=str(later))
    found = rehearse(asked, print, keep=False, name=lab_name("tdscp"))
    assert found.exit_code == 0, [one.outcome for one in found.acts]
    moved = [one for one in found.acts if "plan" in one.title]
    assert [one.title.partition(" (")[0] for one in moved] == [
        f"{what}, plan {number} of 3" for what in ("the change", "the way back")
        for number in (1, 2, 3)
    ]  # fmt: skip
    everybody = {*found.twin.plan.node, *found.twin.plan.switch}
    for number, act in enumerate(moved):
        assert act.traffic
        assert not [one.unknown for one in act.traffic.flows if one.unknown]
        # Hosts alone go over to another mark, in the second plan of each way.
        assert {*act.changed} == (everybody if number % 3 != 1 else {*found.twin.plan.node})
        if system == "eos":  # whose classes change without a restart
            assert totals(act.traffic.flows)[1] == 0
