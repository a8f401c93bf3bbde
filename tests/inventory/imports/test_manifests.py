"""Makers' manifests: each published form, any form by its columns, and what is refused."""

from __future__ import annotations

import json

import pytest

from inventory import InventoryError
from inventory.imports.forms import form_named, forms
from inventory.imports.machines import read_manifest
from inventory.imports.merge import merge
from inventory.imports.placing import Named, place, read_names, serial_by_mac
from tests.inventory.imported import ports, rows, with_bmc

# Columns and values as in the makers' own documentation, with the lab's names and MACs.
OMNIA = (
    "FUNCTIONAL_GROUP_NAME,GROUP_NAME,SERVICE_TAG,PARENT_SERVICE_TAG,HOSTNAME,ADMIN_MAC,"
    "ADMIN_IP,BMC_MAC,BMC_IP,IB_NIC_NAME,IB_IP\n"
    "slurm_node_x86_64,grp1,ABCD34,,node-p1-1,02:52:42:02:00:01,172.16.1.11,"
    "02:52:42:03:00:01,172.17.1.11,,\n"
)
OLD_OMNIA = "SERVICE_TAG,HOSTNAME,ADMIN_MAC,ADMIN_IP,BMC_IP\nXX1,node-p1-1,02:52:42:02:00:01,,\n"
CRAY = (
    "Xname,Role,Subrole,BMC MAC,Bootstrap MAC, Bond0 MAC0, Bond0 MAC1\n"
    "x3000c0s9b0n0,Management,Storage,02:52:42:03:00:01,de:ad:be:ef:00:00,"
    "de:ad:be:ef:00:00,de:ad:be:ef:00:00\n"
)
NICO = json.dumps(
    {
        "expected_machines": [
            {
                "bmc_mac_address": "02:52:42:03:00:0A",
                "bmc_username": "root",
                "bmc_password": "never-print-me",
                "chassis_serial_number": "SERIAL-1",
                "interfaces": [
                    {"mac_address": "02:52:42:02:00:0A", "role": "host"},
                    {"mac_address": "02:52:42:03:00:0A", "role": "host_bmc"},
                ],
            }
        ]
    }
)


def read(text: str, maker: str = "", columns: str = "", file: str = "m.csv"):
    return read_manifest(text, file, form_named(maker, columns, file))


def test_there_are_three_published_forms_with_their_sources():
    known = forms()
    assert len({one.maker for one in known.values()}) >= 3
    assert all(one.source and one.ports for one in known.values())


@pytest.mark.parametrize("text", [OMNIA, OLD_OMNIA, "\ufeff" + OMNIA.replace("\n", "\r\n")])
def test_dell_omnia(text):
    (machine,), problems = read(text, "dell-omnia")
    assert not problems
    assert machine.name == "node-p1-1"
    assert ("management", "02:52:42:02:00:01") in machine.macs


def test_hpe_cray_has_no_serials_and_its_placeholder_is_no_mac():
    machines, problems = read(CRAY, "hpe-cray")
    assert not problems
    assert machines[0].macs == (("bmc", "02:52:42:03:00:01"),)
    assert machines[0].more_macs == ()
    where = with_bmc(ports())
    lost = place(machines, where, {"x3000c0s9b0n0": Named("node-p1-1", "")}, {}, {})
    assert [one.path for one in lost.problems] == ["serial"]
    found = place(machines, where, {"x3000c0s9b0n0": Named("node-p1-1", "S1")}, {}, {})
    assert [(one.row.port, one.row.serial) for one in found.claims] == [
        ("chassis", "S1"),
        ("bmc", "S1"),
    ]


def test_nvidia_nico_and_no_password_goes_anywhere():
    (machine,), problems = read(NICO, "nvidia-nico", file="m.json")
    assert not problems
    assert machine.serial == "SERIAL-1"
    assert machine.macs == (("bmc", "02:52:42:03:00:0a"),)
    assert machine.more_macs == ("02:52:42:02:00:0a",)
    assert "never-print-me" not in repr(machine)
    assert serial_by_mac([machine])["02:52:42:02:00:0a"] == "SERIAL-1"


def test_any_form_by_its_columns():
    columns = "serial=S/N,rack=Rack,unit=U,bmc=BMC MAC,rail0=NIC 1"
    text = 'S/N,Rack,U,BMC MAC,NIC 1\nA1,"R 7",12,0252.4203.0001,02-52-42-10-00-01\n'
    (machine,), problems = read(text, columns=columns)
    assert not problems
    assert machine.location == "R 7/12"
    assert machine.macs == (("bmc", "02:52:42:03:00:01"), ("rail0", "02:52:42:10:00:01"))
    names, wrong = read_names("machine,device\nR 7/12,node-p1-1\n", "n.csv", ports())
    assert not wrong
    placed = place([machine], with_bmc(ports()), names, {}, {})
    assert {one.row.device for one in placed.claims} == {"node-p1-1"}


def test_a_second_import_changes_nothing_and_a_nic_keeps_its_own_serial():
    text = (
        "SN,Name,M,R\nLAB-ND-1,node-p1-1,02:52:42:02:00:01,02:52:42:10:00:01\n"
        "NEW-2,node-p1-2,02:52:42:02:00:02,02:52:42:10:00:02\n"
    )
    machines, _ = read(text, columns="serial=SN,name=Name,management=M,rail0=R")
    first = merge(rows(), place(machines, ports(), {}, rows(), {}).claims)
    assert not first.problems
    assert {row.place: row.serial for row in first.added} == {
        ("node-p1-1", "chassis"): "LAB-ND-1",
        ("node-p1-2", "chassis"): "NEW-2",
    }
    assert {(new.device, new.port, new.serial) for _, new in first.changed} == {
        ("node-p1-2", "eth0", "NEW-2")
    }
    after = {row.place: row for row in first.rows}
    assert after["node-p1-1", "rail0"].serial == "LAB-NIC-10"
    assert not merge(after, place(machines, ports(), {}, after, {}).claims).differs


def test_a_known_serial_places_a_machine():
    machines, _ = read("SN,M\nLAB-ND-3,02:52:42:02:00:33\n", columns="serial=SN,management=M")
    found = place(machines, ports(), {}, rows(), {})
    assert {one.row.device for one in found.claims} == {"node-p2-1"}


def test_a_machine_that_nothing_places_is_reported():
    machines, _ = read("SN,Name,M\nA1,host9,02:52:42:02:00:33\n", columns="serial=SN,name=Name")
    found = place(machines, ports(), {}, rows(), {})
    assert not found.claims
    assert [str(one) for one in found.unplaced] == ["A1"]


def test_all_that_is_wrong_at_once():
    text = "SN,Name,M\n,a,\nA1,b,02:52\nA1,b,02:52:42:02:00:01\nA2,c\n"
    machines, problems = read(text, columns="serial=SN,name=Name,management=M")
    assert len(machines) == 3
    again = "a second time, expected each machine once; see line 3"
    assert [str(one) for one in problems] == [
        "m.csv:5:1: found 2 cells, expected 3, as in the header",
        "m.csv:2:1 SN: found '', expected a serial number; letters, digits, `.` `_` `/` `-`",
        "m.csv:3:1 M: found '02:52', expected a MAC address",
        f"m.csv:4:1 serial: found the serial 'A1' {again}",
        f"m.csv:4:1 name: found the name 'b' {again}",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "an empty file"),
        ("Serial,M\nA1,x\n", "no column 'SN'"),
        ('SN,M\n"A1,x\n', "a CSV file (RFC 4180)"),
    ],
)
def test_what_is_no_such_csv(text, said):
    machines, problems = read(text, columns="serial=SN,management=M")
    assert not machines
    assert said in str(problems[0])


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"expected_machines": 3}', '{"expected_machines": [1]}', "[" * 9999]
)
def test_what_is_no_such_json(text):
    machines, problems = read(text, "nvidia-nico", file="m.json")
    assert not machines
    assert problems


def test_a_port_that_the_device_has_not_is_a_problem():
    machines, _ = read(OMNIA, "dell-omnia")
    (problem,) = place(machines, ports(), {}, rows(), {}).problems
    assert "found a MAC for `bmc`, expected a port of node-p1-1" in str(problem)


@pytest.mark.parametrize(
    ("maker", "columns", "said"),
    [
        ("dell", "", "expected `dell-omnia`, `hpe-cray` or `nvidia-nico`"),
        ("nvidia-nioc", "", "did you mean 'nvidia-nico'?"),
        ("", "serial", "our name = the column's name"),
    ],
)
def test_no_such_form(maker, columns, said):
    with pytest.raises(InventoryError, match=said):
        form_named(maker, columns)


def test_names_are_checked():
    text = "machine,device,serial\nA,node-p1-9,\nB,node-p1-1,ok\nB,node-p1-2,ok\nC,node-p1-1,n o\n"
    names, problems = read_names(text, "n.csv", ports())
    assert list(names) == ["B"]
    assert [one.line for one in problems] == [2, 4, 5]
