"""What must be true of every plan: counted anew, without the code that made it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from inventory.plan import AccessNic, Node, OobSwitch, Plan, RailNic, Switch


def hold(plan: Plan) -> None:
    """Fail where a plan contradicts itself."""
    assert not twice(addresses(plan))
    assert not twice(end for cable in plan.cables for end in (cable.a, cable.b))
    assert not twice(names(plan))
    known = ports(plan)
    lost = [
        end for one in plan.cables for end in (one.a, one.b) if end.port not in known[end.device]
    ]
    assert not lost
    asns_are_apart(plan)
    both_ends_agree(plan)
    cages_and_bonds_have_one_use(plan)
    racks_hold_one_device_a_unit(plan)
    nics_have_their_own_routes(plan)


def _nics(node: Node) -> tuple[RailNic | AccessNic, ...]:
    return (*node.rails, *node.nics)


def twice(things: Iterable[object]) -> list[object]:
    return [one for one, count in Counter(things).items() if count > 1]


def names(plan: Plan) -> list[str]:
    every: tuple[Switch | OobSwitch, ...] = (*plan.switches, *plan.oob_switches)
    switches = [one.name for one in every]
    pdus = [pdu.name for rack in plan.racks for pdu in rack.pdus]
    return [plan.oob.name, *switches, *(one.name for one in plan.nodes), *pdus]


def addresses(plan: Plan) -> Iterator[object]:
    """Every address, once for each owner."""
    yield plan.oob.access
    yield from (zone.server_address.ip for zone in plan.oob.zones)
    for switch in plan.switches:
        yield switch.loopback
        yield switch.management.address.ip
        yield from (port.address.ip for port in switch.ports if port.address)
        yield from (vlan.address.ip for vlan in switch.vlans)
    yield from {vlan.gateway for one in plan.switches for vlan in one.vlans}
    yield from (one.management.address.ip for one in plan.oob_switches)
    for node in plan.nodes:
        yield node.management.address.ip
        if node.bmc:
            yield node.bmc.address.ip
        yield from (nic.address.ip for nic in node.rails)
        yield from (nic.address.ip for nic in node.nics if nic.address)
        yield from (vlan.address.ip for vlan in node.vlans)
    for rack in plan.racks:
        yield from (pdu.management.address.ip for pdu in rack.pdus if pdu.management)


def ports(plan: Plan) -> dict[str, set[str]]:
    """The ports of every device, as the plan's own objects name them."""
    out: dict[str, set[str]] = defaultdict(set)
    out[plan.oob.name] = {plan.oob.access_port, plan.oob.trunk_port or plan.oob.access_port}
    for zone in plan.oob.zones:
        out[plan.oob.name] |= set(zone.ports)
    for one in plan.switches:
        out[one.name] = {one.management.port, *(port.name for port in one.ports)}
    for other in plan.oob_switches:
        out[other.name] = {port.name for port in other.ports}
    for node in plan.nodes:
        bmc = {node.bmc.port} if node.bmc else set()
        nics = {nic.port for nic in _nics(node)}
        out[node.name] = {node.management.port, *bmc, *nics}
    for rack in plan.racks:
        for pdu in rack.pdus:
            out[pdu.name] = {pdu.management.port} if pdu.management else set()
    return out


def asns_are_apart(plan: Plan) -> None:
    leaves = [one.asn for one in plan.switches if one.tier == "leaf"]
    others = {
        (one.tier, one.plane, one.pod): one.asn for one in plan.switches if one.tier != "leaf"
    }
    assert not twice(leaves)
    assert not twice(others.values())
    assert not set(leaves) & set(others.values())


def both_ends_agree(plan: Plan) -> None:
    by_port = {one.name: {port.name: port for port in one.ports} for one in plan.switches}
    for switch in plan.switches:
        assert not twice(port.name for port in switch.ports)
        assert not twice((one.key, one.vrf) for one in switch.sessions)
        for session in switch.sessions:
            peer, own = plan.switch[session.peer.device], by_port[switch.name][session.port]
            back = [
                one for one in peer.sessions
                if one.port == session.peer.port and one.vrf == session.vrf
            ]  # fmt: skip
            assert [one.peer_asn for one in back] == [switch.asn]
            if own.address and not session.vrf:
                assert back[0].peer_address == own.address.ip
    for node in plan.nodes:
        for nic in _nics(node):
            leaf, port = plan.switch[nic.leaf.device], by_port[nic.leaf.device][nic.leaf.port]
            assert (port.peer.device, port.peer.port) == (node.name, nic.port)
            if nic.address:
                assert port.address
                assert port.address.ip == nic.gateway
                assert any(nic.address.ip in one for one in leaf.aggregates)
        for vlan in node.vlans:
            mine = [nic.leaf.device for nic in node.nics if nic.plane == vlan.plane]
            for leaf_name in mine:
                there = {one.id: one for one in plan.switch[leaf_name].vlans}
                assert vlan.address.ip in there[vlan.vlan].subnet
                assert there[vlan.vlan].gateway == vlan.gateway


def cages_and_bonds_have_one_use(plan: Plan) -> None:
    for switch in plan.switches:
        ways: dict[int, set[int]] = defaultdict(set)
        bonds: dict[int, set[object]] = defaultdict(set)
        for port in switch.ports:
            ways[port.cage].add(port.ways)
            if port.bond is not None:
                bonds[port.bond].add((port.peer.device, port.plane))
        assert all(len(one) == 1 for one in ways.values())
        assert all(len(one) == 1 for one in bonds.values())


def racks_hold_one_device_a_unit(plan: Plan) -> None:
    for rack in plan.racks:
        taken = [
            unit for one in rack.devices for unit in range(one.unit, one.unit + one.rack_units)
        ]
        assert not twice(taken)
        assert not taken or max(taken) <= rack.units
        assert rack.power_w <= rack.limit_w
    if plan.racks:
        placed = [one.device for rack in plan.racks for one in rack.devices]
        assert not twice(placed)
        assert {*plan.switch, *plan.node} <= set(placed)


def nics_have_their_own_routes(plan: Plan) -> None:
    for node in plan.nodes:
        routed = [nic for nic in _nics(node) if nic.table]
        assert not twice(nic.table for nic in routed)
        assert not twice(nic.rule_priority for nic in routed)
        assert not twice((nic.rail, nic.nic_plane) for nic in node.rails)
