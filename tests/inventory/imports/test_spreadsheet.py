"""devices.csv and cables.csv: what differs from the plan, and the rows they bring."""

from __future__ import annotations

import pytest

from inventory.imports.compare import cables_text, compare_cables, compare_devices
from inventory.imports.merge import merge
from inventory.imports.spreadsheet import device_claims, read_cables, read_devices
from inventory.plan import Plan
from inventory.topology.wiring import load_wiring
from tests.inventory.imported import lab, ports, rows


def devices_of(plan: Plan) -> str:
    """What a careful person would list: every device as planned."""
    lines = ["name,role,position,serial", f"{plan.oob.name},oob,,"]
    lines += [f"{one.name},{one.tier},,S-{one.name}" for one in plan.switches]
    lines += [f"{one.name},node,{one.position},S-{one.name}" for one in plan.nodes]
    return "\n".join([*lines, ""])


def cables_of(plan: Plan) -> str:
    lines = [f"{one.b.device},{one.b.port},{one.a.device},{one.a.port}" for one in plan.cables]
    return "\n".join(["a_device,a_port,b_device,b_port", *lines, ""])


def test_a_list_as_planned_differs_in_nothing(tmp_path):
    plan = lab()[1]
    devices, wrong = read_devices(devices_of(plan), "devices.csv")
    wires, also_wrong = read_cables(cables_of(plan), "cables.csv")
    assert not wrong + also_wrong
    assert not compare_devices(plan, devices)
    assert not compare_cables(plan, wires)
    path = tmp_path / "cables.csv"
    path.write_text(cables_text(plan, wires))
    written = {(wire.a, wire.b, wire.plane) for wire in load_wiring(path)}
    assert written == {(one.a, one.b, one.plane) for one in plan.cables}


def test_each_kind_of_difference_in_devices_is_said():
    text = "name,role,profile,rack,position\n" + "\n".join(
        [
            "oob1,oob,,,",
            *(f"leaf-p{pod}-r{rail},leaf,,,"
              for pod in (1, 2) for rail in (0, 1)),
            "spine1,leaf,lab-switch,,",
            "node-p1-1,node,other-node,2,1",
            "node-p1-2,node,lab-node,2,1",
            "node-p2-1,,,,",
            "node-p2-2,,,,",
            "spine9,spine,,,",
        ]
    )  # fmt: skip
    devices, wrong = read_devices(text, "devices.csv")
    assert not wrong
    found = [
        (one.what, one.name, one.theirs, one.ours) for one in compare_devices(lab()[1], devices)
    ]
    assert found == [
        ("other profile", "node-p1-1", "other-node", "lab-node"),
        ("other rack", "node-p1-1", "2", "1"),
        ("other position", "node-p1-2", "1", "2"),
        ("other role", "spine1", "leaf", "spine"),
        ("missing device", "spine2", "", "planned"),
        ("extra device", "spine9", "listed", ""),
    ]


def test_each_kind_of_difference_in_cables_is_said():
    plan = lab()[1]
    lines = cables_of(plan).splitlines()
    moved = next(at for at, line in enumerate(lines) if "node-p1-1,rail0" in line)
    lines[moved] = "node-p1-1,rail0,leaf-p1-r0,swp31"
    lines = [line for line in lines if "spine2,swp1," not in line]
    lines.append("printer,eth0,leaf-p1-r0,swp30")
    wires, wrong = read_cables("\n".join(lines), "cables.csv")
    assert not wrong
    assert [(one.what, one.name, one.theirs) for one in compare_cables(plan, wires)] == [
        ("extra cable", "leaf-p1-r0:swp30", "leaf-p1-r0:swp30 -- printer:eth0"),
        ("missing cable", "leaf-p1-r0:swp6", ""),
        ("other port", "leaf-p1-r0:swp31", "leaf-p1-r0:swp31 -- node-p1-1:rail0"),
    ]


def test_identities_become_rows_and_a_second_time_changes_nothing():
    text = "name,serial,mac,firmware\nnode-p1-1,NEW-1,02:52:42:02:00:0a,2.4\nspine1,,,\n"
    devices, wrong = read_devices(text, "devices.csv")
    claims, also_wrong = device_claims(devices, ports())
    assert not wrong + also_wrong
    first = merge(rows(), claims)
    assert [str(row) for row in first.added] == ["node-p1-1 chassis - NEW-1 firmware 2.4"]
    assert [(old.mac, new.mac) for old, new in first.changed] == [
        ("02:52:42:02:00:01", "02:52:42:02:00:0a")
    ]
    assert not merge({row.place: row for row in first.rows}, claims).differs


def test_all_that_is_wrong_in_devices_at_once():
    text = "name,serial,mac\na,S1,0252\na,S2,\nb,,02:00:00:00:00:01\n,S3,\nc,S 4,\n"
    _, problems = read_devices(text, "devices.csv")
    beside = "a MAC address is written down with the serial number of its machine"
    assert [str(one).partition(" found ")[2] for one in problems] == [
        "'0252', expected a MAC address; six bytes in lower case, like 02:52:42:01:00:01",
        f"no serial number, expected one beside the MAC address; {beside}",
        "nothing, expected a name",
        "'S 4', expected a serial number; letters, digits, `.` `_` `/` `-`",
    ]
    assert [one.line for one in problems] == [2, 4, 5, 6]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "''"),
        ("serial\nx\n", "no column `name`"),
        ("name,seriel\nx,y\n", "did you mean 'serial'?"),
        ("name,name\nx,y\n", "'name' a second time"),
    ],
)
def test_what_is_no_list_of_devices(text, said):
    devices, problems = read_devices(text, "devices.csv")
    assert not devices
    assert any(said in str(one) for one in problems)


def test_all_that_is_wrong_in_cables_at_once():
    text = (
        "a_device,a_port,b_device,b_port,plane\na,p1,b,p1,\na,p1,c,p1,compute\n"
        "d,p1,d,p1,oob\nE,p2,f,p 2,compte\n,p,g,p,\n"
    )
    wires, problems = read_cables(text, "cables.csv")
    assert len(wires) == 1
    assert [one.line for one in problems] == [3, 4, 5, 5, 5, 6]
