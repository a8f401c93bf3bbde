"""Cables, addresses, neighbours and the bill: everything once, and nothing else."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import replace
from ipaddress import ip_address, ip_network

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inventory import exports
from inventory.exports.colours import colour
from inventory.exports.view import natural
from inventory.plan import Plan
from inventory.topology.media import PLUGGED, REACHES, medium
from tests.generated.sites import Size
from tests.inventory.exports.plans import generated, lab, shipped, sizes, table, three_tiers
from tests.plugins.tiers import examples

CHEAP = settings(
    max_examples=examples(10, full=15), deadline=None, suppress_health_check=list(HealthCheck)
)


def ends(row: dict[str, str]) -> frozenset[tuple[str, str]]:
    return frozenset({(row["a_device"], row["a_port"]), (row["b_device"], row["b_port"])})


@given(size=sizes())
@CHEAP
def test_each_cable_is_listed_once(size):
    plan = generated(size)
    rows = table(exports.cables_csv(plan))
    listed = [ends(row) for row in rows]
    assert Counter(listed) == Counter(
        frozenset({(one.a.device, one.a.port), (one.b.device, one.b.port)}) for one in plan.cables
    )
    assert [row["number"] for row in rows] == [str(n) for n in range(1, len(rows) + 1)]
    assert len({row["label"] for row in rows}) == len(rows)
    assert all(len(row["label"]) <= 60 and row["label"].isascii() for row in rows)


@given(size=sizes())
@CHEAP
def test_each_port_has_one_neighbour_and_it_looks_back(size):
    rows = table(exports.lldp_csv(generated(size)))
    seen = {(row["device"], row["port"]): (row["neighbour"], row["neighbour_port"]) for row in rows}
    assert len(seen) == len(rows)
    assert all(seen[other] == port for port, other in seen.items())


def test_growth_renames_no_cable():
    """A label is on a real cable: it must not change when the site grows."""
    small = Size(pods=2, spines=2, rails=2, nodes_per_pod=2, max_pods=8, max_spines=4)
    grown = replace(small, pods=5, spines=3)
    before, after = (table(exports.cables_csv(generated(size))) for size in (small, grown))
    labels = {ends(row): row["label"] for row in after}
    assert all(labels[ends(row)] == row["label"] for row in before)


def test_a_rack_stands_together_with_its_lower_ends_first():
    rows = table(exports.cables_csv(lab()))
    racks = [row["a_rack"] for row in rows]
    changes = [rack for at, rack in enumerate(racks) if at == 0 or racks[at - 1] != rack]
    assert changes == ["p1-1", "p1-2", "p2-1", "p2-2", ""]
    assert not [row for row in rows if row["b_device"].startswith("node")]


@given(size=sizes())
@CHEAP
def test_every_address_is_listed_once_and_inside_its_prefix(size):
    plan = generated(size)
    rows = table(exports.addresses_csv(plan))
    values = [row["address"] for row in rows]
    assert len(set(values)) == len(values)
    assert values == sorted(values, key=lambda text: int(ip_address(text)))
    assert all(ip_address(r["address"]) in ip_network(r["prefix"]) for r in rows if r["prefix"])
    assert all(ip_address(r["gateway"]) in ip_network(r["prefix"]) for r in rows if r["gateway"])
    assert set(values) == addresses_of(plan)


def addresses_of(plan: Plan) -> set[str]:
    ours = {str(plan.oob.access), *(str(zone.server_address.ip) for zone in plan.oob.zones)}
    for switch in plan.switches:
        ours |= {str(switch.loopback), str(switch.management.address.ip)}
        ours |= {str(port.address.ip) for port in switch.ports if port.address}
    for node in plan.nodes:
        ours |= {str(node.management.address.ip), *(str(nic.address.ip) for nic in node.rails)}
    return ours


@given(size=sizes())
@CHEAP
def test_the_bill_counts_what_is_there(size):
    plan = generated(size)
    count = Counter[str]()
    for line in exports.bill(plan):
        count[line.what] += line.count
    plugged = sum(medium(one.rate_gbps, one.cable_m) in PLUGGED for one in plan.cables)
    assert count["switch"] == len(plan.switches)
    assert count["node"] == len(plan.nodes)
    assert count["cable"] == len(plan.cables)
    assert count["transceiver"] == 2 * plugged
    assert count["NIC port"] == sum(len(node.rails) for node in plan.nodes)


def test_fibre_between_transceivers_needs_two_of_them():
    """At 400 Gb/s, 3 m are copper and 30 m are multi-mode fibre with a transceiver at each end."""
    plan = lab()
    fast = replace(plan, cables=tuple(replace(one, rate_gbps=400) for one in plan.cables))
    found = {(one.what, one.item): one.count for one in exports.bill(fast, "compute")}
    assert found[("cable", "DAC")] == 8
    assert found[("cable", "MMF")] == 8
    assert found[("transceiver", "MMF")] == 16


def test_links_of_one_cage_share_its_plug():
    """At 400 Gb/s and 30 m: 800G cages split in two take half as many transceivers as links."""
    plan = shipped("pod-256")
    found = {(one.item, one.rate_gbps): one.count for one in exports.bill(plan, "compute")}
    assert found["MMF of 2 links", 400] == 128
    assert found["MMF", 400] == 256
    near = replace(plan, cables=tuple(replace(one, cable_m=2) for one in plan.cables))
    lines = exports.bill(near, "compute")
    split = [one for one in lines if one.rate_gbps == 400 and one.what == "cable"]
    assert [(one.item, one.count) for one in split] == [("DAC 1 to 2", 128)]
    assert not [one for one in lines if one.what == "transceiver"]


def test_no_copper_or_active_cable_is_split_further_than_it_is_sold():
    assert medium(100, 3, ways=4) == "DAC"
    assert medium(100, 3, ways=8) == "MMF"
    assert medium(100, 20, ways=2) == "AOC"
    assert medium(100, 20, ways=4) == "MMF"


def test_racks_say_where_a_cable_ends_and_what_they_draw():
    plan = shipped("pod-256")
    rows = table(exports.cables_csv(plan))
    stands = {one.device: (r.name, str(one.unit)) for r in plan.racks for one in r.devices}
    assert all((r["a_rack"], r["a_unit"]) == stands.get(r["a_device"], ("", "")) for r in rows)
    racks = [one for one in exports.bill(plan) if one.what == "rack"]
    assert sum(one.count for one in racks) == len(plan.racks)
    drawn = sum(one.count * (one.power_w or 0) for one in racks)
    assert drawn == sum(one.power_w for one in plan.racks)


@pytest.mark.parametrize("site", ["pod-256", "superpod-10k"])
def test_our_sites_list_every_cable_port_and_address_once(site):
    plan = shipped(site)
    cables, seen = table(exports.cables_csv(plan)), table(exports.lldp_csv(plan))
    assert len({ends(row) for row in cables}) == len(cables) == len(plan.cables)
    assert len({row["label"] for row in cables}) == len(cables)
    assert len({(row["device"], row["port"]) for row in seen}) == len(seen) == 2 * len(cables)
    rows = table(exports.addresses_csv(plan))
    assert len({(row["address"], row["device"]) for row in rows}) == len(rows)
    assert {"compute", "storage", "business", "oob"} <= {row["plane"] for row in rows}


@pytest.mark.parametrize(
    ("rate_gbps", "cable_m", "kind"),
    [
        (1, 100, "TP"), (1, 101, "SMF"), (25, 5, "DAC"), (100, 5.5, "AOC"), (200, 2, "DAC"),
        (200, 2.5, "AOC"), (200, 31, "MMF"), (400, 3, "DAC"), (400, 5, "ACC"), (400, 50, "MMF"),
        (400, 51, "SMF"), (800, 2, "DAC"), (800, 3, "MMF"), (1600, 2000, "SMF"),
    ],
)  # fmt: skip
def test_medium_by_rate_and_length(rate_gbps, cable_m, kind):
    assert medium(rate_gbps, cable_m) == kind


def test_reaches_grow_and_never_end():
    for reach in REACHES:
        metres = [most for _, most in reach.metres]
        assert metres == sorted(metres)
        assert metres[-1] == float("inf")
    assert REACHES[-1].rate_gbps == float("inf")


def test_rails_have_colours_of_their_own():
    shown = [colour("compute", rail) for rail in range(16)]
    others = {colour(plane, None) for plane in exports.PLANES}
    assert len({*shown, *others}) == 16 + 4


@given(numbers=st.lists(st.integers(0, 3000), unique=True))
def test_natural_order_counts(numbers):
    names = [f"swp{one}" for one in numbers]
    assert sorted(names, key=natural) == [f"swp{one}" for one in sorted(numbers)]


def test_one_plane_alone_and_a_plane_that_is_not_there():
    whole = table(exports.cables_csv(lab()))
    for plane in ("compute", "oob"):
        rows = table(exports.cables_csv(lab(), plane))
        assert {ends(r) for r in rows} == {ends(r) for r in whole if r["plane"] == plane}
        assert {r["plane"] for r in table(exports.addresses_csv(lab(), plane))} == {plane}
    for export in (exports.cables_csv, exports.lldp_csv, exports.topology_svg):
        with pytest.raises(exports.ExportError, match="no cables in the plane business"):
            export(lab(), "business")


def test_the_same_plan_gives_the_same_bytes():
    """Also when its parts come in another order."""
    plan = three_tiers(3, 2, 2, 3, 1)
    turned = replace(
        plan,
        cables=tuple(reversed(plan.cables)),
        switches=tuple(reversed(plan.switches)),
        nodes=tuple(reversed(plan.nodes)),
    )
    made = (
        exports.cables_csv, exports.addresses_csv, exports.lldp_csv, exports.bom_csv,
        exports.topology_svg, exports.topology_conf, exports.topology_yaml,
        exports.containerlab_yaml,
    )  # fmt: skip
    for export in made:
        assert export(plan) == export(turned), export.__name__


def test_every_flow_is_listed_with_the_networks_of_its_ends():
    plan = shipped("pod-256")
    assert plan.boundary
    rows = list(csv.DictReader(exports.flows_csv(plan).splitlines()))
    assert len(rows) == len(plan.boundary.flows)
    way_out = next(row for row in rows if row["target"] == "outside")
    assert (way_out["source"], way_out["from"], way_out["to"]) == (
        "business",
        "10.96.0.0/18",
        "0.0.0.0/0",
    )
    assert way_out["why"] == "users fetch what they need, by NAT"
    with pytest.raises(exports.ExportError, match="no boundary"):
        exports.flows_csv(lab())
