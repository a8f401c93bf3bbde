"""Sites of several planes, worked out anew: addresses, cables, rates, BGP, OOB, racks, waves.

What `invariants` holds is not repeated here.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache
from ipaddress import IPv4Network
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from inventory import InventoryError, Plan, open_site
from inventory.load.site import read
from inventory.model import Fabric
from inventory.plan import AccessNic, Management, Node, PortRef, RailNic
from tests.inventory import invariants, propagation
from tests.inventory.own_sites import SITES_OF_OUR_OWN, write

EVERY = pytest.mark.parametrize("name", sorted(SITES_OF_OUR_OWN))
TIERS = {"leaf": 0, "spine": 1, "superspine": 2}


@cache
def folder(name: str) -> Path:
    return write(SITES_OF_OUR_OWN[name](), Path(mkdtemp()))


@cache
def site(name: str) -> Plan:
    return open_site(folder(name))


@cache
def fabric(name: str) -> Fabric:
    found, problems = read(folder(name))
    assert found, problems
    return found


def intent_of(name: str) -> Any:
    return fabric(name).intent


def nics_of(node: Node) -> list[RailNic | AccessNic]:
    return [*node.rails, *node.nics]


@EVERY
def test_what_holds_of_all_plans(name):
    invariants.hold(site(name))


@EVERY
def test_addresses_come_from_their_pools(name):
    plan, intent = site(name), intent_of(name)
    pools: dict[str, Any] = {"compute": intent.compute.pools}
    for plane in ("storage", "business"):
        said = getattr(intent, plane)
        if said and said.switches != "storage":
            pools[plane] = said.switches.pools
    vlans = {one.id: one.addresses for one in intent.business.vlans}
    if intent.storage.vlan:
        vlans[intent.storage.vlan] = intent.storage.addresses
    for switch in plan.switches:
        own = pools[switch.plane]
        assert switch.loopback in own.loopbacks
        for port in switch.ports:
            if port.address and port.direction != "down":
                assert port.address.ip in own.links
        for vlan in switch.vlans:
            assert vlan.subnet.subnet_of(vlans[vlan.id])
            assert {vlan.gateway, vlan.address.ip} <= set(list(vlan.subnet.hosts())[:3])
    for node in plan.nodes:
        for nic in node.rails:
            assert nic.address.ip in nic.rail_prefix
            assert nic.rail_prefix.subnet_of(nic.fabric_prefix)
        for other in node.nics:
            assert other.address is None or other.address.ip in intent.storage.addresses


@EVERY
def test_both_ends_of_a_link_share_its_subnet(name):
    plan = site(name)
    ends = {PortRef(one.name, port.name): port for one in plan.switches for port in one.ports}
    nics = {PortRef(node.name, nic.port): nic for node in plan.nodes for nic in nics_of(node)}
    for end, port in ends.items():
        nic = nics.get(port.peer)
        far = nic or ends[port.peer]
        assert (nic.leaf if nic else ends[port.peer].peer) == end
        assert (port.address is None) == (far.address is None)
        if port.address and far.address:
            assert port.address.network == far.address.network
            assert port.address.network.prefixlen == 31
        assert port.ip_mtu_bytes >= far.ip_mtu_bytes
    assert set(nics) == {port.peer for port in ends.values()} - set(ends)


@EVERY
def test_cables_are_the_ports_and_no_faster_than_hardware(name):
    plan, built = site(name), fabric(name)
    cabled = {end: one for one in plan.cables if one.plane != "oob" for end in (one.a, one.b)}
    used: set[PortRef] = set()
    for switch in plan.switches:
        profile, parts = built.switch_profiles[switch.profile].ports, defaultdict(set)
        for port in switch.ports:
            own = PortRef(switch.name, port.name)
            cable = cabled[own]
            assert {cable.a, cable.b} == {own, port.peer}
            assert (cable.rate_gbps, cable.cable_m) == (port.rate_gbps, port.cable_m)
            assert 1 <= port.cage <= profile.count
            assert port.ways in profile.ways()
            assert port.rate_gbps <= profile.rate_of(port.ways)
            parts[port.cage].add(port.name)
            used |= {own, port.peer}
        for port in switch.ports:
            assert len(parts[port.cage]) <= port.ways
        assert len(set().union(*parts.values())) == len(switch.ports)
    assert used == set(cabled)
    for node in plan.nodes:
        real = built.node_profiles[node.profile]
        rates = {one.port: one.rate_gbps for one in (*real.rails, *real.storage, *real.business)}
        for nic in nics_of(node):
            assert cabled[PortRef(node.name, nic.port)].rate_gbps <= rates[nic.port]


@EVERY
def test_sessions_go_up_and_down_only(name):
    plan = site(name)
    for switch in plan.switches:
        for session in switch.sessions:
            peer = plan.switch[session.peer.device]
            step = TIERS[peer.tier] - TIERS[switch.tier]
            assert step == (1 if session.direction == "up" else -1)
            assert session.peer_asn == peer.asn != switch.asn
            assert (peer.plane, peer.nic_plane) == (switch.plane, switch.nic_plane)
            if peer.pod and switch.pod:
                assert peer.pod == switch.pod


@cache
def learnt(name: str) -> dict[tuple[str, str], propagation.Learnt]:
    return propagation.tables(site(name))


@EVERY
def test_numbers_alone_keep_paths_from_going_down_and_up(name):
    """Up to the top and down again is the longest way: twice the height of the fabric."""
    plan = site(name)
    for (device, _), table in learnt(name).items():
        of_plane = [one for one in plan.switches if one.plane == plan.switch[device].plane]
        height = max(TIERS[one.tier] for one in of_plane)
        assert max(table.far.values()) <= 2 * height


@EVERY
def test_everybody_reaches_every_aggregate_of_its_fabric(name):
    plan = site(name)
    for (device, vrf), table in learnt(name).items():
        switch = plan.switch[device]
        alike = [
            one for one in plan.switches
            if (one.plane, one.nic_plane) == (switch.plane, switch.nic_plane)
        ]  # fmt: skip
        wanted = {prefix for one in alike for prefix in propagation.own(one, vrf) if
                  prefix.prefixlen < 32}  # fmt: skip
        if switch.tier != "leaf":
            # A spine that a group's superspine is missing above has no way of its own.
            continue
        assert wanted <= set(table.far), device


@EVERY
def test_ecmp_width_is_the_widest_that_is_learnt(name):
    plan = site(name)
    widest: Counter[str] = Counter()
    for (device, _), table in learnt(name).items():
        widest[device] = max(widest[device], *table.wide.values(), 0)
    over = {one: count for one, count in widest.items() if count > plan.switch[one].ecmp_width}
    assert not over
    if name != "gaps":
        assert {one.name: one.ecmp_width for one in plan.switches} == dict(widest)


@EVERY
def test_maximum_prefix_leaves_room_for_what_is_heard(name):
    plan = site(name)
    for (device, vrf), table in learnt(name).items():
        most = max(table.heard.values())
        assert most <= plan.switch[device].maximum_prefix, (device, vrf)


@EVERY
def test_policies_let_through_what_is_announced(name):
    for switch in site(name).switches:
        for table in switch.tables:
            for prefix in table.originates:
                assert any(
                    prefix.prefixlen == bits and prefix.subnet_of(pool)
                    for pool, bits in table.learns
                ), (switch.name, table.vrf, prefix)


@EVERY
def test_bonds_end_on_both_leaves_of_a_pair(name):
    plan = site(name)
    for switch in plan.switches:
        if switch.pair:
            peer = plan.switch[switch.pair.peer]
            assert peer.pair
            assert (peer.pair.peer, peer.pair.primary) == (switch.name, not switch.pair.primary)
            between = {port.name: port for port in switch.ports if port.direction == "peer"}
            assert set(between) == set(switch.pair.ports)
            assert {one.peer for one in between.values()} == {
                PortRef(peer.name, port) for port in peer.pair.ports
            }
    for node in plan.nodes:
        bonds = {nic.bond for nic in node.nics if nic.bond}
        for bond in bonds:
            legs = [nic for nic in node.nics if nic.bond == bond]
            ports = [
                next(p for p in plan.switch[leg.leaf.device].ports if p.name == leg.leaf.port)
                for leg in legs
            ]
            assert len({port.bond for port in ports}) == 1
            assert len({port.vlans for port in ports}) == 1
            leaves = {leg.leaf.device for leg in legs}
            if len(leaves) > 1:
                first = plan.switch[min(leaves)]
                assert first.pair
                assert leaves == {first.name, first.pair.peer}
        for vlan in node.vlans:
            subnet = vlan.address.network
            assert vlan.gateway in subnet
            assert subnet.subnet_of(vlan.prefix)
            hosts = (subnet.network_address, subnet.broadcast_address)
            assert vlan.address.ip not in hosts


def managed(plan: Plan) -> dict[tuple[str, str], Management]:
    out = {(one.name, ""): one.management for one in plan.switches}
    out |= {(one.name, ""): one.management for one in plan.oob_switches}
    out |= {(one.name, ""): one.management for one in plan.nodes}
    out |= {(f"{one.name}-bmc", ""): one.bmc for one in plan.nodes if one.bmc}
    pdus = [pdu for rack in plan.racks for pdu in rack.pdus]
    return out | {(one.name, ""): one.management for one in pdus if one.management}


@EVERY
def test_leases_are_in_their_zones_at_their_cables(name):
    plan = site(name)
    zones = {one.name: one for one in plan.oob.zones}
    leases = {(one.name, ""): (zone, one) for zone in plan.oob.zones for one in zone.leases}
    reached = managed(plan)
    assert set(leases) == set(reached)
    for key, management in reached.items():
        zone, lease = leases[key]
        assert zone.name == management.zone
        assert (lease.mac, lease.address) == (management.mac, management.address.ip)
        prefix = zones[management.zone].prefix
        assert management.address.network == prefix
        assert management.gateway == zone.server_address.ip
        assert management.address.ip not in (prefix.network_address, prefix.broadcast_address)
        if not lease.server_port:
            assert key[0] in plan.oob_switch
            continue
        device, _, port = lease.server_port.partition(":")
        end = PortRef(key[0].removesuffix("-bmc"), management.port)
        assert {plan.cable_at[end].a, plan.cable_at[end].b} == {end, PortRef(device, port)}
        (own,) = [one for one in plan.oob_switch[device].ports if one.name == port]
        assert (own.peer, own.zones, own.isolated) == (end, (zone.name,), True)


@EVERY
def test_every_oob_switch_has_one_way_to_the_server(name):
    plan = site(name)
    above: dict[str, str] = {}
    order = {"access": 0, "aggregation": 1, "core": 2}
    tiers = {one.name: one.tier for one in plan.oob_switches}
    for one in plan.oob_switches:
        ups = [
            port for port in one.ports
            if port.peer.device == plan.oob.name
            or order.get(tiers.get(port.peer.device, ""), 0) > order[one.tier]
        ]  # fmt: skip
        assert len(ups) == 1, one.name
        assert len(ups[0].zones) == len(plan.oob.zones)
        assert not ups[0].isolated
        above[one.name] = ups[0].peer.device
    for name_ in above:
        here, steps = name_, 0
        while here != plan.oob.name:
            here, steps = above[here], steps + 1
            assert steps <= 3


@EVERY
def test_racks_add_up(name):
    plan, built = site(name), fabric(name)
    said = intent_of(name).racks
    profiles = {one.name: one.profile for one in plan.switches}
    profiles |= {one.name: one.profile for one in plan.oob_switches}
    profiles |= {one.name: one.profile for one in plan.nodes}
    known: dict[str, Any] = {**built.node_profiles, **built.switch_profiles}
    for rack in plan.racks:
        power_w = 0
        for one in rack.devices:
            profile = profiles[one.device]
            assert one.rack_units == known[profile].rack_units
            assert one.power_w == (known[profile].power_w or said.power_of[profile])
            power_w += one.power_w
        assert rack.power_w == power_w <= said.power_w
        assert power_w <= (len(rack.pdus) - 1) * said.pdu_power_w


@EVERY
def test_waves_hold_everybody_once_and_one_domain(name):
    plan = site(name)
    changed = Counter(device for wave in plan.waves for device in wave.devices)
    assert set(changed) == {plan.oob.name, *plan.any_switch, *plan.node}
    assert set(changed.values()) == {1}
    for wave in plan.waves:
        switches = [plan.switch[one] for one in wave.devices if one in plan.switch]
        nodes = [plan.node[one] for one in wave.devices if one in plan.node]
        assert not (switches and nodes)
        assert len({(one.tier, one.plane, one.rail, one.nic_plane) for one in switches}) <= 1
        assert not {one.pair.peer for one in switches if one.pair} & set(wave.devices)
        if not wave.canary:
            assert len({(one.pod, one.kind) for one in nodes}) <= 1
    for wave in plan.waves:
        for node in plan.nodes:
            for plane in ("storage", "business"):
                mine = {nic.leaf.device for nic in node.nics if nic.plane == plane}
                if len(mine) > 1:
                    assert not mine <= set(wave.devices), (wave.name, node.name)


@EVERY
def test_each_kind_of_node_has_a_canary(name):
    plan = site(name)
    canaries = [wave for wave in plan.waves if wave.canary and wave.step == "nodes"]
    kinds = {plan.node[one].kind for wave in canaries for one in wave.devices}
    assert kinds == {one.kind for one in plan.nodes}


@EVERY
def test_capacity_is_what_cables_carry(name):
    plan = site(name)
    down: defaultdict[str, float] = defaultdict(float)
    up: defaultdict[str, float] = defaultdict(float)
    for switch in plan.switches:
        for port in switch.ports:
            if port.direction != "peer":
                (up if port.direction == "up" else down)[switch.name] += port.rate_gbps
    for row in plan.capacities:
        mine = [one for one in plan.switches if (one.plane, one.tier) == (row.plane, row.tier)]
        assert row.up_gbps == min(up[one.name] for one in mine), row
        if name != "gaps":  # counted as if its nodes and spines were all there
            assert row.down_gbps == max(down[one.name] for one in mine), row
        cages = [len({port.cage for port in one.ports}) for one in mine]
        assert row.cages_used >= max(cages), row


def test_prefixes_of_planes_never_overlap():
    for name in SITES_OF_OUR_OWN:
        plan = site(name)
        pools: dict[str, set[IPv4Network]] = defaultdict(set)
        for switch in plan.switches:
            for vlan in switch.vlans:
                pools[vlan.plane].add(vlan.subnet)
        for node in plan.nodes:
            pools["compute"] |= {nic.fabric_prefix for nic in node.rails}
            pools["storage"] |= {nic.prefix for nic in node.nics if nic.prefix}
        for one, mine in pools.items():
            for other, theirs in pools.items():
                if one < other:
                    assert not any(a.overlaps(b) for a in mine for b in theirs)


def test_a_spine_that_is_absent_counts_against_the_limit(tmp_path):
    own = SITES_OF_OUR_OWN["pod"]()
    own["topology"] |= {"nodes_per_pod": 32, "absent": ["spine3"]}
    with pytest.raises(InventoryError, match=r"oversubscription.leaf: found 1.14 : 1 at a leaf"):
        open_site(write(own, tmp_path))


def with_overrides(base: str, **asns: int) -> dict[str, Any]:
    own = SITES_OF_OUR_OWN[base]()
    own["overrides"] = {name.replace("_", "-"): {"asn": asn} for name, asn in asns.items()}
    return own


def test_spines_change_their_number_together_or_not_at_all(tmp_path):
    with pytest.raises(InventoryError, match="a leaf is a way between them"):
        open_site(write(with_overrides("pod", storage_spine1=4200009000), tmp_path))
    both = with_overrides("pod", storage_spine1=4200009000, storage_spine2=4200009000)
    plan = open_site(write(both, tmp_path))
    assert {plan.switch[f"storage-spine{one}"].asn for one in (1, 2)} == {4200009000}
    one_of_a_pod = with_overrides("three_tiers", spine_p1_1=4200009000)
    with pytest.raises(InventoryError, match="one ASN for spine-p1-1, spine-p1-2"):
        open_site(write(one_of_a_pod, tmp_path))


def test_an_edge_router_has_no_number_of_an_override(tmp_path):
    own = with_overrides("pod", leaf_p1_r0=4200099999)
    own["boundary"]["edge_routers"][0]["asn"] = 4200099999
    with pytest.raises(InventoryError, match="an ASN that no switch has"):
        open_site(write(own, tmp_path))


def test_a_group_is_not_named_like_the_nodes_of_pods(tmp_path):
    own = SITES_OF_OUR_OWN["pod"]()
    own["servers"]["gpu"] = {"id": 3, "profile": "storage-cpu", "count": 1}
    with pytest.raises(InventoryError, match="another name for the group"):
        open_site(write(own, tmp_path))


def test_nics_on_slower_ports_are_in_the_ledger():
    rows = {one.name: one.value for one in site("pod").assumptions}
    assert "100 Gb/s" in rows["business: rate of hgx-h100"]
    assert "compute: rate of hgx-h100" not in rows


def test_on_shared_switches_only_storage_takes_headroom():
    """64 nodes with one storage port and one of users on each leaf, and 16 uplinks."""
    leaf = open_site("superpod-10k").switch["storage-leaf-b01-1"]
    assert leaf.buffers
    rows = {(one.rate_gbps, one.cable_m): one.ports for one in leaf.buffers.ports}
    assert rows == {(200.0, 30.0): 64, (400.0, 100.0): 16}
