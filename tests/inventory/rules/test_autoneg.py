"""`copper_autoneg` of a switch profile: to copper ports of the plan, and to no other."""

from __future__ import annotations

import pytest

from inventory import InventoryError, open_site
from inventory.plan import Plan
from inventory.topology.media import medium
from tests import broken


@pytest.fixture
def site(tmp_path):
    """A site of Cumulus switches: what leaves and spines say, and the metres between them."""

    def make(leaf: str, spine: str, metres: int) -> Plan:
        folder = broken.site("copper_autoneg", tmp_path / "site")
        path = folder / "profiles/switches.yml"
        text = path.read_text().replace("dialect: eos", "dialect: cumulus")
        text = text.replace('"4.36.0F"', '"5.14.0"')
        # The leaf's stands first.
        first, last = text.split("copper_autoneg: false")
        path.write_text(first + leaf + last.replace("copper_autoneg: true", spine))
        path = folder / "fabric.yml"
        path.write_text(path.read_text().replace("leaf_spine: 2}", f"leaf_spine: {metres}}}"))
        return open_site(folder)

    return make


def said(plan: Plan) -> dict[str, set[bool | None]]:
    """What ports say, by the medium of their cables."""
    found: dict[str, set[bool | None]] = {}
    for switch in plan.switches:
        for port in switch.ports:
            kind = medium(port.rate_gbps, port.cable_m, port.ways)
            found.setdefault(kind, set()).add(port.autoneg)
    return found


YES, NO, SILENT = "copper_autoneg: true", "copper_autoneg: false", "rack_units: 1"


def test_copper_alone_negotiates(site):
    plan = site(YES, YES, 30)
    assert said(plan) == {"DAC": {True}, "MMF": {None}}


def test_every_end_of_copper_does(site):
    assert said(site(YES, YES, 2)) == {"DAC": {True}}


def test_what_is_not_said_is_left_to_the_system(site):
    assert said(site(SILENT, SILENT, 2)) == {"DAC": {None}}


@pytest.mark.parametrize(("leaf", "spine"), [(YES, SILENT), (SILENT, YES), (SILENT, NO)])
def test_one_end_alone_is_refused(site, leaf, spine):
    with pytest.raises(InventoryError, match="at the other end of its copper"):
        site(leaf, spine, 2)


def test_over_fibre_the_ends_need_not_agree(site):
    assert said(site(YES, SILENT, 30))["MMF"] == {None}


def test_a_leaf_that_does_not_negotiate_with_nics_is_refused(site):
    with pytest.raises(InventoryError, match="railbed sets no autonegotiation of NICs"):
        site(NO, NO, 30)
