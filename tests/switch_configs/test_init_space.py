"""What `init` writes is what the switch systems print: the option space, sampled by the seed."""

from __future__ import annotations

import pytest

from deploy.errors import RailbedError
from deploy.switches.printable import must_print
from inventory import open_site
from inventory.starter import CannotBuildError, Wish, starter_text
from inventory.switches.abilities import abilities
from switch_configs import render
from tests.bench.init_space import combinations, judged, shelf


def test_each_combination_is_refused_with_a_reason_or_prints(sampled):
    found = [(one, judged(one)) for one in sampled(combinations(), 12)]
    assert not [(one, said.reason) for one, said in found if said.kind == "contradiction"]
    assert all(said.reason for _, said in found if said.kind == "refused")


def test_a_bridge_without_ports_is_no_line(tmp_path):
    """Of a pair of leaves that only routed servers hang on; ifupdown2 warns of `none`."""
    asked = Wish("x", 1, "hgx-h100", "whitebox-64x800-frr", storage="roce", business="storage")
    (tmp_path / "fabric.yml").write_text(starter_text(asked, shelf()))
    (tmp_path / "asbuilt.csv").write_text("device,port,mac,serial\n")
    plan = open_site(tmp_path)
    empty = [
        one.name for one in plan.switches if one.vlans and not any(port.vlans for port in one.ports)
    ]
    assert empty
    for name in empty:
        texts = "".join(file.text for file in render(plan, name).files)
        assert "bridge-vlan-aware yes" in texts
        assert "bridge-ports" not in texts
    must_print(plan)


REFUSED = [
    (Wish("x", 1, "hgx-h100", "nexus-9364e-sg2-nxos", storage="roce", business="storage"), "own"),
    (Wish("x", 2, "lab-node", "nexus-9348gc-fx3-nxos"), "0.2 Gb/s"),
    (Wish("x", 2, "hgx-h100", "sn5600-sonic", storage="roce", business="storage"), "own"),
]


@pytest.mark.parametrize(("asked", "expected"), REFUSED)
def test_what_no_switch_system_prints_is_refused_before(asked, expected):
    with pytest.raises(CannotBuildError, match=expected):
        starter_text(asked, shelf())
    assert judged(asked).kind == "refused"


def test_the_inventory_knows_the_rates_of_the_systems():
    """The words of NVUE and EOS are lists of their folders; NX-OS has its grammar's."""
    from switch_configs.cumulus.values import _SPEEDS
    from switch_configs.eos.speeds import _RATES_GBPS

    rates = {name: said.rates.rates_gbps for name, said in abilities().items() if said.rates}
    assert rates["cumulus"] == tuple(_SPEEDS)
    assert rates["eos"] == _RATES_GBPS


def test_check_says_what_a_system_refuses_and_of_how_many(tmp_path):
    """What no rule of the inventory knows yet is found by printing one switch of each kind."""
    asked = Wish("x", 2, "hgx-h100", "sn5600-cumulus")
    text = starter_text(asked, shelf())
    text += "raw:\n  - {devices: ['leaf-*'], section: system, lines: ['{'], reason: a test}\n"
    (tmp_path / "fabric.yml").write_text(text)
    (tmp_path / "asbuilt.csv").write_text("device,port,mac,serial\n")
    with pytest.raises(RailbedError, match=r"leaf-p1-r0: .* and 7 like it"):
        must_print(open_site(tmp_path))
