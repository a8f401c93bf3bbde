"""What others build with SONiC beside our own kind of fabric: EVPN, pairs, dumps of Redis."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from switch_configs.intent import ConfigFile, Rendered
from switch_configs.readback.facts import SwitchFacts
from switch_configs.sonic.files import CONFIG_DB
from tests.switch_configs.sonic.plans import SONIC
from tests.switch_configs.sonic.stock import stock

LEAF: dict[str, Any] = {
    "DEVICE_METADATA": {
        "localhost": {
            "hostname": "leaf01",
            "default_bgp_status": "up",
            "docker_routing_config_mode": "split-unified",
        }
    },
    "PORT": {
        f"Ethernet{4 * at}": {
            "admin_status": "up", "alias": f"Eth{at + 1}/1", "index": str(at + 1), "mtu": "9100",
            "lanes": ",".join(str(4 * at + lane) for lane in range(1, 5)), "speed": "100000",
        }
        for at in range(4)
    },
    "BREAKOUT_CFG": {f"Ethernet{4 * at}": {"brkout_mode": "1x100G[40G]"} for at in range(4)},
    "PORTCHANNEL": {f"PortChannel{n}": {"admin_status": "up", "mtu": "9100"} for n in (1, 99)},
    "PORTCHANNEL_MEMBER": {
        "PortChannel1|Ethernet0": {}, "PortChannel99|Ethernet4": {}, "PortChannel99|Ethernet8": {},
    },
    "VLAN": {"Vlan10": {"vlanid": "10", "admin_status": "up", "dhcp_servers": ["192.0.2.9"]}},
    "VLAN_MEMBER": {
        "Vlan10|PortChannel1": {"tagging_mode": "untagged"},
        "Vlan10|PortChannel99": {"tagging_mode": "tagged"},
    },
    "VLAN_INTERFACE": {
        "Vlan10": {"vrf_name": "VrfRed"},
        "Vlan10|198.51.100.1/24": {},
    },
    "INTERFACE": {"Ethernet12": {"vrf_name": "VrfRed"}, "Ethernet12|203.0.113.0/31": {}},
    "VRF": {"VrfRed": {"vni": "10010"}},
    "VXLAN_TUNNEL": {"vtep": {"src_ip": "192.0.2.1"}},
    "VXLAN_EVPN_NVO": {"nvo": {"source_vtep": "vtep"}},
    "VXLAN_TUNNEL_MAP": {"vtep|map_1010_Vlan10": {"vlan": "Vlan10", "vni": "1010"}},
    "MCLAG_DOMAIN": {
        "1": {"source_ip": "192.0.2.1", "peer_ip": "192.0.2.2", "peer_link": "PortChannel99"}
    },
    "MCLAG_INTERFACE": {"1|PortChannel1": {"if_type": "PortChannel"}},
    "DEVICE_NEIGHBOR": {"Ethernet12": {"name": "spine01", "port": "Eth1/1"}},
}  # fmt: skip


def read(tables: dict[str, Any]) -> SwitchFacts:
    file = ConfigFile(CONFIG_DB, json.dumps(tables), "root", "root", "0644", "reload")
    return SONIC.readback(Rendered("leaf01", "sonic", (file,)))


def changed(table: str, **rows: Any) -> dict[str, Any]:
    """The same with other rows in a table; without one that is None."""
    out = copy.deepcopy(LEAF)
    held = {**out.get(table, {}), **rows}
    out[table] = {key: row for key, row in held.items() if row is not None}
    return out


def dump(tables: dict[str, Any]) -> dict[str, Any]:
    """As a dump of Redis has them: rows by `TABLE|KEY`, each with what it is and its end."""
    out = {}
    for table, rows in tables.items():
        for key, row in rows.items():
            fields = {
                f"{name}@" if isinstance(value, list) else name: (
                    ",".join(value) if isinstance(value, list) else value
                )
                for name, value in row.items()
            }
            held = fields or {"NULL": "NULL"}
            out[f"{table}|{key}"] = {
                "type": "hash", "value": held, "ttl": -0.001, "expireat": 1700000000.5,
            }  # fmt: skip
    return out


@pytest.mark.parametrize("tables", [stock(), LEAF], ids=["stock", "leaf"])
def test_a_dump_with_metadata_says_what_the_file_does(tables):
    assert read(dump(tables)) == read(tables)
    flat = {f"{table}|{key}": row for table, rows in tables.items() for key, row in rows.items()}
    assert read(flat) == read(tables)


def test_a_vlan_with_a_vni_keeps_its_gateway_and_table():
    (vlan,) = read(LEAF).vlans
    assert (vlan.id, vlan.vrf, vlan.gateway) == (10, "VrfRed", "198.51.100.1")
    assert {one.name: one.vrf for one in read(LEAF).ports}["Ethernet12"] == "VrfRed"


def test_a_cage_of_four_lanes_is_split_as_its_ports_are():
    assert not [one for one in read(LEAF).hazards if "cage" in one or "lanes" in one]
    wrong = changed("BREAKOUT_CFG", Ethernet4={"brkout_mode": "4x25G"})
    assert "the cage of Ethernet4 is not split as its ports are" in read(wrong).hazards


def test_a_box_with_cages_of_several_kinds_is_judged_by_its_indexes():
    ports = {
        "Ethernet0": {**LEAF["PORT"]["Ethernet0"], "lanes": "1", "speed": "25000", "index": "1"},
        "Ethernet1": {**LEAF["PORT"]["Ethernet0"], "lanes": "2", "speed": "25000", "index": "2"},
        "Ethernet2": {**LEAF["PORT"]["Ethernet0"], "lanes": "5,6,7,8", "index": "3"},
        "Ethernet6": {**LEAF["PORT"]["Ethernet0"], "lanes": "9,10,11,12", "index": "4"},
    }
    modes = {"Ethernet0": "1x25G[10G,1G]", "Ethernet2": "1x100G[40G]"}
    cages = {key: {"brkout_mode": mode} for key, mode in modes.items()}
    tables = {"DEVICE_METADATA": LEAF["DEVICE_METADATA"], "PORT": ports, "BREAKOUT_CFG": cages}
    assert not [one for one in read(tables).hazards if "cage" in one or "indexes" in one]
    ports["Ethernet2"]["index"] = "5"
    assert "indexes of ports do not follow their names" in read(tables).hazards


def test_ipv6_beside_a_gateway_and_time_servers_by_name_are_no_faults():
    tables = changed("VLAN_INTERFACE", **{"Vlan10|2001:db8::1/64": {}})
    tables["NTP_SERVER"] = {"0.pool.example.org": {}, "256.1.1.1": {}}
    found = read(tables)
    assert found.vlans[0].gateway == "198.51.100.1"
    assert [one for one in found.hazards if "server" in one or "Vlan10" in one] == [
        "server '256.1.1.1' is no address"
    ]


def test_mclag_is_a_pair_with_shared_bonds():
    found = read(LEAF)
    assert [(one.number, one.ports, one.shared) for one in found.bonds] == [
        (1, ("Ethernet0",), True)
    ]
    assert found.pair
    assert (found.pair.domain, found.pair.ports) == (1, ("Ethernet4", "Ethernet8"))
    between = [one for one in found.ports if one.name in found.pair.ports]
    assert {(one.vlans, one.bond) for one in between} == {((), None)}
    assert not [one for one in found.hazards if "without a tag" in one or "MC-LAG" in one]


@pytest.mark.parametrize(
    ("table", "rows", "sentence"),
    [
        ("PORTCHANNEL_MEMBER", {"PortChannel99|Ethernet4": None, "PortChannel99|Ethernet8": None},
         "the leaves of MC-LAG domain 1 have no link between them: PortChannel99"),
        ("MCLAG_INTERFACE", {"1|PortChannel7": {"if_type": "PortChannel"}},
         "PortChannel7 is shared with another leaf and is no bond"),
        ("MCLAG_INTERFACE", {"2|PortChannel1": {"if_type": "PortChannel"}},
         "PortChannel1 is of MC-LAG domain 2 as PortChannel, which cannot be"),
        ("MCLAG_DOMAIN", {"2": {"peer_link": "PortChannel99"}},
         "there is no single MC-LAG domain: 1"),
        ("VLAN", {"Vlan10": {"vlanid": "10", "admin_status": "up", "members": ["Ethernet12"]}},
         "Vlan10 names members that its table has not: Ethernet12"),
        ("PORTCHANNEL", {"PortChannel1": {"admin_status": "up", "members": ["Ethernet12"]}},
         "PortChannel1 names members that its table has not: Ethernet12"),
        ("PORT", {"Ethernet0": {**LEAF["PORT"]["Ethernet0"], "alias": "Eth2/1"}},
         "ports Ethernet0 and Ethernet4 have one name in LLDP"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_a_hazard(table, rows, sentence):
    assert sentence not in read(LEAF).hazards
    assert sentence in read(changed(table, **rows)).hazards


@pytest.mark.parametrize(
    ("key", "row"),
    [
        ("PortChannel1", {"esi": "AUTO", "type": "TYPE_3_MAC_BASED"}),
        ("segment", {"ifname": "PortChannel1", "esi": "AUTO", "type": "TYPE_3_MAC_BASED"}),
    ],
)
def test_a_bond_of_an_ethernet_segment_is_shared(key, row):
    alone = {**changed("EVPN_ETHERNET_SEGMENT", **{key: row}), "MCLAG_INTERFACE": {}}
    assert [one.shared for one in read(alone).bonds] == [True]
    assert [one.shared for one in read({**alone, "EVPN_ETHERNET_SEGMENT": {}}).bonds] == [False]


def test_what_no_plan_has_is_known_by_form_and_told():
    found = read(LEAF)
    assert {one.topic for one in found.unread if one.by_form} >= {"EVPN", "MLAG", "neighbours"}
    assert not [one for one in found.unread if not one.by_form]
    odd = read(changed("VXLAN_TUNNEL", vtep={"src_ip": "192.0.2.1", "oddity": "1"}))
    assert [one.topic for one in odd.unread if not one.by_form] == ["EVPN"]


POLICY: dict[str, Any] = {
    "POLICY_BINDING_TABLE": {"CtrlPlane": {"INGRESS_QOS_POLICY": "oob"}},
    "POLICY_TABLE": {"oob": {"TYPE": "QOS"}},
    "POLICY_SECTIONS_TABLE": {"oob|arp": {"SET_POLICER_CIR": "256000"}},
    "CLASSIFIER_TABLE": {"arp": {"ETHER_TYPE": "0x806"}},
}


def test_a_policy_of_the_control_plane_is_beside_the_ports():
    assert not [one for one in read({**LEAF, **POLICY}).unread if not one.by_form]
    on_a_port = {**POLICY["POLICY_BINDING_TABLE"], "Ethernet12": {"INGRESS_QOS_POLICY": "oob"}}
    bound = read({**LEAF, **POLICY, "POLICY_BINDING_TABLE": on_a_port})
    # All but the binding of the control plane: the port has the same policy.
    assert len([one for one in bound.unread if not one.by_form]) == 4
