"""The boundary: what fabric.yml says, what the plan makes of it, and what is refused."""

from __future__ import annotations

import copy
import random
from dataclasses import replace
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inventory import open_site
from inventory.load.site import SITES, load
from inventory.oob.boundary import Prefixes, boundary_networks, derive_boundary
from inventory.oob.flow_site import FlowSite, flow_site
from inventory.plan import Boundary
from inventory.rules.access.boundary import (
    BOUNDARY_RULES,
    business_has_a_way_out,
    lossless_storage_is_not_on_mlag,
)
from inventory.rules.access.flows import FLOW_RULES
from inventory.schema import BoundaryFile
from tests import broken
from tests.inventory.load.test_fuzz import mutate, opens_or_says
from tests.plugins.tiers import examples

TEXT = """\
boundary:
  edge_routers:
    - {name: edge2, asn: 64496, provider_asn: 64511, provider: 192.0.2.3/31,
       inside: 100.64.1.3, uplink_gbps: 100}
    - {name: edge1, asn: 64496, provider_asn: 64511, provider: 192.0.2.1/31,
       inside: 100.64.1.2, uplink_gbps: 100}
  firewall:
    names: [fw1, fw2]
    outside: {prefix: 100.64.1.0/28, addresses: [100.64.1.4, 100.64.1.5], virtual: 100.64.1.6}
    inside: {prefix: 100.64.2.0/28, addresses: [100.64.2.2, 100.64.2.3], virtual: 100.64.2.1}
    dmz: {addresses: [10.90.0.2, 10.90.0.3], virtual: 10.90.0.1}
  load_balancers:
    - {name: web, virtual: 203.0.113.10, service: https, members: [dmz]}
  dmz: {prefix: 10.90.0.0/24, jump_host: {name: jump1, address: 10.90.0.10}}
  flows:
    - {from: outside, to: jump_host, service: wireguard, why: people come in by a tunnel}
    - {from: dmz, to: outside, service: mirror, protocol: tcp, port: 8443, why: updates of the DMZ}
"""
SECTION: dict[str, Any] = {
    "edge_routers": [
        {
            "name": "edge1",
            "asn": 64496,
            "provider_asn": 64511,
            "provider": "192.0.2.1/31",
            "inside": "100.64.1.2",
            "uplink_gbps": 100,
        }
    ],
    "firewall": {
        "names": ["fw2", "fw1"],
        "outside": {
            "prefix": "100.64.1.0/28",
            "addresses": ["100.64.1.5", "100.64.1.4"],
            "virtual": "100.64.1.6",
        },
        "inside": {
            "prefix": "100.64.2.0/28",
            "addresses": ["100.64.2.3", "100.64.2.2"],
            "virtual": "100.64.2.1",
        },
        "dmz": {"addresses": ["10.90.0.3", "10.90.0.2"], "virtual": "10.90.0.1"},
    },
    "nat": {"planes": ["business"], "addresses": ["203.0.113.9", "203.0.113.8"]},
    "dmz": {"prefix": "10.90.0.0/24", "jump_host": {"name": "jump1", "address": "10.90.0.10"}},
}
NOBODY = frozenset({"hostmgmt", "netmgmt", "compute", "storage", "business"})


def places() -> dict[str, Prefixes]:
    return {
        "business": (IPv4Network("10.64.1.0/24"), IPv4Network("10.64.0.0/24")),
        "compute": IPv4Network("10.16.0.0/16"),
        "hostmgmt": IPv4Network("10.88.1.0/24"),
        "netmgmt": IPv4Network("10.88.0.0/24"),
        "oob_server": IPv4Network("100.64.0.2/32"),
        "power": IPv4Network("10.88.2.0/24"),
    }


def section(**changes: Any) -> BoundaryFile:
    return BoundaryFile.model_validate({**copy.deepcopy(SECTION), **changes})


def boundary(**changes: Any) -> Boundary:
    derived = derive_boundary(section(**changes), places(), 8081)
    assert derived
    return derived


def lab_with(folder: Path, text: str) -> Path:
    (folder / "fabric.yml").write_text((SITES / "lab" / "fabric.yml").read_text() + "\n" + text)
    (folder / "asbuilt.csv").write_bytes((SITES / "lab" / "asbuilt.csv").read_bytes())
    return folder


def test_a_site_may_have_a_boundary_or_none(tmp_path):
    open_site(lab_with(tmp_path, TEXT))
    assert load(tmp_path).intent.boundary
    assert load("lab").intent.boundary is None
    assert derive_boundary(None, places(), 8080) is None


MENDED = {
    "attach: lacp\n  vlan: 30": "attach: l3",
    "[business, storage]": "[business]",
    "members: [vault]": "members: [login]",
    "  ip_mtu_bytes: {hosts: 1500": "  default_route: 100.64.2.1\n  ip_mtu_bytes: {hosts: 1500",
}


def test_a_site_of_all_planes_is_reduced_to_words(tmp_path):
    """The broken site of tests/errors, mended: nothing of it is refused any more."""
    broken.site("boundary_and_planes", tmp_path)
    text = (tmp_path / "fabric.yml").read_text()
    for wrong, right in MENDED.items():
        assert wrong in text
        text = text.replace(wrong, right)
    gone = ("from: business, to: storage", "from: storage", "from: login")
    lines = [line for line in text.splitlines() if not any(one in line for one in gone)]
    text = "\n".join(lines).replace("  flows:\n", "").replace("name: files, v", "name: web, v")
    (tmp_path / "fabric.yml").write_text(text)
    reduced = flow_site(load(tmp_path))
    assert reduced.present == {"compute", "storage", "business", "hostmgmt", "netmgmt"}
    assert reduced.groups == {"login": "business", "vault": "storage"}
    made = open_site(tmp_path).boundary
    assert made
    assert ("outside", "login") in {(one.source, one.target) for one in made.flows}
    known = {one.word for one in made.places}
    assert {word for one in made.flows for word in (one.source, one.target)} <= known


def test_without_a_boundary_no_rule_has_anything_to_say():
    fabric = load("lab")
    assert not [one for rule in FLOW_RULES for one in rule(fabric)]


def test_each_firewall_keeps_its_own_addresses():
    """In whatever order the file names the pair."""
    one, other = boundary().firewalls
    assert (one.name, one.seats.dmz) == ("fw1", IPv4Interface("10.90.0.2/24"))
    assert (other.name, other.seats.outside) == ("fw2", IPv4Interface("100.64.1.5/28"))
    assert boundary().virtual.inside == IPv4Interface("100.64.2.1/28")


def test_addresses_carry_their_networks():
    made = boundary()
    assert made.edge_routers[0].inside == IPv4Interface("100.64.1.2/28")
    assert made.edge_routers[0].provider == IPv4Interface("192.0.2.1/31")
    assert made.dmz.jump_host_address == IPv4Interface("10.90.0.10/24")
    assert made.dmz.gateway == made.virtual.dmz.ip


def test_flows_are_those_of_every_site_and_those_of_the_file():
    flow = {"from": "dmz", "to": "outside", "service": "dns", "why": "names"}
    balancer = {
        "name": "web",
        "virtual": "203.0.113.10",
        "service": "https",
        "members": ["login", "dmz"],
    }
    made = boundary(flows=[flow], load_balancers=[balancer])
    pairs = {(one.source, one.target, one.service, one.protocol) for one in made.flows}
    assert ("dmz", "outside", "dns", "udp") in pairs
    assert ("dmz", "outside", "dns", "tcp") in pairs
    assert ("outside", "login", "https", "tcp") in pairs
    assert ("business", "outside", "https", "tcp") in pairs
    assert ("power", "oob_server", "syslog", "udp") in pairs
    assert not [one for one in made.flows if "bmc" in (one.source, one.target)]
    assert {one.port for one in made.flows if one.service == "packages"} == {8081}
    assert made.flows == tuple(sorted(made.flows))


def test_every_word_of_a_flow_has_its_networks():
    made = boundary()
    known = {one.word: one.prefixes for one in made.places}
    assert {word for one in made.flows for word in (one.source, one.target)} <= set(known)
    assert known["business"] == (IPv4Network("10.64.0.0/24"), IPv4Network("10.64.1.0/24"))
    assert known["outside"] == (IPv4Network("0.0.0.0/0"),)
    assert known["controller"] == ()


def test_order_in_the_file_changes_nothing():
    flows = [
        {"from": "dmz", "to": "outside", "service": name, "why": name} for name in ("dns", "https")
    ]
    routers = [SECTION["edge_routers"][0], {**SECTION["edge_routers"][0], "name": "edge0"}]
    balancers = [
        {"name": name, "virtual": "203.0.113.10", "service": "https", "members": ["dmz", "login"]}
        for name in ("a", "b")
    ]
    one = boundary(flows=flows, edge_routers=routers, load_balancers=balancers)
    back = [{**balancer, "members": ["login", "dmz"]} for balancer in balancers[::-1]]
    other = boundary(flows=flows[::-1], edge_routers=routers[::-1], load_balancers=back)
    assert repr(one) == repr(other)
    assert hash(one) == hash(other)


def test_addresses_in_the_firewalls_own_network_are_not_a_second_pool():
    made = section(nat={"planes": ["business"], "addresses": ["100.64.1.9", "203.0.113.9"]})
    paths = {".".join(map(str, path)) for path in boundary_networks(made)}
    assert "boundary.nat.addresses.1" in paths
    assert "boundary.nat.addresses.0" not in paths
    assert boundary_networks(None) == {}


def test_edge_routers_may_share_a_providers_network():
    router = SECTION["edge_routers"][0]
    pair = [
        {**router, "provider": "192.0.2.1/29"},
        {**router, "name": "edge2", "provider": "192.0.2.2/29", "inside": "100.64.1.3"},
    ]
    made = section(edge_routers=pair)
    assert len(set(boundary_networks(made).values())) == len(boundary_networks(made))
    site = FlowSite(boundary=made)
    assert not [one for rule in BOUNDARY_RULES for one in rule(site)]


@pytest.mark.parametrize(
    ("transport", "attach", "refused"),
    [
        ("roce", "lacp", True),
        ("roce", "l3", False),
        ("tcp", "lacp", False),
        ("tcp", "l3", False),
        (None, None, False),
    ],
)
def test_lossless_storage_never_rides_on_mlag(transport, attach, refused):
    site = FlowSite(boundary=None, storage_transport=transport, storage_attach=attach)
    said = list(lossless_storage_is_not_on_mlag(site))
    assert bool(said) == refused
    assert all("deadlock" in one.hint for one in said)


def test_what_may_leave_has_a_route():
    flow = {"from": "business", "to": "outside", "service": "ntp", "why": "time"}
    asks = FlowSite(boundary=section(), present=NOBODY)
    by_flow = FlowSite(boundary=section(nat=None, flows=[flow]), present=NOBODY)
    quiet = FlowSite(boundary=section(nat=None), present=NOBODY)
    right, wrong = IPv4Address("100.64.2.1"), IPv4Address("100.64.2.2")
    assert [one.path for one in business_has_a_way_out(asks)] == [("boundary", "nat", "planes")]
    assert [one.path for one in business_has_a_way_out(by_flow)] == [("boundary", "flows", 0)]
    assert not list(business_has_a_way_out(quiet))
    assert not list(business_has_a_way_out(replace(asks, default_route=right)))
    assert [one.path for one in business_has_a_way_out(replace(quiet, default_route=wrong))] == [
        ("business", "default_route")
    ]
    assert not list(business_has_a_way_out(FlowSite(boundary=section())))


@settings(
    max_examples=examples(30, full=150), deadline=None, suppress_health_check=list(HealthCheck)
)
@given(st.randoms(use_true_random=False))
def test_mutated_boundaries_make_no_traceback(tmp_path_factory, chance: random.Random):
    folder = tmp_path_factory.getbasetemp() / "mutated-boundary"
    folder.mkdir(exist_ok=True)
    site = lab_with(folder, "")
    head = (site / "fabric.yml").read_bytes()
    (site / "fabric.yml").write_bytes(head + mutate(TEXT.encode(), chance))
    opens_or_says(site)
