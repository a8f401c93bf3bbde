"""The interfaces of nodes: rows of the inventory, and what each network tool is told of them."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from pathlib import Path
from typing import Any

import pytest
import yaml

from inventory import open_site
from inventory.nodes.host_interfaces import LONGEST_NAME, interfaces, is_ours
from inventory.nodes.host_network import network_vars
from inventory.nodes.hostvars import vars_for
from inventory.plan import Node
from roles.pyinfra_role import text_of

from . import interfaces as every_kind
from .owned import read, rows

GOLDEN = Path(__file__).parents[1] / "golden" / "interfaces"
TOOLS = ("ifupdown2", "netplan", "networkd", "networkmanager")
POD = open_site("pod-256")
# A GPU node, a storage server, a login node with a bond, and one with all there is.
NODES: dict[str, Node] = {
    **{name: POD.node[name] for name in ("mgmt-01", "node-p1-01", "store-01")},
    "every-kind": every_kind.node(),
}
# What neither tool nor node changes, or what the devices are told.
ELSEWHERE = re.compile(
    r"railbed-network|railbed-.*service|applied\.j2|.*roce-nic.*|udev.*|vendor.*"
)


def told(node: Node, tool: str) -> dict[str, str]:
    """Every file of a node that speaks of its interfaces, by path."""
    host = vars_for(POD, node.name) | network_vars(node) | {"roce_nic_network_tool": tool}
    values = {name: value for name, value in host.items() if name.startswith("roce_nic_")}
    return {
        row["path"]: text_of("roce_nic", row["src"], {**values, **row["more"]})
        for row in rows(read("roce_nic", "meta/owns.yml")["files"], values)
        if not ELSEWHERE.fullmatch(row["src"])
    }


def as_golden(files: dict[str, str]) -> str:
    return "".join(f"===== {path}\n{text}" for path, text in sorted(files.items()))


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("name", NODES)
def test_every_tool_is_told_what_it_was(name, tool):
    """RAILBED_GOLDEN=1 writes them anew: look at the difference."""
    text, path = as_golden(told(NODES[name], tool)), GOLDEN / f"{name}.{tool}.txt"
    if os.environ.get("RAILBED_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert path.read_text() == text


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("name", NODES)
def test_no_file_speaks_of_the_management_port(name, tool):
    text = as_golden(told(NODES[name], tool))
    assert NODES[name].management.port not in re.split(r"[^A-Za-z0-9]+", text)


@pytest.mark.parametrize("name", NODES)
def test_every_tool_is_told_the_same(name):
    """Addresses, routes and rules, read by another hand from what each tool is told."""
    wanted = rows_of(network_vars(NODES[name])["roce_nic_interfaces"])
    assert len(wanted) >= 4
    for tool, reader in READERS.items():
        assert reader(told(NODES[name], tool)) == wanted, tool


Facts = set[tuple[str, ...]]


def rows_of(interfaces: Any) -> Facts:
    found: Facts = set()
    for one in interfaces:
        name = one["name"]
        found.add(("mtu", name, str(one["ip_mtu_bytes"])))
        found |= {("address", name, one["address"])} if one["address"] else set()
        found |= {("bond", name, one["bond"])} if one["bond"] else set()
        found |= {("vlan", name, one["parent"], str(one["vlan"]))} if one["parent"] else set()
        for way in one["routes"]:
            table = str(way["table"] or 254)
            found.add(("route", name, way["to"], way["via"], table, str(way["metric"])))
        for rule in one["rules"]:
            found.add(("rule", name, rule["source"], str(rule["table"]), str(rule["priority"])))
    return found


def of_netplan(files: dict[str, str]) -> Facts:
    network = yaml.safe_load(files["/etc/netplan/60-railbed.yaml"])["network"]
    assert (network["version"], network["renderer"]) == (2, "networkd")
    found: Facts = set()
    for kind in ("ethernets", "bonds", "vlans"):
        for name, one in network.get(kind, {}).items():
            found.add(("mtu", name, str(one["mtu"])))
            found |= {("address", name, text) for text in one.get("addresses", ())}
            found |= {("bond", member, name) for member in one.get("interfaces", ())}
            found |= {("vlan", name, one["link"], str(one["id"]))} if "link" in one else set()
            for way in one.get("routes", ()):
                table, metric = str(way.get("table", 254)), str(way.get("metric", 0))
                found.add(("route", name, way["to"], way["via"], table, metric))
            for rule in one.get("routing-policy", ()):
                found.add(("rule", name, rule["from"], str(rule["table"]), str(rule["priority"])))
    return found


def sections(text: str) -> list[tuple[str, dict[str, str]]]:
    """Sections of an INI file in their order; of a key that comes twice, `key.2`."""
    found: list[tuple[str, dict[str, str]]] = []
    for line in filter(None, text.splitlines()):
        if line.startswith("["):
            found.append((line.strip("[]"), {}))
        elif not line.startswith("#"):
            key, _, value = line.partition("=")
            found[-1][1][key if key not in found[-1][1] else f"{key}.2"] = value
    return found


def of_networkd(files: dict[str, str]) -> Facts:
    found: Facts = set()
    parents: dict[str, str] = {}
    vlans: dict[str, str] = {}
    for path, text in files.items():
        parts = sections(text) if path.startswith("/etc/systemd/network/") else []
        if path.endswith(".netdev"):
            device = dict(parts)
            if device["NetDev"]["Kind"] == "vlan":
                vlans[device["NetDev"]["Name"]] = device["VLAN"]["Id"]
        if not path.endswith(".network"):
            continue
        name = dict(parts)["Match"]["Name"]
        found.add(("mtu", name, dict(parts)["Link"]["MTUBytes"]))
        network = dict(parts)["Network"]
        assert (network["DHCP"], network["IgnoreCarrierLoss"]) == ("no", "yes")
        found |= {("address", name, network["Address"])} if "Address" in network else set()
        found |= {("bond", name, network["Bond"])} if "Bond" in network else set()
        parents |= {value: name for key, value in network.items() if key.startswith("VLAN")}
        for kind, one in parts:
            if kind == "Route":
                table, metric = one.get("Table", "254"), one.get("Metric", "0")
                found.add(("route", name, one["Destination"], one["Gateway"], table, metric))
            if kind == "RoutingPolicyRule":
                found.add(("rule", name, one["From"], one["Table"], one["Priority"]))
    return found | {("vlan", name, parents[name], number) for name, number in vlans.items()}


def of_networkmanager(files: dict[str, str]) -> Facts:
    found: Facts = set()
    for path, text in files.items():
        if not path.endswith(".nmconnection"):
            continue
        said = dict(sections(text))
        name, ip = said["connection"]["interface-name"], said.get("ipv4", {})
        found.add(("mtu", name, said["ethernet"]["mtu"]))
        if "master" in said["connection"]:
            found.add(("bond", name, said["connection"]["master"]))
        if "vlan" in said:
            found.add(("vlan", name, said["vlan"]["parent"], said["vlan"]["id"]))
        found |= {("address", name, ip["address1"])} if "address1" in ip else set()
        if "gateway" in ip:
            found.add(("route", name, "0.0.0.0/0", ip["gateway"], "254", ip["route-metric"]))
        for key in [key for key in ip if re.fullmatch(r"route\d+", key)]:
            table = ip.get(f"{key}_options", "table=254").removeprefix("table=")
            to, via, metric = ip[key].split(",")
            found.add(("route", name, to, via, table, metric))
        for key in [key for key in ip if key.startswith("routing-rule")]:
            _, priority, _, source, _, table = ip[key].split()
            found.add(("rule", name, source, table, priority))
    return found


def of_ifupdown2(files: dict[str, str]) -> Facts:
    """Rules and routes are the program's, which has them from its own file."""
    found: Facts = set()
    name = parent = ""
    calls = set()
    for line in files["/etc/network/interfaces.d/railbed.intf"].splitlines():
        word, _, rest = line.strip().partition(" ")
        if word == "iface":
            name = rest
        found |= {(word, name, rest)} if word in ("mtu", "address") else set()
        found |= {("bond", one, name) for one in rest.split() if word == "bond-slaves"}
        if word == "vlan-raw-device":
            parent = rest
        found |= {("vlan", name, parent, rest)} if word == "vlan-id" else set()
        calls |= {rest.split()[-1]} if word == "post-up" else set()
    by_hand = of_program(files)
    assert calls == {port for _, port, *_ in by_hand}
    return found | by_hand


def of_program(files: dict[str, str]) -> Facts:
    found: Facts = set()
    for line in files["/etc/railbed/network"].splitlines():
        kind, name, *rest = line.split()
        if kind == "rule":
            priority, source, table = rest
            found.add(("rule", name, source, table, priority))
        if kind == "route":
            table, to, via, metric = rest
            to, table = to.replace("default", "0.0.0.0/0"), table.replace("main", "254")
            found.add(("route", name, to, via, table, metric))
    return found


READERS = {
    "ifupdown2": of_ifupdown2,
    "netplan": of_netplan,
    "networkd": of_networkd,
    "networkmanager": of_networkmanager,
}


def test_files_that_hold_profiles_are_for_root_alone():
    """netplan warns of others, NetworkManager reads none (nm-settings-keyfile(5))."""
    modes = {row["path"].rpartition(".")[2]: row["mode"] for row in owned_rows()}
    assert (modes["yaml"], modes["nmconnection"]) == ("0600", "0600")


def owned_rows() -> list[dict[str, Any]]:
    return list(read("roce_nic", "meta/owns.yml")["files"])


# -- rows of the inventory ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "pci", "ours"),
    [
        ("rail0", "0000:18:00.0", True),
        ("sto1", "0000:29:00.0", True),
        ("rail0", None, False),
        ("enp24s0np0", "0000:18:00.0", False),
        ("ens1f0np0", "0000:18:00.0", False),
        ("eno3", "0000:18:00.0", False),
        ("enx0250c2000001", "0000:18:00.0", False),
        ("eth4", "0000:18:00.0", False),
        ("ether", "0000:18:00.0", True),
        ("engine0", "0000:18:00.0", True),
    ],
)
def test_a_nic_is_named_by_us_where_nobody_else_would(name, pci, ours):
    assert is_ours(name, pci) is ours


def test_no_nic_of_the_sites_is_named_by_us_and_all_are_with_names_of_ours():
    for node in POD.nodes:
        assert not [one for one in interfaces(node) if one.pci]
    named = [one.name for one in interfaces(every_kind.node()) if one.pci]
    assert named == [f"rail{number}" for number in range(8)]


def test_a_vlan_over_a_long_name_still_has_a_name_that_linux_takes():
    node = POD.node["mgmt-01"]
    [users] = node.vlans
    tagged = replace(users, interface="enp170s0f1np1", vlan=4094, tagged=True)
    found = interfaces(replace(node, vlans=(users, tagged)))
    assert [one.name for one in found if one.kind == "vlan"] == ["biz.4094"]
    assert all(len(one.name) <= LONGEST_NAME for one in found)


def test_of_two_vlans_the_one_that_leads_out_has_the_default_route():
    bond, vlan = interfaces(every_kind.node())[-2:]
    assert (bond.kind, bond.vlans, vlan.parent) == ("bond", ("bond-biz.301",), "bond-biz")
    assert [str(one.to) for one in bond.routes] == ["0.0.0.0/0"]
    assert [str(one.to) for one in vlan.routes] == ["10.97.0.0/18"]


def test_a_vlan_that_is_one_subnet_needs_no_route():
    node = every_kind.node()
    inside = replace(
        node.vlans[1],
        address=IPv4Interface("10.97.0.11/18"),
        gateway=IPv4Address("10.97.0.1"),
        prefix=IPv4Network("10.97.0.0/18"),
    )
    found = interfaces(replace(node, vlans=(node.vlans[0], inside)))
    assert found[-1].routes == ()


def test_tables_rules_and_profiles_are_one_interfaces_own():
    for node in (*POD.nodes, every_kind.node()):
        found = interfaces(node)
        rules = [rule for one in found for rule in one.rules]
        assert len({one.table for one in rules}) == len(rules)
        assert len({one.priority for one in rules}) == len(rules)
        assert len({one.uuid for one in found}) == len(found)
    every = [one.uuid for node in POD.nodes for one in interfaces(node)]
    assert len(set(every)) == len(every)


def test_the_kernel_has_room_for_every_route_of_the_main_table():
    """One destination and metric is one route: a second NIC's would take the first's place."""
    for node in (*POD.nodes, every_kind.node()):
        ways = [(one.to, one.metric, one.table) for port in interfaces(node) for one in port.routes]
        assert len(set(ways)) == len(ways), node.name


def test_kernel_parameters_are_those_of_nics_with_a_table():
    found = json.dumps(network_vars(POD.node["mgmt-01"])["roce_nic_sysctls"])
    assert "ens1f0np0.ignore_routes_with_linkdown" in found
    assert "bond-biz" not in found
    rails = network_vars(every_kind.node())["roce_nic_sysctls"]
    assert isinstance(rails, dict)
    assert {name: rails[name] for name in rails if ".rail0." in name} == {
        "net.ipv4.conf.rail0.arp_announce": 2,
        "net.ipv4.conf.rail0.arp_ignore": 1,
        "net.ipv4.conf.rail0.rp_filter": 2,
    }
