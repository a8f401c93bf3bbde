"""The lab's plan, held against files and numbers that owe nothing to the code."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from inventory import open_site
from inventory.load.site import SITES
from inventory.plan import Cable, Plan
from inventory.topology.wiring import load_wiring

LAB = SITES / "lab"


@pytest.fixture(scope="module")
def plan() -> Plan:
    return open_site("lab")


def ends(cable: Cable) -> frozenset[tuple[str, str]]:
    return frozenset(((cable.a.device, cable.a.port), (cable.b.device, cable.b.port)))


def test_cables_are_those_that_a_person_wired(plan):
    """The oracle: wiring.csv was written by hand, read here without the project's reader."""
    with (LAB / "wiring.csv").open() as file:
        rows = list(csv.DictReader(file))
    by_hand = [
        (
            frozenset(((row["a_device"], row["a_port"]), (row["b_device"], row["b_port"]))),
            row["plane"],
        )
        for row in rows
    ]
    planned = [(ends(cable), cable.plane) for cable in plan.cables]
    assert set(planned) == set(by_hand)
    assert len(planned) == len(set(planned)) == len(by_hand)


def test_our_reader_reads_the_same_wiring(plan):
    wires = {(wire.a, wire.b, wire.plane) for wire in load_wiring(LAB / "wiring.csv")}
    assert wires == {(cable.a, cable.b, cable.plane) for cable in plan.cables}


def test_ports_sessions_and_cables_agree(plan):
    """Three views of one link: the port's peer, the session's peer, the cable's other end."""
    for switch in plan.switches:
        by_port = {port.name: port for port in switch.ports}
        for port in switch.ports:
            back = [
                end
                for end in (plan.cable_at[port.peer].a, plan.cable_at[port.peer].b)
                if end.device == switch.name
            ]
            assert [end.port for end in back] == [port.name]
        for session in switch.sessions:
            assert by_port[session.port].peer == session.peer
            assert plan.switch[session.peer.device].asn == session.peer_asn
        ups = {port.name for port in switch.ports if port.peer.device in plan.switch}
        assert ups == {session.port for session in switch.sessions}


def test_addresses_by_position(plan):
    """Worked by hand from fabric.yml: two rails halve the pool, four pods quarter a half."""
    leaf = plan.switch["leaf-p2-r1"]
    assert str(leaf.aggregates[0]) == "10.16.160.0/19"
    assert str(leaf.loopback) == "10.255.0.4"
    assert leaf.asn == 4200000103
    assert str(plan.switch["spine2"].loopback) == "10.255.64.2"
    assert {plan.switch[name].asn for name in ("spine1", "spine2")} == {4200000000}
    nic = plan.node["node-p2-2"].rails[1]
    assert str(nic.address) == "10.16.160.3/31"
    assert str(nic.gateway) == "10.16.160.2"
    assert str(nic.rail_prefix) == "10.16.128.0/17"
    assert str(nic.fabric_prefix) == "10.16.0.0/16"
    assert str(leaf.ports[1].address) == "10.16.160.2/31"
    assert leaf.ports[1].peer.device == "node-p2-2"


def test_leases(plan):
    leases = {
        lease.name: (str(lease.address), lease.mac, lease.server_port)
        for zone in plan.oob.zones
        for lease in zone.leases
    }
    assert leases["leaf-p1-r0"] == ("10.88.0.11", "02:52:42:01:00:01", "nm1")
    assert leases["spine2"] == ("10.88.0.20", "02:52:42:01:00:06", "nm10")
    assert leases["node-p2-1"] == ("10.88.1.15", "02:52:42:02:00:03", "hm5")
    assert set(leases) == set(plan.devices) - {"oob1"}


def test_waves_change_one_canary_first(plan):
    assert [(wave.name, wave.step, wave.devices, wave.canary) for wave in plan.waves] == [
        ("oob", "oob", ("oob1",), False),
        ("nodes-canary", "nodes", ("node-p1-1", "node-p1-2"), True),
        ("nodes-p2", "nodes", ("node-p2-1", "node-p2-2"), False),
        ("spines-canary", "switches", ("spine1",), True),
        ("spines-rest", "switches", ("spine2",), False),
        ("leaves-canary", "switches", ("leaf-p1-r0",), True),
        ("leaves-r0", "switches", ("leaf-p2-r0",), False),
        ("leaves-r1", "switches", ("leaf-p1-r1", "leaf-p2-r1"), False),
    ]


def test_every_device_is_deployable_and_has_an_identity(plan):
    assert plan.undeployable == ()
    assert all(plan.management_mac.values())


def test_maximum_prefix_holds_every_route_within_the_maxima(plan):
    """8 possible leaves of 2 routes and 4 possible spines of 1: 20, and a quarter more."""
    assert {switch.maximum_prefix for switch in plan.switches} == {25}


def test_the_ledger_says_that_the_switches_can_only_mark(plan):
    assert plan.lossless.mode == "marking-only"
    values = {one.name: one for one in plan.assumptions}
    one = values["profile lab-switch: lossless class"]
    assert "marking-only" in one.value
    assert one.source
    assert not one.measured


def test_tos_byte_of_roce_data(plan):
    """DSCP 26 with ECT(0) is 106 (0x6a), as `ib_write_bw --tclass=106` sends it."""
    assert plan.lossless.tos == 106


def test_a_device_without_an_as_built_row_is_planned_but_not_deployed(tmp_path):
    site = copy_of_lab(tmp_path)
    rows = (site / "asbuilt.csv").read_text().splitlines()
    kept = [row for row in rows if not row.startswith(("spine1,eth0", "node-p1-1,rail1"))]
    (site / "asbuilt.csv").write_text("\n".join(kept) + "\n")
    plan = open_site(site)
    assert plan.undeployable == ("spine1",)
    assert not any("spine1" in wave.devices for wave in plan.waves)
    assert [wave.devices for wave in plan.waves if wave.name.startswith("spines")] == [("spine2",)]
    assert "spine1" not in {lease.name for zone in plan.oob.zones for lease in zone.leases}
    assert plan.switch["leaf-p1-r0"].sessions[0].peer.device == "spine1"
    assert plan.node["node-p1-1"].rails[1].mac is None


def copy_of_lab(folder: Path) -> Path:
    for name in ("fabric.yml", "asbuilt.csv"):
        (folder / name).write_bytes((LAB / name).read_bytes())
    return folder
