"""What NICs are told of the classes: the tables of IEEE 802.1Q, and what a NIC takes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inventory.nodes.host_devices import device_vars
from inventory.nodes.host_qos import class_wishes, dscp_priorities, marks, paused, shares
from inventory.plan import Lossless, Node
from tests.roles import wishes

PLAN = wishes.plan()
NODE = next(node for node in PLAN.nodes if node.software.gpu)
# As `lossless.mode` makes them: with PFC, with classes alone, and without classes.
ECN = replace(
    PLAN.lossless,
    mode="ecn",
    classes=tuple(replace(one, lossless=False) for one in PLAN.lossless.classes),
)
MARKING = replace(PLAN.lossless, mode="marking-only", classes=())


def told(lossless: Lossless) -> dict[str, str]:
    return dict(one.split(" ", 1) for one in class_wishes(lossless))


@pytest.mark.parametrize("lossless", [PLAN.lossless, ECN], ids=["full", "ecn"])
def test_shares_of_the_classes_that_are_not_strict_are_all_of_the_port(lossless):
    """A class is counted once, however many priorities it has (802.1Qaz, ETS)."""
    rows = {tuple(one.split("/")) for one in shares(lossless)}
    assert len(rows) == len({tc for tc, _, _ in rows}) == 3
    assert sum(int(percent) for _, kind, percent in rows if kind == "ets") == 100
    assert [(tc, percent) for tc, kind, percent in rows if kind == "strict"] == [("6", "0")]


def test_every_dscp_has_a_priority_and_only_two_have_another_than_best_effort():
    found = dscp_priorities(PLAN.lossless)
    assert len(found) == 64
    assert {dscp: one for dscp, one in enumerate(found) if one} == {26: 3, 48: 6}


def test_pfc_is_asked_of_the_lossless_priority_alone_and_only_in_full():
    assert paused(PLAN.lossless) == [0, 0, 0, 1, 0, 0, 0, 0]
    assert told(PLAN.lossless)["pfc"] == "0,0,0,1,0,0,0,0"
    assert told(ECN)["pfc"] == "0,0,0,0,0,0,0,0"
    assert "buffer" not in told(ECN)
    assert told(ECN)["ecn"] == "3"


def test_without_classes_only_marks_are_asked_and_nothing_may_be_paused():
    assert told(MARKING) == {"no_pfc": "all"}
    assert marks(MARKING) == marks(PLAN.lossless) == ["cm_mode RoCE v2", "tos 106", "tclass 106"]


def devices(node: Node, lossless: Lossless) -> dict[str, list[str]]:
    rows = device_vars(node, lossless)["roce_nic_devices"]
    assert isinstance(rows, list)
    return {one["port"]: one["wishes"] for one in rows}


def test_a_cable_is_told_in_whole_metres_and_never_as_none():
    """0 keeps what was there before: mlx5 would not take it."""
    lengths = {0.5: "cable 1", 2.5: "cable 3", 30.0: "cable 30"}
    for metres, wish in lengths.items():
        nic = replace(NODE.rails[0], cable_m=metres)
        assert devices(replace(NODE, rails=(nic,)), PLAN.lossless)[nic.port] == [wish]
        assert devices(replace(NODE, rails=(nic,)), ECN)[nic.port] == []


def test_packets_out_of_order_are_asked_where_the_plan_asks_for_them():
    nic = replace(NODE.rails[0], out_of_order=True)
    assert devices(replace(NODE, rails=(nic,)), ECN)[nic.port] == ["out_of_order on"]


def test_rails_and_storage_with_rdma_carry_the_class_and_business_does_not():
    rdma = {one.port for one in NODE.nics if one.plane == "storage" and one.rdma_device}
    assert rdma
    assert devices(NODE, PLAN.lossless).keys() == {one.port for one in NODE.rails} | rdma
