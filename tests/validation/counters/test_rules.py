"""Rules of counters: the class's queue and group inside a box, and counters that are not there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inventory.plan import Lossless, PortRef
from switch_configs.answers.port_counters import PortCounters
from tests.validation import roce_site
from tests.validation.roce_site import Nic
from validation.counters import host
from validation.counters.rules import Counted, Opinion, alone, no_discards

PORT, NIC = PortRef("leaf1", "swp1"), PortRef("node-p1-1", "rail0")
NOTHING = dict.fromkeys(range(8), 0)


def port(queue: int | None = None, group: int | None = None) -> PortCounters:
    """It dropped nothing but one packet of this queue, and of this priority group."""
    queues = {one: int(one == queue) for one in NOTHING}
    groups = {one: int(one == group) for one in NOTHING}
    return PortCounters("swp1", 1, 1, queue_drops=queues, group_drops=groups)


def elsewhere() -> Lossless:
    """The lossless class on priority 3, in queue 5 and priority group 6 of a box."""
    lossless = roce_site.plan().lossless
    classes = (
        replace(one, queue=5, priority_group=6) if one.lossless else one for one in lossless.classes
    )
    moved = replace(lossless, classes=tuple(classes))
    assert (moved.priority, [one.priority for one in moved.classes if one.lossless]) == (3, [3])
    return moved


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (port(), []),
        (port(queue=3, group=3), []),
        (port(queue=6, group=5), []),
        (port(queue=5), ["1 drops of queue 5"]),
        (port(group=6), ["1 drops of priority group 6"]),
    ],
)
def test_drops_are_those_of_the_classes_queue_and_group_and_not_of_its_priority(one, said):
    opinion = Opinion()
    no_discards(Counted({}, {PORT: one}), elsewhere(), opinion)
    assert not opinion.unknown
    assert [
        text.removeprefix(f"{PORT} counted ").partition(":")[0] for _, text in opinion.bad
    ] == said


def test_a_queue_or_group_that_is_not_counted_is_not_known():
    opinion = Opinion()
    four = dict.fromkeys(range(4), 0)
    few = replace(port(), queue_drops=four, group_drops=four)
    no_discards(Counted({}, {PORT: few}), elsewhere(), opinion)
    assert not opinion.bad
    assert [text for _, text in opinion.unknown] == [
        f"{PORT} has no counter of drops of queue 5",
        f"{PORT} has no counter of drops of priority group 6",
    ]


def test_drops_of_all_groups_together_clear_the_class_only_where_there_are_none():
    for dropped, said in (
        (0, []),
        (7, [f"{PORT} dropped 7 packets as they came in, and does not "]),
    ):
        opinion = Opinion()
        one = replace(port(), group_drops=None, ingress_drops=dropped)
        no_discards(Counted({}, {PORT: one}), elsewhere(), opinion)
        assert not opinion.bad
        assert [text.partition("tell of which")[0] for _, text in opinion.unknown] == said


def counted(nic: Nic) -> Counted:
    """What a node's NIC counted."""
    node = next(one for one in roce_site.plan().nodes if one.name == NIC.device)
    return Counted({NIC: host.read(node, nic.text())[NIC.port]}, {})


@pytest.mark.parametrize(
    ("counter", "name"),
    [
        ("np_cnp_sent", "CNPs sent"),
        ("rp_cnp_handled", "CNPs handled"),
        ("np_ecn_marked_roce_packets", "ECN marked packets"),
    ],
)
def test_a_flow_alone_is_asked_for_each_sign_of_congestion(counter, name):
    """What the hardware has not got is not known, beyond the limit is bad, at it good."""
    lossless = roce_site.plan().lossless
    found = alone(counted(Nic(without=(counter,))), lossless, 10)
    assert (found.bad, found.unknown) == ([], [(NIC, f"{NIC} has no counter of {name}")])
    for value, bad in ((10, []), (11, [NIC])):
        found = alone(counted(Nic(hardware={counter: value})), lossless, 10)
        assert ([place for place, _ in found.bad], found.unknown) == (bad, [])
