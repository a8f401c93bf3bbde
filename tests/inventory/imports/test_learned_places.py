"""Who sits where, from what was seen: swapped, misplaced, strange, missing and new."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from inventory.imports.circuits import PortFinder, Relay, relay_of
from inventory.imports.learned import Learned, known, learn, neighbour_seats, oob_seats
from inventory.imports.leases import read_leases
from inventory.imports.lldp import read_neighbours
from inventory.imports.merge import Place
from inventory.imports.sightings import Sighting
from inventory.plan import PortRef
from inventory.topology.asbuilt_rows import BuiltRow
from tests.inventory.imported import EVIDENCE, lab, ports, rows

KEA = "address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state,"
KEA += "user_context,pool_id\n"


def seats() -> frozenset[PortRef]:
    return oob_seats(lab()[1], ports())


def finder() -> PortFinder:
    ends = {end for one in lab()[1].cables if one.plane == "oob" for end in (one.a, one.b)}
    return PortFinder.of(frozenset(ends - seats()))


def server_port(device: str) -> PortRef:
    """The OOB server's port that a device's management cable ends in."""
    plan = lab()[1]
    (seat,) = (one for one in seats() if one.device == device)
    cable = plan.cable_at[seat]
    return cable.a if cable.a.device == plan.oob.name else cable.b


def all_seen(but: tuple[str, ...] = ()) -> list[Sighting]:
    """Every device at its own port of the OOB server, as asbuilt.csv has it."""
    return [
        Sighting(server_port(seat.device), rows()[seat.device, seat.port].mac)
        for seat in sorted(seats())
        if seat.device not in but
    ]


def held(
    sightings: list[Sighting],
    before: dict[Place, BuiltRow] | None = None,
    serials: dict[str, str] | None = None,
) -> Learned:
    plan = lab()[1]
    known_rows = rows() if before is None else before
    return learn(sightings, known(plan, ports(), known_rows, serials or {}), seats())


def test_all_as_planned():
    found = held(all_seen())
    assert found.exit_code == 0
    assert len(found.as_planned) == len(seats()) == 10


def test_nothing_seen_is_no_pass():
    assert held([]).exit_code == 3


def test_two_at_each_others_place_are_swapped():
    a, b = "node-p1-1", "node-p1-2"
    seen = all_seen(but=(a, b))
    seen += [
        Sighting(server_port(a), rows()[b, "eth0"].mac),
        Sighting(server_port(b), rows()[a, "eth0"].mac),
    ]
    found = held(seen)
    ((one, other),) = found.swapped
    assert {one.who.device, other.who.device} == {a, b}
    assert not found.misplaced
    assert not found.missing
    assert found.exit_code == 1


def test_a_device_in_anothers_seat_and_one_at_a_port_without_a_cable():
    seen = all_seen(but=("node-p1-1", "node-p2-2"))
    seen.append(Sighting(server_port("node-p2-2"), rows()["node-p1-1", "eth0"].mac))
    seen.append(Sighting(PortRef("oob1", "nm99"), rows()["node-p2-2", "eth0"].mac))
    found = held(seen)
    assert {(one.who.device, one.seat_of) for one in found.misplaced} == {
        ("node-p1-1", PortRef("node-p2-2", "eth0")),
        ("node-p2-2", None),
    }


def test_missing_and_strangers():
    seen = [*all_seen(but=("spine2",)), Sighting(server_port("spine2"), "02:00:00:00:00:99")]
    seen.append(Sighting(None, "02:00:00:00:00:98", "0004000100"))
    found = held(seen, serials={"02:00:00:00:00:99": "SN-99"})
    assert found.missing == (PortRef("spine2", "eth0"),)
    assert [(one.who, one.serial, one.seat_of) for one in found.strangers] == [
        ("02:00:00:00:00:98", "", None),
        ("02:00:00:00:00:99", "SN-99", PortRef("spine2", "eth0")),
    ]


def test_a_new_mac_in_a_free_seat_becomes_a_row():
    before = {place: row for place, row in rows().items() if place[0] != "node-p2-2"}
    seat = server_port("node-p2-2")
    seen = [*all_seen(but=("node-p2-2",)), Sighting(seat, "02:52:42:02:00:44", file="l", line=3)]
    found = held(seen, before)
    assert [str(one.row) for one in found.unproven] == ["node-p2-2 eth0 02:52:42:02:00:44 "]
    assert not found.missing
    found = held(seen, before, {"02:52:42:02:00:44": "SN-44"})
    assert [one.row.serial for one in found.proposed] == ["SN-44"]
    assert found.exit_code == 1


def test_two_new_macs_in_one_seat_are_strangers():
    before = {place: row for place, row in rows().items() if place[0] != "node-p2-2"}
    seat = server_port("node-p2-2")
    seen = [Sighting(seat, "02:00:00:00:00:01"), Sighting(seat, "02:00:00:00:00:02")]
    found = held(seen, before)
    assert not found.proposed + found.unproven
    assert len(found.strangers) == 2


def test_a_new_nic_of_a_known_machine_gets_the_machines_serial_not_another_nics():
    before = {place: row for place, row in rows().items() if place != ("node-p1-1", "rail1")}
    plan = lab()[1]
    leaf = plan.cable_at[PortRef("node-p1-1", "rail1")].a
    seen = [Sighting(leaf, "02:52:42:11:00:77")]
    assert [one.row.serial for one in held(seen, before).proposed] == ["LAB-ND-1"]
    # A manifest that does not have this MAC leaves it unproven.
    other = held(seen, before, {"02:00:00:00:00:55": "SN-55"})
    assert not other.proposed
    assert [one.row.mac for one in other.unproven] == ["02:52:42:11:00:77"]


def test_the_nic_of_another_machine_in_a_free_seat_is_a_stranger():
    before = {place: row for place, row in rows().items() if place != ("node-p1-1", "rail1")}
    leaf = lab()[1].cable_at[PortRef("node-p1-1", "rail1")].a
    found = held([Sighting(leaf, "02:52:42:11:00:77")], before, {"02:52:42:11:00:77": "SN-OTHER"})
    assert not found.proposed
    (one,) = found.strangers
    assert (one.serial, one.seat_of) == ("SN-OTHER", PortRef("node-p1-1", "rail1"))


def test_the_last_place_of_a_mac_counts():
    mac = rows()["node-p1-1", "eth0"].mac
    seen = [Sighting(server_port("node-p1-2"), mac), *all_seen(), Sighting(None, mac)]
    assert held(seen).exit_code == 0


def test_dnsmasqs_log_tells_ports_as_far_as_it_prints_them():
    """Captured from dnsmasq 2.90: it prints fourteen bytes of option 82 at most."""
    text = (EVIDENCE / "dnsmasq/log_dhcp_option82.log").read_text()
    known_ports = frozenset({PortRef("oob-sw-1", "swp1"), PortRef("oob-sw-1", "swp2")})
    found, problems = read_leases(text, "log", PortFinder.of(known_ports))
    assert not problems
    assert {(one.mac, one.at, one.circuit) for one in found} == {
        ("02:52:42:02:00:01", PortRef("oob-sw-1", "swp1"), ""),
        ("02:52:42:02:00:02", PortRef("oob-sw-1", "swp2"), ""),
        ("02:52:42:02:00:03", None, "000400010007"),
    }


def test_dnsmasqs_lease_file_tells_only_who_was_there():
    found, problems = read_leases((EVIDENCE / "dnsmasq/leases").read_text(), "leases", finder())
    assert not problems
    assert {one.mac for one in found} == {f"02:52:42:02:00:0{one}" for one in (1, 2, 3)}
    assert {one.at for one in found} == {None}


def kea(mac: str, context: str) -> str:
    return f"10.88.1.11,{mac},,3600,1694000905,1,0,0,node,0,{context},0\n"


@pytest.mark.parametrize(
    "context",
    [
        '{ "ISC": { "relay-agent-info": { "sub-options": "0x0103686d31" } } }',
        '{"ISC":{"relay-agent-info":{"remote-id":"6F"&#x2c "sub-options":"0x0103686D3102016F"}}}',
        '{ "ISC": { "relay-agent-info": "0x0103686d31" } }',
    ],
)
def test_keas_leases_tell_the_port(context):
    seat = server_port("node-p1-1")
    assert seat == PortRef("oob1", "hm1")
    found, problems = read_leases(KEA + kea("02:52:42:02:00:01", context), "kea.csv", finder())
    assert not problems
    assert [(one.mac, one.at) for one in found] == [("02:52:42:02:00:01", seat)]


def test_keas_later_line_without_relay_does_not_unsay_the_port():
    context = '{ "ISC": { "relay-agent-info": { "sub-options": "0x0103686d31" } } }'
    mac = "02:52:42:02:00:01"
    found, _ = read_leases(KEA + kea(mac, context) + kea(mac, ""), "kea.csv", finder())
    assert [one.at for one in found] == [PortRef("oob1", "hm1")]


@pytest.mark.parametrize("context", ["{", "[]", '{"ISC": 3}', '{"ISC":{"relay-agent-info":7}}'])
def test_keas_other_contexts_name_no_port(context):
    found, problems = read_leases(KEA + kea("02:52:42:02:00:01", context), "kea.csv", finder())
    assert [one.at for one in found] == [None]
    assert not problems


def test_what_are_no_leases():
    assert read_leases("", "l", finder()) == ((), ())
    assert read_leases("hello\n", "l", finder())[1]
    assert read_leases(KEA + "10.1.1.1,zz,,,,,,,,,,\n", "l", finder())[1]


@pytest.mark.parametrize(
    ("circuit", "remote"),
    [("oob1:hm1", ""), ("oob1/hm1", "x"), ("oob1 hm1", ""), ("hm1", "oob1"), ("hm1", "")],
)
def test_a_relay_names_a_port_in_several_ways(circuit, remote):
    assert finder().find(Relay(circuit, remote)) == PortRef("oob1", "hm1")


def test_a_name_that_two_switches_have_stands_for_neither():
    both = PortFinder.of(frozenset({PortRef("a", "swp1"), PortRef("b", "swp1")}))
    assert both.find(Relay("swp1", "")) is None
    assert both.find(Relay("swp1", "b")) == PortRef("b", "swp1")


def test_bytes_of_option_82():
    assert relay_of(b"\x01\x04swp1\x02\x01\xff") == Relay("swp1", "ff")
    assert relay_of(b"\x01\x09swp1") is None
    assert relay_of(b"\x01") is None


def neighbours(folder: Path, switch: str, name: str) -> tuple[Sighting, ...]:
    found, problems = read_neighbours((folder / name).read_text(), name, switch)
    assert not problems
    return found


def by_lldp(sightings: tuple[Sighting, ...], *switches: str) -> Learned:
    plan = lab()[1]
    return learn(
        sightings,
        known(plan, ports(), rows(), {}),
        neighbour_seats(plan, frozenset(switches)),
    )


@pytest.mark.parametrize("name", ["four_neighbours.json", "four_neighbours.json0"])
def test_neighbours_as_planned(name):
    found = by_lldp(neighbours(EVIDENCE / "lldpcli", "leaf-p1-r0", name), "leaf-p1-r0")
    assert found.exit_code == 0
    assert len(found.as_planned) == 4


def test_neighbours_of_another_switch_are_misplaced():
    """What leaf-p1-r0 hears, taken for what leaf-p1-r1 hears: its nodes, by the wrong NIC."""
    seen = neighbours(EVIDENCE / "lldpcli", "leaf-p1-r1", "four_neighbours.json")
    found = by_lldp(seen, "leaf-p1-r1")
    assert PortRef("node-p1-1", "rail0") in {one.who for one in found.misplaced}
    assert PortRef("node-p1-1", "rail1") in found.missing
    assert found.exit_code == 1


def test_no_neighbour_is_nothing_seen():
    seen = neighbours(EVIDENCE / "lldpcli", "leaf-p1-r0", "no_neighbour.json")
    assert by_lldp(seen, "leaf-p1-r0").exit_code == 3


def mac_port(port: str, mac: str) -> dict[str, object]:
    chassis = {"id": {"type": "mac", "value": mac}}
    return {port: {"chassis": chassis, "port": {"id": {"type": "mac", "value": mac}}}}


def test_a_port_that_speaks_its_mac_is_known_by_it():
    """IEEE 802.1AB, 8.5.3: a port id of the subtype MAC address, as NICs' firmware sends it."""
    right, wrong = rows()["node-p1-1", "rail0"].mac, "02:00:00:00:00:77"
    text = json.dumps({"lldp": {"interface": [mac_port("swp1", right), mac_port("swp2", wrong)]}})
    seen, problems = read_neighbours(text, "f", "leaf-p1-r0")
    assert not problems
    found = by_lldp(seen, "leaf-p1-r0")
    assert found.as_planned == (PortRef("node-p1-1", "rail0"),)
    assert [(one.who, one.seat_of) for one in found.strangers] == [
        (wrong, PortRef("node-p1-2", "rail0"))
    ]


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"lldp": {"interface": [3, {"a": 1}]}}', "[" * 9999]
)
def test_what_is_no_lldpcli_output_never_raises(text):
    seen, _ = read_neighbours(text, "f", "leaf-p1-r0")
    assert not seen


@pytest.mark.samples
def test_a_capture_by_others_is_read():
    folder = Path(os.environ["RAILBED_SAMPLES"])
    seen = neighbours(folder, "leaf5", "lldp_sw.json")
    assert {one.at.port for one in seen if one.at} >= {"swp1", "swp2"}
    assert {one.system for one in seen} >= {"node6", "node7"}
    assert all(one.near for one in seen)
