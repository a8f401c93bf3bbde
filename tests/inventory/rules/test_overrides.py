"""A derived value may differ for one device; the rest of the plan follows it."""

from __future__ import annotations

from pathlib import Path

from inventory import open_site
from inventory.load.site import SITES
from inventory.plan import Plan

LAB = SITES / "lab"


def with_overrides(folder: Path, text: str) -> Plan:
    fabric = (LAB / "fabric.yml").read_text()
    assert "overrides: {}" in fabric
    (folder / "fabric.yml").write_text(fabric.replace("overrides: {}", f"overrides:\n{text}"))
    (folder / "asbuilt.csv").write_bytes((LAB / "asbuilt.csv").read_bytes())
    return open_site(folder)


def test_asn_is_also_what_the_neighbours_expect(tmp_path):
    plan = with_overrides(tmp_path, "  leaf-p1-r0: {asn: 4200000177}\n")
    assert plan.switch["leaf-p1-r0"].asn == 4200000177
    seen = {
        one.peer_asn for one in plan.switch["spine2"].sessions if one.peer.device == "leaf-p1-r0"
    }
    assert seen == {4200000177}


def test_loopback_is_also_what_is_announced(tmp_path):
    plan = with_overrides(tmp_path, "  spine1: {loopback: 10.255.200.1}\n")
    assert str(plan.switch["spine1"].loopback) == "10.255.200.1"
    assert [str(one) for one in plan.switch["spine1"].originates] == ["10.255.200.1/32"]


def test_management_address_is_also_the_lease(tmp_path):
    plan = with_overrides(tmp_path, "  node-p1-1: {management_address: 10.88.1.77}\n")
    assert str(plan.node["node-p1-1"].management.address) == "10.88.1.77/24"
    leases = {one.name: one for zone in plan.oob.zones for one in zone.leases}
    assert str(leases["node-p1-1"].address) == "10.88.1.77"


def test_overrides_are_reported(tmp_path):
    plan = with_overrides(tmp_path, "  leaf-p1-r0: {asn: 4200000177}\n")
    ledger = {one.name: one.value for one in plan.assumptions}
    assert ledger["override leaf-p1-r0: asn"] == "4200000177 instead of 4200000100"
    assert not [one for one in open_site("lab").assumptions if one.name.startswith("override")]


def test_nobody_else_changes(tmp_path):
    plain, other = (
        open_site("lab"),
        with_overrides(tmp_path, "  spine1: {loopback: 10.255.200.1}\n"),
    )
    assert plain.nodes == other.nodes
    assert plain.cables == other.cables
    changed = {one.name for one in plain.switches if one != other.switch[one.name]}
    assert changed == {"spine1"}
