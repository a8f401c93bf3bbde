"""Readers against real output, and against output that lacks what is needed."""

from __future__ import annotations

import json
from ipaddress import IPv4Network

import pytest

from inventory.reading.fields import Unreadable
from switch_configs.answers import forms
from switch_configs.answers.forms import Neighbour
from switch_configs.answers.linux import iproute, lldpcli
from switch_configs.frr import answers as frr
from tests.validation.recorded import EVIDENCE, recorded
from validation.parse.loads import df_probe

HEARD = {
    "swp1": (Neighbour("node-p1-1", "rail0"),),
    "swp2": (Neighbour("node-p1-2", "rail0"),),
    "swp5": (Neighbour("spine1", "swp1"),),
    "swp6": (Neighbour("spine2", "swp1"),),
}
UPLINKS = ("swp5", "swp6")


def text(name: str) -> str:
    return (EVIDENCE / name).read_text()


@pytest.mark.parametrize("kind", ["json", "json0"])
def test_lldp_in_both_shapes(kind):
    assert lldpcli.neighbours(text(f"lldpcli/four_neighbours.{kind}")) == HEARD
    assert lldpcli.neighbours(text(f"lldpcli/one_neighbour.{kind}")) == {"swp5": HEARD["swp5"]}
    assert lldpcli.neighbours(text(f"lldpcli/no_neighbour.{kind}")) == {}


@pytest.mark.samples
def test_lldp_of_another_lab(samples):
    assert lldpcli.neighbours((samples / "lldp_sw.json").read_text()) == {
        "swp1": (Neighbour("node6", "rail0"),),
        "swp2": (Neighbour("node7", "rail0"),),
    }


def test_two_neighbours_on_one_port_are_both_there():
    first = json.loads(text("lldpcli/one_neighbour.json0"))
    second = json.loads(text("lldpcli/one_neighbour.json0"))
    entry = second["lldp"][0]["interface"][0]
    entry["chassis"][0]["name"] = [{"value": "other"}]
    first["lldp"][0]["interface"].append(entry)
    assert lldpcli.neighbours(json.dumps(first)) == {
        "swp5": (Neighbour("other", "swp1"), Neighbour("spine1", "swp1"))
    }


def test_a_neighbour_without_a_name_has_none():
    told = json.loads(text("lldpcli/one_neighbour.json0"))
    del told["lldp"][0]["interface"][0]["chassis"][0]["name"]
    assert lldpcli.neighbours(json.dumps(told)) == {"swp5": (Neighbour("", "swp1"),)}


def test_bgp_summary():
    speaker = frr.bgp_summary(text("frr/bgp_summary.json"))
    assert speaker.asn == 4200000100
    assert {
        key: (one.established, one.remote_asn, one.local_asn) for key, one in speaker.peers.items()
    } == dict.fromkeys(UPLINKS, (True, 4200000000, 4200000100))


@pytest.mark.parametrize(
    "said", [text("frr/bgp_summary_no_instance.json"), "bgpd is not running\n"]
)
def test_a_switch_without_bgp_has_no_asn(said):
    assert frr.bgp_summary(said) == forms.Bgp(None, {})


def test_the_routes_that_frr_selected():
    routes = frr.ip_route(text("frr/ip_route.json"))
    assert routes[IPv4Network("10.16.32.0/19")] == forms.RibRoute("bgp", UPLINKS)
    assert routes[IPv4Network("10.16.0.0/19")] == forms.RibRoute("static", ())
    assert routes[IPv4Network("10.16.0.0/31")] == forms.RibRoute("connected", ("swp1",))


def test_the_kernels_routes_without_next_hop_objects():
    routes = iproute.routes(text("iproute/routes.json"))
    assert routes[IPv4Network("10.16.32.0/19")] == forms.FibRoute("bgp", UPLINKS)
    assert routes[IPv4Network("10.255.64.1/32")] == forms.FibRoute("bgp", ("swp5",))
    assert routes[IPv4Network("10.16.0.0/19")] == forms.FibRoute("static", ())


def test_the_kernels_routes_with_next_hop_objects():
    expanded = iproute.routes(text("iproute/routes_nhid_expanded.json"))
    assert expanded[IPv4Network("10.16.32.0/19")] == forms.FibRoute("bgp", UPLINKS)
    bare = iproute.routes(text("iproute/routes_nhid_only.json"))
    assert bare[IPv4Network("10.16.32.0/19")] == forms.FibRoute("bgp", (), 18)
    assert iproute.nexthops(text("iproute/nexthops.json")) == {
        15: ("swp5",),
        16: ("swp6",),
        18: UPLINKS,
    }


def test_a_next_hop_that_is_dead_carries_nothing():
    told = text("iproute/routes.json").replace('"flags":["onlink"]', '"flags":["onlink","dead"]')
    assert iproute.routes(told)[IPv4Network("10.16.32.0/19")].ports == ()


def test_the_lower_metric_wins():
    rows = [
        {"dst": "default", "dev": dev, "metric": metric} for dev, metric in (("a", 5), ("b", 1))
    ]
    assert iproute.routes(json.dumps(rows))[IPv4Network("0.0.0.0/0")].ports == ("b",)


def test_links_up_and_down():
    before = iproute.links(text("iproute/links.json"))
    after = iproute.links(text("iproute/links_swp5_down.json"))
    assert before["swp5"] == forms.Link("swp5", 9216, admin_up=True, up=True)
    assert after["swp5"] == forms.Link("swp5", 9216, admin_up=False, up=False)
    assert after["swp6"] == before["swp6"]


def test_a_port_without_carrier_is_wanted_up_and_is_not():
    frame = recorded("link_down").get("spine1", "ip -j link show")
    assert frame is not None
    found = iproute.links(frame.payload.decode())["swp1"]
    assert (found.admin_up, found.up) == (True, False)


def test_a_probe():
    frame = next(one for one in recorded("mtu_uplink") if "rail0:leaf-p1-r0>" in one.command)
    found = df_probe.result(frame.payload.decode())
    assert (found.id, found.ip_bytes, found.tos) == ("rail0:leaf-p1-r0>leaf-p2-r0", 9000, 106)
    lost = [one for one in found.ports if not one.full]
    assert 0 < len(lost) < len(found.ports) == 16
    assert all(one.small and one.tos_there == 106 for one in lost)
    assert {one.answered_by for one in found.ports} == {"node-p2-1"}


def test_a_node_without_ping_says_nothing_on_icmp():
    icmp = {"exit": 127, "received": 0, "said": "this node has no ping"}
    told = {"id": "x", "ip_bytes": 1, "tos": 1, "ports": [{"port": 1, "small": {}, "full": {}}]}
    with pytest.raises(Unreadable, match="this node has no ping"):
        df_probe.result(json.dumps({**told, "icmp": icmp}))


READERS = [
    (lldpcli.neighbours, "lldpcli/four_neighbours.json0"),
    (lldpcli.neighbours, "lldpcli/four_neighbours.json"),
    (frr.bgp_summary, "frr/bgp_summary.json"),
    (frr.ip_route, "frr/ip_route.json"),
    (iproute.routes, "iproute/routes.json"),
    (iproute.links, "iproute/links.json"),
    (iproute.nexthops, "iproute/nexthops.json"),
]


@pytest.mark.parametrize(("reader", "name"), READERS)
def test_output_cut_short_is_never_read(reader, name):
    whole = text(name).rstrip()
    for cut in range(0, len(whole), max(1, len(whole) // 97)):
        with pytest.raises(Unreadable):
            reader(whole[:cut])


@pytest.mark.parametrize(
    ("reader", "name", "key"),
    [
        (lldpcli.neighbours, "lldpcli/four_neighbours.json0", "port"),
        (lldpcli.neighbours, "lldpcli/four_neighbours.json", "chassis"),
        (frr.bgp_summary, "frr/bgp_summary.json", "state"),
        (frr.bgp_summary, "frr/bgp_summary.json", "remoteAs"),
        (frr.bgp_summary, "frr/bgp_summary.json", "as"),
        (frr.ip_route, "frr/ip_route.json", "protocol"),
        (iproute.routes, "iproute/routes.json", "dst"),
        (iproute.links, "iproute/links.json", "mtu"),
        (iproute.links, "iproute/links.json", "ifname"),
        (iproute.nexthops, "iproute/nexthops.json", "id"),
    ],
)
def test_a_field_that_is_needed_and_missing_is_unreadable(reader, name, key):
    with pytest.raises(Unreadable):
        reader(json.dumps(without(json.loads(text(name)), key)))


def without(value: object, key: str) -> object:
    if isinstance(value, dict):
        return {name: without(one, key) for name, one in value.items() if name != key}
    return [without(one, key) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize(("reader", "name"), READERS)
def test_the_order_of_fields_does_not_matter(reader, name):
    assert reader(json.dumps(turned(json.loads(text(name))))) == reader(text(name))


def turned(value: object) -> object:
    if isinstance(value, dict):
        return {name: turned(value[name]) for name in reversed(value)}
    return [turned(one) for one in value] if isinstance(value, list) else value
