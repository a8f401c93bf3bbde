"""Files of netplan are read together, as netplan-generate(8) merges them."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from validation.audit.box import text_of
from validation.audit.hosts.host import Host, host

from . import bundle

PORTS = """network:
  version: 2
  ethernets:
    ens1: {mtu: 1500, addresses: [10.16.0.1/31], nameservers: {search: [a]}}
    ens9: {match: {macaddress: "00:00:5e:00:53:01"}}
"""
BOND = """network:
  bonds:
    bond0:
      interfaces: [%s]
      mtu: 9000
"""
LATER = """network:
  ethernets:
    ens1:
      mtu: 9000
      addresses: [10.16.9.1/31]
    ens9: {set-name: rail2}
"""


def read(texts: Mapping[str, str]) -> Host:
    texts = {"/show_gids": bundle.GIDS, **texts}
    found = host("x", {path: text_of(f"x{path}", text) for path, text in texts.items()})
    assert found
    return found


def facts(texts: Mapping[str, str], name: str) -> tuple[object, ...]:
    nic = read(texts).nic(name)
    return (nic.mtu_bytes, nic.addresses, nic.bond) if nic else ()


def why(texts: Mapping[str, str]) -> list[str]:
    return [f"{file} {one}" for file, one in read(texts).facts.unread]


def etc(*some: str) -> dict[str, str]:
    return {f"/etc/netplan/{at}0.yaml": text for at, text in enumerate(some, 1)}


def test_a_bond_of_ports_in_a_file_before_it():
    texts = etc(PORTS, BOND % "ens1, ens9", LATER)
    assert why(texts) == []
    assert facts(texts, "ens1") == (9000, ("10.16.0.1/31", "10.16.9.1/31"), "bond0")
    assert facts(texts, "rail2")[-1] == "bond0"
    assert facts(texts, "ens9") == ()
    places = read(texts).facts.places
    assert places["ens1.mtu_bytes"] == "x/etc/netplan/30.yaml:4"
    assert places["ens1.bond"] == "x/etc/netplan/20.yaml:4"


def test_a_bond_before_its_ports_is_refused_as_by_netplan():
    (told,) = why(etc(BOND % "ens1", PORTS))
    assert told.startswith("x/etc/netplan/10.yaml")
    assert "ens1, which is not there, nor in a file before" in told


@pytest.mark.parametrize(
    "kind",
    ["bonds", "bridges", "dummy-devices", "ethernets", "modems", "tunnels", "virtual-ethernets",
     "vlans", "vrfs", "wifis"],
)  # fmt: skip
def test_every_kind_of_device_may_be_a_member(kind):
    assert why(etc(f"network:\n  {kind}:\n    some0: {{}}\n", BOND % "some0")) == []


def test_a_device_keeps_its_kind():
    (told,) = why(etc(PORTS, "network:\n  vlans:\n    ens1: {id: 7, link: ens9}\n"))
    assert told == "x/etc/netplan/20.yaml line 1: ens1 is of ethernets and of vlans"


@pytest.mark.parametrize("lib", ["/lib", "/usr/lib"])
def test_a_file_of_run_wins_over_its_like_and_stands_in_the_order_of_its_name(lib):
    texts = {"/run/netplan/10.yaml": PORTS, f"{lib}/netplan/20.yaml": LATER}
    over = {**texts, "/etc/netplan/10.yaml": BOND % "nobody"}
    assert why(over) == []
    assert facts(over, "ens1")[0] == 9000
    assert read(over).facts.disputes == ()
    shadowed = {"/etc/netplan/20.yaml": PORTS, f"{lib}/netplan/20.yaml": LATER}
    assert facts(shadowed, "ens1")[0] == 1500
    assert (
        facts({"/etc/netplan/20.yaml": PORTS, f"{lib}/netplan/10.yaml": LATER}, "ens1")[0] == 1500
    )


def test_a_copy_beside_a_file_is_not_read():
    texts = etc(PORTS) | {"/etc/netplan/10.yaml.bak": LATER}
    assert facts(texts, "ens1")[0] == 1500


@pytest.mark.parametrize("second", ["bonds", "bridges"])
def test_a_port_of_two_is_refused_as_by_netplan(second):
    other = BOND.replace("bonds", second).replace("bond0", "other0") % "ens1"
    assert "ens1 is of bond0 and of other0" in " ".join(why(etc(PORTS, BOND % "ens1", other)))


def test_lists_are_added_and_families_of_local_addresses_are_not():
    one, two = (
        f"network:\n  ethernets:\n    ens1: {{optional-addresses: [{a}], link-local: [{b}]}}\n"
        for a, b in (("dhcp4", "ipv4"), ("static", "ipv6"))
    )
    nic = read(etc(one, two)).nic("ens1")
    assert nic
    assert dict(nic.options) == {"optional-addresses": "dhcp4, static", "link-local": "ipv6"}


@pytest.mark.parametrize(
    "text",
    [
        "network: {version: 2, ethernets: {ens1: {mtu: 9000}}}\n",
        '{"network": {"ethernets": {"ens1": {"mtu": 9000}}}}\n',
        "network: # ours\n  ethernets:\n    ens1: {mtu: 9000}\n",
        "network: {\n  ethernets: {ens1: {mtu: 9000}}}\n",
    ],
)
def test_a_netplan_in_braces_is_one(text):
    assert facts({"/whatever": text}, "ens1")[0] == 9000
    other = text.replace("ethernets", "pods").replace("version: 2, ", "")
    assert bool(why({"/whatever": other})) == text.startswith("network: #")
