"""Which lines switch off what the plan uses, in the words of each system."""

from __future__ import annotations

import pytest

from inventory import open_site
from inventory.plan import Switch
from switch_configs.changes.off import switched_off

SWITCH: Switch = open_site("lab").switch["leaf-p1-r0"]
PORT, KEY = SWITCH.ports[0].name, SWITCH.sessions[0].key
FREE = "swp99"


@pytest.mark.parametrize(
    ("chain", "is_off"),
    [
        ((f"interface {PORT}", "shutdown"), True),
        ((f"interface {PORT}", "no shutdown"), False),
        ((f"interface {PORT}.300", "shutdown"), True),
        ((f"interface {FREE}", "shutdown"), False),
        ((f"interface {PORT}", "description shutdown"), False),
        ((f"interface {PORT}", "storm-control action shutdown"), False),
        (("router bgp 65001", f"neighbor {KEY} shutdown"), True),
        (("router bgp 65001", f"neighbor {KEY} shutdown message why"), True),
        (("router bgp 65001", f"neighbor {KEY} description shutdown"), False),
        (("interface", PORT, "link", "state", "down", "{}"), True),
        (("interface", PORT, "link", "state", "up", "{}"), False),
        (("interface", FREE, "link", "state", "down", "{}"), False),
        (("PORT", PORT, "admin_status", '"down"'), True),
        (("PORT", PORT, "admin_status", '"up"'), False),
        (("router", "bgp", "neighbor", KEY, "shutdown", '"on"'), True),
        (("router bgp 65001", "shutdown"), True),
        (("router bgp 65001", "vrf users", "shutdown"), True),
        (("router bgp 65001", "bgp shutdown message of a neighbor"), True),
        (("router bgp 65001", "neighbor up shutdown"), True),
        (("router bgp 65001", "template peer up", "shutdown"), True),
        (("router bgp 65001", "neighbor 192.0.2.9", "shutdown"), False),
        (("router bgp 65001", f"neighbor {FREE} shutdown"), False),
        (("interface Loopback0", "shutdown"), True),
        (("interface", "lo", "link", "state", "down", "{}"), True),
        ((f"interface {SWITCH.management.port}", "shutdown"), True),
        (("management ssh", "shutdown"), False),
        ((f"interface {PORT}", "description its state down below"), False),
    ],
)
def test_a_line_switches_off_a_planned_port_or_session(chain, is_off):
    assert switched_off([chain], SWITCH) == ([chain] if is_off else [])


def test_the_interface_of_a_planned_vlan_is_used():
    leaf = next(one for one in open_site("pod-256").switches if one.vlans)
    chain = (f"interface Vlan{leaf.vlans[0].id}", "shutdown")
    assert switched_off([chain, ("interface Vlan4000", "shutdown")], leaf) == [chain]
