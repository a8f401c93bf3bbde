"""A class that takes more DSCPs while its own changes: printed, read back and proved everywhere."""

from __future__ import annotations

from typing import Any

import pytest

from switch_configs import intent, render
from switch_configs.intent import SwitchIntent
from switch_configs.readback.wanted import wanted
from tests.switch_configs.sites import DIALECTS, small, small_with
from validation.proof.configuration import proof

SWITCHES = ("leaf-p1-r0", "spine-p1-1", "superspine-g1-1")


def more(site: dict[str, Any]) -> None:
    site["lossless"]["also_dscps"] = [34, 24]
    site["lossless"]["cnp"]["also_dscps"] = [46]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_class_of_several_dscps_is_proved(dialect):
    plan = small_with(dialect, more)
    for name in SWITCHES:
        asked = intent(plan, name)
        assert isinstance(asked, SwitchIntent)
        assert proof(asked, render(plan, name), None).wrong == ()
        classes = {
            one.dscps for port in wanted(asked).ports if port.qos for one in port.qos.classes
        }
        assert {(24, 26, 34), (46, 48)} < classes


def test_the_proof_sees_a_dscp_that_is_missing():
    asked = intent(small_with("sonic", more), SWITCHES[0])
    assert proof(asked, render(small("sonic"), SWITCHES[0]), None).wrong != ()
