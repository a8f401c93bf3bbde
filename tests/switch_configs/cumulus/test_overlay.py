"""What others build with NVUE beside our own kind of fabric: EVPN, split cages, stores of trees."""

from __future__ import annotations

import pytest

from switch_configs import dialect
from switch_configs.cumulus.parse import configuration
from switch_configs.intent import ConfigFile, Rendered
from switch_configs.readback.facts import HeadroomFacts, PermitFacts, SwitchFacts

TREE = """\
bridge: {domain: {br_default: {vlan: {'10': {vni: {'10010': {}}}, '20': {}}}}}
evpn: {enable: on}
interface:
  bond1:
    bond: {member: {swp1s0: {}}}
    bridge: {domain: {br_default: {access: 10}}}
    evpn: {multihoming: {segment: {enable: on, local-id: 1, mac-address: '44:38:39:BE:EF:AA'}}}
    type: bond
  lo: {ip: {address: {192.0.2.1/32: {}}}, type: loopback}
  swp1: {link: {breakout: {2x: {}}}, type: swp}
  swp1s0-1: {qos: {pfc-watchdog: {state: enabled}}, type: swp}
  vlan10:
    ip:
      address: {198.51.100.2/24: {}}
      vrf: RED
      vrr: {address: {198.51.100.1/24: {}}, state: {up: {}}}
    type: svi
    vlan: 10
qos: {roce: {enable: on}}
router:
  bgp: {autonomous-system: 65001, enable: on}
  vrr: {enable: on}
  policy:
    prefix-list: {ALL: {rule: {'10': {action: permit, match: {any: {}}}}}}
vrf:
  RED: {}
  default:
    router:
      bgp:
        enable: on
        neighbor:
          192.0.2.9: {peer-group: overlay, type: numbered}
        peer-group:
          overlay:
            address-family: {ipv4-unicast: {enable: off}, l2vpn-evpn: {enable: on}}
            remote-as: internal
"""
FORMS = {
    "bare": TREE,
    "set": "- set:\n" + "".join(f"    {line}\n" for line in TREE.splitlines()),
    "mapping": "set:\n" + "".join(f"  {line}\n" for line in TREE.splitlines()),
}


def read(text: str) -> SwitchFacts:
    file = ConfigFile("/etc/nvue.d/startup.yaml", text, "root", "root", "0600", "none")
    return dialect("cumulus").readback(Rendered("leaf01", "cumulus", (file,)))


@pytest.mark.parametrize("form", FORMS)
def test_vlans_with_a_vni_keep_their_gateway(form):
    found = read(FORMS[form])
    (red, plain) = found.vlans
    assert (red.id, red.vrf, red.gateway, plain.id) == (10, "RED", "198.51.100.1", 20)
    assert not [one for one in found.hazards if "VLAN" in one or "gateway" in one]


def test_a_split_cage_is_no_port_and_its_parts_are():
    found = read(TREE)
    assert not [one for one in found.hazards if "watchdog" in one]
    without = read(
        TREE.replace("{qos: {pfc-watchdog: {state: enabled}}, type: swp}", "{type: swp}")
    )
    said = [one for one in without.hazards if one.endswith("has PFC and no watchdog")]
    assert said == [f"{name} has PFC and no watchdog" for name in ("swp1s0", "swp1s1")]


def test_a_bond_of_an_ethernet_segment_is_shared():
    assert [one.shared for one in read(TREE).bonds] == [True]
    off = read(TREE.replace("segment: {enable: on", "segment: {enable: off"))
    assert [one.shared for one in off.bonds] == [False]


def test_a_session_for_the_overlay_alone_lacks_nothing():
    assert not [one for one in read(TREE).hazards if "IPv4" in one or "lacks a policy" in one]
    closed = read(TREE.replace("l2vpn-evpn: {enable: on}", "l2vpn-evpn: {enable: off}"))
    assert "peer group overlay has no IPv4" in closed.hazards


def test_any_is_every_prefix():
    text = TREE.replace(
        "    prefix-list:",
        "    route-map: {A: {rule: {'10': {action: {permit: {}}, match: {ip-prefix-list: ALL}}}}}\n"
        "    prefix-list:",
    )
    found = read(text)
    assert found.policies[0].permits == (PermitFacts("0.0.0.0/0", 0, 32),)
    assert not [one for one in found.hazards if "prefix" in one]


@pytest.mark.parametrize("unit", ["", " B"])
def test_a_buffer_that_is_said_stands_in_place_of_a_cable(unit):
    sizes = f"port-buffer: 363000{unit}, xoff-size: 18000{unit}, xon-size: 19000{unit}"
    more = f"qos: {{roce: {{enable: on}}, pfc: {{default-global: {{{sizes}}}}}}}"
    found = read(TREE.replace("qos: {roce: {enable: on}}", more))
    qos = next(one.qos for one in found.ports if one.name == "swp1s0")
    assert qos
    assert (qos.cable_m, qos.headroom) == (None, HeadroomFacts(19_000, 18_000, 363_000))
    assert qos.pfc_priorities == (3,)
    part = read(TREE.replace("qos: {roce: {enable: on}}", more.replace("xon-size", "xon-sise")))
    assert {str(one) for one in part.unread} >= {"QoS: qos pfc *"}


def test_a_tree_alone_is_a_configuration_for_diff_too():
    assert configuration(TREE)[1] == configuration(FORMS["set"])[1]


def test_what_no_plan_has_is_known_by_form_and_told():
    found = read(TREE)
    assert {one.topic for one in found.unread} >= {"EVPN"}
    assert not [one for one in found.unread if not one.by_form]
    odd = read(TREE.replace("\nevpn: {enable: on}", "\nevpn: {enable: on, oddity: x}"))
    assert [str(one) for one in odd.unread if not one.by_form] == ["EVPN: evpn *"]


def test_the_default_table_may_say_who_the_switch_is():
    text = TREE.replace("bgp: {autonomous-system: 65001, enable: on}", "bgp: {enable: on}")
    own = "  default:\n    router:\n      bgp:\n        autonomous-system: 65009\n"
    found = read(text.replace("  default:\n    router:\n      bgp:\n", own))
    assert (read(text).asn, found.asn) == (None, 65009)


def test_the_way_out_of_management_may_be_a_route():
    port = "  eth0: {ip: {address: {192.0.2.20/24: {}}, vrf: mgmt}, type: eth}\n  lo:"
    route = "vrf:\n  mgmt: {router: {static: {0.0.0.0/0: {via: {192.0.2.254: {type: TYPE}}}}}}\n"
    text = TREE.replace("  lo:", port).replace("vrf:\n  RED", route + "  RED")
    for kind, gateway in (("ipv4-address", "192.0.2.254"), ("interface", None)):
        found = read(text.replace("TYPE", kind))
        assert found.services.management_gateway == gateway


SHOWN = """\
- header:
    model: SN5600
    nvue-api-version: nvue_v1
    rev-id: 1.0
    version: Cumulus Linux 5.14.0
- set:
    interface:
      swp1:
        router:
          adaptive-routing: {enable: on}
    qos:
      pfc:
        default-global: {switch-priority: {'3': {}}, tx: enable, rx: enable, cable-length: 40}
    router:
      adaptive-routing: {enable: on}
"""


@pytest.mark.parametrize("text", [SHOWN, "set:" + SHOWN.partition("- set:")[2]])
def test_a_snippet_of_pfc_and_adaptive_routing_is_read(text):
    found = read(text)
    (port,) = (one for one in found.ports if one.name == "swp1")
    assert port.qos
    assert (port.qos.pfc_priorities, port.qos.cable_m, port.adaptive_routing) == ((3,), 40, True)
    assert not found.unread


@pytest.mark.parametrize(("name", "count"), [("br_default", 0), ("br_other", 1)])
def test_the_bridge_that_is_always_there_need_not_be_defined(name, count):
    text = f"interface: {{swp1: {{bridge: {{domain: {{{name}: {{access: 1}}}}}}, type: swp}}}}\n"
    assert len([one for one in read(text).hazards if "not defined" in one]) == count
