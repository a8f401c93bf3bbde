"""Rows from elsewhere into asbuilt.csv: repeatable, with its diff, and no contradiction."""

from __future__ import annotations

from dataclasses import replace

from inventory.imports.merge import merge
from tests.inventory.imported import claim, rows

ND1 = ("node-p1-1", "eth0", "02:52:42:02:00:01", "LAB-ND-1")


def test_what_is_there_already_changes_nothing():
    found = merge(rows(), [claim(*ND1)])
    assert not found.differs
    assert not found.problems
    assert found.unchanged == len(rows())


def test_added_changed_and_unchanged_are_told_apart():
    new = claim("node-p1-1", "chassis", "", "LAB-ND-1", "2.0")
    other = claim("node-p1-2", "eth0", "02:52:42:02:00:99", "LAB-ND-2")
    found = merge(rows(), [claim(*ND1), new, other])
    assert found.added == (new.row,)
    assert [(old.mac, now.mac) for old, now in found.changed] == [
        ("02:52:42:02:00:02", "02:52:42:02:00:99")
    ]
    assert found.unchanged == len(rows()) - 1


def test_firmware_seen_stays_with_the_part_and_goes_with_it():
    before = rows()
    before[ND1[:2]] = replace(before[ND1[:2]], firmware="1.0")
    assert not merge(before, [claim(*ND1)]).differs
    replaced = claim("node-p1-1", "eth0", "02:52:42:02:00:77", "LAB-ND-1")
    ((_, new),) = merge(before, [replaced]).changed
    assert new.firmware == ""


def test_a_mac_known_elsewhere_is_a_problem():
    found = merge(rows(), [claim("node-p1-1", "eth0", "02:52:42:02:00:02", "LAB-ND-1")])
    (problem,) = found.problems
    assert str(problem) == (
        "m.csv:2:1 node-p1-1 eth0: found the MAC 02:52:42:02:00:02, expected each MAC once; "
        "node-p1-2 eth0 has it"
    )


def test_two_macs_may_change_places_in_one_import():
    one = claim("node-p1-1", "rail0", "02:52:42:11:00:01", "LAB-NIC-10")
    two = claim("node-p1-1", "rail1", "02:52:42:10:00:01", "LAB-NIC-11")
    found = merge(rows(), [one, two])
    assert not found.problems
    assert len(found.changed) == 2


def test_a_serial_that_moved_is_a_problem_until_it_is_said():
    moved = [
        claim("node-p1-1", "eth0", "02:52:42:02:00:03", "LAB-ND-3"),
        claim("node-p1-1", "chassis", "", "LAB-ND-3"),
    ]
    said = "found the serial LAB-ND-3, expected it on node-p2-1, as before"
    assert any(said in str(one) for one in merge(rows(), moved).problems)
    found = merge(rows(), moved, moved=True)
    assert not found.problems
    assert {row.place for row in found.removed} == {("node-p2-1", "eth0")}


def test_one_serial_claimed_for_two_devices_is_a_problem():
    both = [claim("node-p1-1", "chassis", "", "X"), claim("node-p1-2", "chassis", "", "X")]
    assert len(merge(rows(), both).problems) == 2
    assert len(merge(rows(), both, moved=True).problems) == 2


def test_one_port_claimed_twice_is_a_problem():
    found = merge(rows(), [claim(*ND1), claim(*ND1[:3], "OTHER")])
    assert "each port once" in str(found.problems[0])


def test_an_owner_takes_out_what_it_has_not():
    found = merge(rows(), [claim(*ND1)], owned=frozenset({"node-p1-1"}))
    assert {row.port for row in found.removed} == {"rail0", "rail1"}


def test_the_order_of_claims_changes_nothing():
    claims = [
        claim("node-p1-1", "chassis", "", "LAB-ND-1"),
        claim("node-p2-1", "chassis", "", "LAB-ND-3"),
        claim(*ND1),
    ]
    assert merge(rows(), claims).text == merge(rows(), claims[::-1]).text
