"""`switch_services.accounts`: from the site's file to the plan, and what is refused."""

from __future__ import annotations

import pytest

from inventory import InventoryError
from inventory.plan import SwitchAccount
from inventory.switches.abilities import cannot
from tests.switch_configs.sites import DIALECTS, Mapping, small, small_with

OPS = {"name": "ops", "role": "admin"}
CANNOT_SEE = sorted(name for name in DIALECTS if cannot("local accounts", name))


def with_accounts(name: str, *said: Mapping):
    def change(site: Mapping) -> None:
        site["switch_services"]["accounts"] = list(said)

    return small_with(name, change)


def test_what_is_not_said_allows_least():
    (one,) = with_accounts("eos", OPS).switch_services.accounts
    assert one == SwitchAccount("ops", "admin", required=False, ssh_keys=0, devices=("*",))
    assert small("eos").switch_services.accounts == ()


def test_one_login_may_have_a_role_in_each_of_two_groups():
    leaves, spines = (
        OPS | {"devices": ["leaf-*"]},
        OPS | {"role": "operator", "devices": ["spine*"]},
    )
    assert len(with_accounts("eos", leaves, spines).switch_services.accounts) == 2
    with pytest.raises(InventoryError, match="one entry of it for each switch"):
        with_accounts("eos", leaves, OPS | {"devices": ["leaf-p1-r0"]})


def test_switches_of_the_oob_plane_have_accounts_too():
    plan = with_accounts("nxos", OPS | {"devices": sorted(small("nxos").oob_switch)[:1]})
    assert plan.switch_services.accounts


@pytest.mark.parametrize("devices", [["no-such-switch"], ["leaf-*", "node-*"], ["oob1"]])
def test_a_login_of_no_switch_is_refused(devices):
    with pytest.raises(InventoryError, match="expected a switch of the site, or a pattern"):
        with_accounts("eos", OPS | {"devices": devices})


def test_the_way_in_is_of_switches_of_the_site():
    def change(site: Mapping) -> None:
        site["switch_services"]["logins"] = [{"user": "ops"}, {"user": "x", "devices": ["leaf-9*"]}]

    with pytest.raises(InventoryError, match=r"logins\[1\].devices.*a switch of the site") as error:
        small_with("cumulus", change)
    assert len(error.value.problems) == 1


@pytest.mark.parametrize("name", CANNOT_SEE)
def test_where_nobody_can_see_it_a_login_is_refused_with_the_reason(name):
    with pytest.raises(InventoryError, match="no local accounts on") as raised:
        with_accounts(name, OPS)
    refused = cannot("local accounts", name)
    assert refused is not None
    assert refused.why in str(raised.value)


def test_the_systems_that_cannot_are_those_whose_files_hold_no_logins():
    assert CANNOT_SEE == ["linux_frr", "sonic"]
