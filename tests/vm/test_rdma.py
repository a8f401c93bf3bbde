"""Stage 50 with real RDMA: soft-RoCE of the kernel, ib_write_bw and ib_write_lat of Debian.

The plan, the schedule, the runs over SSH, the readers and the judge are those of `railbed
validate`; two machines and a cable are the fabric. What the rates say of hardware is nothing:
`validation/pairing/loads.yml` names this kind and its bounds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from validation.verdict import Verdict

from .two import TwoNodes, two_nodes
from .two_plan import NODES, PAGES, PAGES_KIB, RAIL, RATE_GBPS, RXE

pytestmark = [pytest.mark.lab, pytest.mark.full]

_CATCH = (
    f"tcpdump -i {RAIL} -Q in -w /run/{{name}}.pcap -U -s 64 udp port 4791 "
    ">/dev/null 2>&1 & echo $!"
)
_PAGES_AT = "/sys/devices/system/node/node{node}/hugepages/hugepages-{kib}kB/nr_hugepages"
BW = ("bw:rail0:node-p1-1>node-p1-2", "bw:rail0:node-p1-2>node-p1-1")
LAT = "lat:rail0:node-p1-1>node-p1-2"


@pytest.fixture(scope="module")
def two() -> Iterator[TwoNodes]:
    with two_nodes() as made:
        yield made


@contextmanager
def heard(two: TwoNodes, name: str) -> Iterator[dict[str, dict[int, int]]]:
    """RoCE packets that reach each node meanwhile, by TOS; filled in at the end."""
    counted: dict[str, dict[int, int]] = {}
    pids = {node: one.out(_CATCH.format(name=name)) for node, one in two.machines.items()}
    yield counted
    for node, one in two.machines.items():
        one.run(f"sleep 1; kill {pids[node]}; sleep 1")
        said = one.out(f"tcpdump -n -v -r /run/{name}.pcap 2>/dev/null")
        mine = counted.setdefault(node, {})
        for tos in re.findall(r"IP \(tos (0x[0-9a-f]+)", said):
            mine[int(tos, 16)] = mine.get(int(tos, 16), 0) + 1


def test_pairs_pass_and_the_lossless_dscp_is_on_the_wire(two):
    """Real ib_write_bw and ib_write_lat pass stage 50; all they send carries the plan's TOS."""
    with heard(two, "healthy") as counted:
        found = two.stage_50("healthy")
    print({name: (str(one.verdict), one.figure) for name, one in found.items()}, counted)
    assert set(found) == {*BW, LAT}
    assert {one.verdict for one in found.values()} == {Verdict.PASS}, found
    for name in BW:
        figure = found[name].figure
        assert figure is not None
        assert 0.8 < figure.value / RATE_GBPS <= 1.05
    latency = found[LAT].figure
    assert latency is not None
    assert (latency.unit, latency.value > 0) == ("us", True)
    for node in NODES:
        assert set(counted[node]) == {two.plan.lossless.tos}, counted
        assert counted[node][two.plan.lossless.tos] > 500


def test_a_rail_at_half_its_rate_fails(two):
    """The flow that it slows fails, with the two NICs it lies between as suspects."""
    two.machines[NODES[0]].run(
        f"tc qdisc change dev {RAIL} root tbf rate 1mbit burst 32kb limit 4mb"
    )
    try:
        found = two.stage_50("slow")
    finally:
        two.shape()
    print({name: (str(one.verdict), one.figure, one.suspect) for name, one in found.items()})
    slow = found[BW[0]]
    assert (slow.verdict, slow.suspect) == (
        Verdict.FAIL,
        f"pair {NODES[0]} and {NODES[1]} on rail 0",
    )


def test_a_node_without_its_rdma_device_does_not_pass(two):
    """No driver over the rail: nothing passes, and every finding names that NIC."""
    machine = two.machines[NODES[1]]
    machine.run(f"rdma link del {RXE}")
    try:
        found = two.stage_50("no_device")
    finally:
        machine.run(f"rdma link add {RXE} type rxe netdev {RAIL}")
    assert {one.verdict for one in found.values()} == {Verdict.INCONCLUSIVE}, found
    assert {one.suspect for one in found.values()} == {f"NIC {NODES[1]}:{RAIL}"}, found


def test_missing_huge_pages_are_named(two):
    """The kernel has the planned pages and passes; without those of one NUMA node it fails."""
    node = NODES[0]
    machine = two.machines[node]
    for numa, count in enumerate(PAGES):
        machine.run(f"echo {count} >{_PAGES_AT.format(node=numa, kib=PAGES_KIB)}")
    good = two.kernel(node, "pages")
    assert good.verdict is Verdict.PASS, good
    machine.run(f"echo 0 >{_PAGES_AT.format(node=1, kib=PAGES_KIB)}")
    bad = two.kernel(node, "no_pages")
    assert (bad.verdict, bad.suspect) == (Verdict.FAIL, f"role kernel_tuning on {node}")
    assert f"pages of {PAGES_KIB} KiB: found {PAGES[0]} on node 0, 0 on node 1" in bad.found
