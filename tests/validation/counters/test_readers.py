"""Counters of NICs and switch ports: each system's form, differences, and what is no counter."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from inventory.reading.delta import difference
from inventory.reading.fields import Unreadable
from inventory.reading.sections import sections, shell
from switch_configs.answers import port_counters as ports
from switch_configs.answers.linux import ethtool_stats
from switch_configs.answers.port_counters import PortCounters
from switch_configs.nxos.answers import queuing
from tests.validation import roce_site, typed_counters_says
from tests.validation.carried_says import eos
from tests.validation.recorded import EVIDENCE
from tests.validation.roce_site import Nic, Port
from validation.counters import ask, host
from validation.counters.read import ports as read
from validation.evidence.store import EvidenceStore
from validation.parse.nic import rdma_counters

ONE = Port(5, 7, {3: 1}, {3: 2}, {3: 4}, {3: 6}, storms=2, global_pause=8)


@pytest.mark.parametrize("told", [("cumulus", roce_site.cumulus), ("sonic", roce_site.sonic)])
def test_cumulus_and_sonic_tell_the_same_of_a_port(told):
    dialect, text = told
    found = read(dialect, text({"Ethernet0": ONE, "Ethernet8": Port()}))["Ethernet0"]
    assert (found.rx_bytes, found.tx_bytes, found.ecn_marked) == (5, 5, 7)
    assert (found.global_pause, found.storms) == (8, {3: 2})
    silent = text({"Ethernet0": replace(ONE, global_pause=None)})
    assert read(dialect, silent)["Ethernet0"].global_pause is None
    for counts, value in (
        (found.rx_pause, 1),
        (found.tx_pause, 2),
        (found.queue_drops, 4),
        (found.group_drops, 6),
    ):
        assert counts is not None
        assert (counts[3], counts[0]) == (value, 0)


def test_eos_tells_bytes_drops_marks_storms_and_pauses_but_no_drops_as_they_came_in():
    tc = {"dropPrecedences": {"DP0": {"droppedPackets": 2}, "DP1": {"droppedPackets": 1}}}
    queues = {"Ethernet1/1": {"ucastQueues": {"trafficClasses": {"TC3": tc}}}}
    marked = {"Ethernet1/1": {"queueCounters": {"0": "0", "3": "12"}}}
    stuck = {"Ethernet1/1": {"txQueues": {"3": {"stuckCount": 1, "recoveryCount": 1}}}}
    parts = {
        "queues": {"egressQueueCounters": {"interfaces": queues}},
        "marked": {"intfQueueCounters": marked},
        "watchdog": {"interfaces": stuck},
    }
    told = {"3": {"rxFrames": 7, "txFrames": 8}, "4": {"rxFrames": 0, "txFrames": 0}}
    pauses = {"interfaces": {"Ethernet1/1": {"priorities": told}}}
    more = {name: json.dumps(one) + "\n" for name, one in parts.items()}
    more["pauses"] = f'{json.dumps(pauses)}\n{{"interfaces": {{}}}}\n'
    text = eos({"Ethernet1/1": (10, 20), "Ethernet2/1": (10, 20)}, 100.0, more=more)
    found = read("eos", text)
    assert sorted(found) == ["Ethernet1/1", "Ethernet2/1"]
    first, second = found["Ethernet1/1"], found["Ethernet2/1"]
    never = dict.fromkeys(range(8), 0)
    assert (first.rx_bytes, first.tx_bytes, first.ecn_marked) == (10, 20, 12)
    assert first.storms == never | {3: 1}
    assert first.queue_drops == {3: 3}
    assert (first.rx_pause, first.tx_pause) == ({3: 7, 4: 0}, {3: 8, 4: 0})
    assert (first.group_drops, first.ingress_drops, first.global_pause) == (None, None, None)
    assert (second.ecn_marked, second.queue_drops, second.storms) == (None, None, never)
    assert second.rx_pause is None


def test_nxos_tells_queues_pauses_and_what_a_full_buffer_refused():
    one = replace(ONE, marked=12, group_drops={3: 6}, storms=1)
    text = typed_counters_says.nxos({"Ethernet1/1": one, "Ethernet1/2": replace(ONE, storms=None)})
    found = read("nxos", text)
    first, second = found["Ethernet1/1"], found["Ethernet1/2"]
    assert first.queue_drops is not None
    assert first.rx_pause is not None
    assert (first.queue_drops[3], first.ecn_marked, first.ingress_drops) == (4, 12, 6)
    assert first.rx_pause == {**dict.fromkeys(range(8), 0), **ONE.rx_pause}
    assert (first.storms, second.storms) == ({3: 1}, None)
    assert (first.group_drops, first.global_pause) == (None, None)


def test_nxos_of_older_line_cards_puts_two_names_into_one_row():
    """The form of a published test; egress and ingress of one port."""
    text = (
        "Egress Queuing for Ethernet2/1 [System]\n"
        "|                              QOS GROUP 0                          |\n"
        "|   Dropped Pkts |               1|               0|               2|\n"
        "|                              QOS GROUP 3                          |\n"
        "|        Tx Pkts |              50|   Dropped Pkts |               6|\n"
        "Ingress Queuing for Ethernet2/1\nIngress MMU Drop Pkts 10\n"
    )
    pauses = [
        f"   {n}         -         -  Inactive         {n}        Active              {n + 1}\n"
        for n in range(8)
    ]
    text += "".join(pauses)
    (one,) = queuing.queues(text).values()
    assert (one.drops, one.ingress_drops) == ({0: 3, 3: 6}, 10)
    assert (one.tx_pause[3], one.rx_pause[3]) == (3, 4)
    # A published capture has these before it, and the slice's own after it.
    mmu, more = (
        "Ingress MMU Drop Pkts 10\n",
        " Hi Priority Drop Pkts 1\n Low Priority Drop Pkts 2\n",
    )
    (one,) = queuing.queues(text.replace(mmu, f"{more}{mmu}{mmu.replace('10', '70')}")).values()
    assert one.ingress_drops == 13
    with pytest.raises(Unreadable, match="one half alone"):
        queuing.queues(text.replace(mmu, more))
    with pytest.raises(Unreadable, match="some priorities"):
        queuing.queues(text.replace(pauses[3], ""))
    for half in (text.partition("Ingress")[0], "Ingress" + text.partition("Ingress")[2]):
        with pytest.raises(Unreadable, match="one half alone"):
            queuing.queues(half)
    with pytest.raises(Unreadable, match="twice"):
        queuing.queues(text + text)
    with pytest.raises(Unreadable, match="no port"):
        queuing.queues("")


def test_a_recorded_linux_switch_tells_bytes_and_drops():
    store = EvidenceStore.load(EVIDENCE / "congestion" / "slow_port")
    moments = [one for one in store if one.device == "leaf-p1-r0" and "counters" in one.command]
    before, after = (
        read("linux_frr", next(o for o in moments if f"{when} alone" in o.command).payload.decode())
        for when in ("before", "after")
    )
    slow = ports.delta(before, after, "swp2")
    assert slow.drops is not None
    assert slow.drops > 0
    assert slow.tx_bytes > 0
    assert slow.rx_pause is None


def test_a_watchdog_that_is_not_there_is_not_none_found():
    text = roce_site.cumulus({"swp1": replace(ONE, storms=None)})
    assert read("cumulus", text)["swp1"].storms is None
    assert (
        read("sonic", roce_site.sonic({"swp1": replace(ONE, storms=None)}))["swp1"].storms is None
    )


@pytest.mark.parametrize("gone", ["HwIfInPausePkt", "HwIfOutPausePkt", "HwIfOutPfc7Pkt"])
def test_global_pause_of_cumulus_needs_every_counter_that_it_is_made_of(gone):
    text = roce_site.cumulus({"swp1": ONE})
    assert read("cumulus", text)["swp1"].global_pause == 8
    with pytest.raises(Unreadable, match=gone):
        read("cumulus", text.replace(gone, "HwIfOther"))
    older = text.replace("HwIfInPause", "Other").replace("HwIfOutPause", "Another")
    assert read("cumulus", older)["swp1"].global_pause is None


def test_every_dialect_is_asked_in_its_own_words_or_not_at_all():
    assert "ethtool -S swp1" in (ask.port_counters("cumulus", ["swp1"]) or "")
    assert "nv show interface swp1 counters qos --output json" in (
        ask.port_counters("cumulus", ["swp1"]) or ""
    )
    assert "sonic-db-dump -n COUNTERS_DB" in (ask.port_counters("sonic", ()) or "")
    assert "! railbed-section bytes\nshow interfaces Et" in (
        ask.port_counters("eos", ["Ethernet1/1"]) or ""
    )
    assert "show qos interfaces ecn" in (ask.port_counters("eos", ()) or "")
    assert "ip -s -j link show" in (ask.port_counters("linux_frr", ()) or "")
    assert "detail | json\n" in (ask.port_counters("eos", ["Ethernet1/1"]) or "")
    assert "\nshow interface counters | json\n" in (ask.port_counters("nxos", ()) or "")
    assert "\nshow queuing interface\n" in (ask.port_counters("nxos", ()) or "")
    assert ask.port_counters("vyos", ()) is None


def test_a_difference_needs_two_of_a_kind_and_never_goes_back():
    first = PortCounters("a", 10, 10, drops=3, rx_pause={3: 1})
    then = PortCounters("a", 30, 20, drops=None, rx_pause={3: 5})
    found = difference(first, then, "a")
    assert (found.rx_bytes, found.tx_bytes, found.drops, found.rx_pause) == (20, 10, None, {3: 4})
    for other in (
        replace(then, rx_bytes=9),
        replace(then, rx_pause={3: 5, 4: 0}),
        replace(then, port="b"),
    ):
        with pytest.raises(Unreadable):
            difference(first, other, "a")
    with pytest.raises(Unreadable):
        ports.delta({"a": first}, {}, "a")


def test_global_pause_is_what_no_priority_explains():
    text = sections(Nic(rx_pause={3: 5}, global_pause=4).text())["nic:rail0"].text
    found = ethtool_stats.nic_counters(ethtool_stats.stats(text))
    assert (found.rx_pause[3], found.global_rx_pause, found.global_tx_pause) == (5, 4, 0)


@pytest.mark.samples
def test_published_outputs_are_read(samples):
    """ethtool -S and sysfs counters as others published them."""
    title, _, text = (samples / "ethtool_S_prio3_congested_example.txt").read_text().partition("\n")
    assert title.startswith("# SOURCE")
    found = ethtool_stats.stats(f"NIC statistics:\n{text}")
    assert found["rx_prio3_marked"] == 9147732
    with pytest.raises(Unreadable):
        ethtool_stats.nic_counters(found)
    text = (samples / "sysfs_infiniband_hw_counters_mlx5_h100.txt").read_text().partition("\n")[2]
    one = rdma_counters.rdma_counters(rdma_counters.counters(text))
    assert one.losses == {"out_of_sequence": 0, "packet_seq_err": 0, "local_ack_timeout_err": 0}
    assert one.np_cnp_sent is None


@pytest.mark.parametrize(
    "text",
    [
        "NIC statistics:\n     rx_packets: 1\n     rx_packets: 2\n",
        "NIC statistics:\n     rx_packets: many\n",
        "NIC statistics:\n     rx_packets: 1",
        "no stats available\n",
        "",
    ],
)
def test_a_list_of_nic_counters_that_is_none_is_refused(text):
    with pytest.raises(Unreadable):
        ethtool_stats.stats(text)


def test_a_node_is_asked_for_all_its_rails_and_read_by_port():
    node = roce_site.plan().node["node-p1-1"]
    line = host.ask(node)
    assert "ethtool -S rail0" in line
    assert "/sys/class/infiniband/mlx5_0/ports/1" in line
    found = host.read(node, Nic(hardware={"np_cnp_sent": 4}).text())
    assert found["rail0"].rdma is not None
    assert found["rail0"].rdma.np_cnp_sent == 4
    with pytest.raises(Unreadable):
        host.read(
            node,
            Nic().text().replace("railbed-section rdma:rail0 0", "railbed-section rdma:rail0 1"),
        )
    assert "section a sh -c true\n" in shell({"a": "true"})
    assert "section a ip -j link\n" in shell({"a": "ip -j link"})


def test_pauses_without_a_priority_are_counted_both_ways_or_not_told():
    text = roce_site.sonic({"swp1": ONE})
    for way in ("RX", "TX"):
        name = f"SAI_PORT_STAT_PAUSE_{way}_PKTS"
        assert name in text
        assert read("sonic", text.replace(name, "gone"))["swp1"].global_pause is None


@pytest.mark.parametrize("part", ["pfc-stats", "egress-queue-stats", "ingress-buffer-stats"])
def test_a_row_of_nvue_that_is_lost_is_missed(part):
    ports = {"swp1": ONE}
    told = roce_site.cumulus(ports)
    (line,) = (one for one in told.splitlines() if part in one)
    rows = json.loads(line)
    for row in range(8):
        less = {**rows, part: {key: one for key, one in rows[part].items() if key != str(row)}}
        with pytest.raises(Unreadable, match="7 of 8 rows"):
            read("cumulus", told.replace(line, json.dumps(less)))


def test_a_counter_of_one_priority_that_is_lost_beside_its_like_is_missed():
    text = roce_site.Nic().text()
    node = roce_site.plan().node["node-p1-1"]
    host.read(node, text)
    for name in ("rx_prio4_pause", "tx_prio4_pause_duration", "rx_prio3_buf_discard"):
        with pytest.raises(Unreadable):
            host.read(node, re.sub(rf"(?m)^(\s+){name}:", r"\1other:", text))
