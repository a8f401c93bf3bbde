"""pod-256 and superpod-10k in all five systems: rendered, read back, and in their language."""

from __future__ import annotations

import pytest

from inventory.plan import OobSwitch, Plan, Switch
from switch_configs import dialects, intent, render, without_raw
from tests.switch_configs.sites import shipped
from validation.proof.configuration import proof

# Every so many switches; switches that are alike differ in names and numbers only.
EVERY = {"pod-256": 3, "superpod-10k": 29}


def sample(plan: Plan, name: str, every: int) -> list[Switch | OobSwitch]:
    every_one: list[Switch | OobSwitch] = [*plan.switches, *plan.oob_switches]
    own = [one for one in every_one if one.dialect == name]
    kinds: dict[tuple[str, str], Switch | OobSwitch] = {(one.tier, one.profile): one for one in own}
    return [*kinds.values(), *own[::every]]


@pytest.mark.parametrize("name", dialects())
def test_every_kind_of_switch_of_a_pod_is_proved(name):
    must_be_proved("pod-256", name)


@pytest.mark.instances(keep=1)
@pytest.mark.parametrize("name", dialects())
def test_every_kind_of_switch_of_a_superpod_is_proved(name):
    """Its tiers are those of the small site, which each run renders in every system."""
    must_be_proved("superpod-10k", name)


def must_be_proved(site: str, name: str) -> None:
    plan = shipped(site, name)
    assert {one.dialect for one in plan.switches} == {name}
    chosen = sample(plan, name, EVERY[site])
    assert {one.tier for one in chosen} >= {one.tier for one in plan.switches}
    for switch in chosen:
        found = proof(
            intent(plan, switch.name), render(plan, switch.name), without_raw(plan, switch.name)
        )
        assert (found.wrong, found.unproved) == ((), ()), switch.name
