"""Stage 45's memory, disk and NICs: what ran otherwise than asked, and what no part can do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inventory.plan import Node
from tests.validation import single_says as says
from tests.validation.healthy import answered
from validation.evidence.store import EvidenceStore
from validation.run import validate
from validation.stages.s45_single_node import judge, nics, work
from validation.stages.s45_single_node.terms import figures_of, most_of, terms
from validation.verdict import Figure, Finding, Verdict

from .test_stage_45 import CASE, NAME, NODE, findings, judged


@pytest.mark.parametrize("gbytes_per_s", [308.0, 3072.0])
def test_memory_faster_than_its_channels_was_a_cache(gbytes_per_s):
    bad = judged(**{work.memory_command(NODE, None): says.memory(NODE, gbytes_per_s)})
    assert {one.expectation for one in bad} == {f"memory:{NAME}:numa{at}" for at in (0, 1)}
    assert {one.verdict for one in bad} == {Verdict.INCONCLUSIVE}
    assert all("more than there is" in one.found for one in bad)
    assert not judged(**{work.memory_command(NODE, None): says.memory(NODE, 307.0)})


def test_a_disk_far_faster_than_planned_was_a_cache(monkeypatch):
    """No profile of ours plans a disk's rate yet, but a site's may."""
    planned = replace(figures_of(NODE.profile), disk_read_mbytes_per_s=6000)
    monkeypatch.setattr(judge, "figures_of", lambda _: planned)
    files = work.scratch(NODE)
    assert files
    bad = judged(**{work.disk_command(files): says.fio(files, read_bps=9.1e9)})
    assert [(one.expectation, one.verdict) for one in bad] == [
        (f"disk:{NAME}:read", Verdict.INCONCLUSIVE)
    ]
    assert not judged(**{work.disk_command(files): says.fio(files, read_bps=8.9e9)})


def test_a_shared_machine_may_be_as_fast_as_it_is():
    """The lab's figures are floors: the machine below it is any."""
    assert most_of("lab-node", terms().memory) is None
    assert most_of("hgx-h100", terms().memory) == 1.0
    assert most_of("lab-node", terms().disk) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("RDMA_Write BW Test", "RDMA_Read BW Test"),
        ("RDMA_Write BW Test", "RDMA_Write Bidirectional BW Test"),
        (": mlx5_3", ": mlx5_0"),
        (f"Number of qps   : {nics.QPS}", "Number of qps   : 1"),
    ],
)
def test_a_nic_that_was_measured_otherwise_is_not_known(old, new):
    """Another verb, both ways at once, another NIC, or one queue pair: rates of something else."""
    mine = next(one for one in nics.paths(NODE) if one.device == "mlx5_3")
    text = says.nic(mine, mine.rate_gbps * 0.98).replace(old, new)
    assert new in text
    (bad,) = judged(**{work.nic_command(mine): text})
    assert (bad.verdict, bad.check) == (Verdict.INCONCLUSIVE, "nic_self")
    assert "asked was" in bad.found


@pytest.mark.parametrize(("far", "bad"), [(0.70, set()), (0.2, {Verdict.FAIL})])
def test_where_nobody_says_how_near_a_nic_is_the_low_floor_holds(far, bad):
    """Half of its ways go to the other socket: at 70 % of its rate such a NIC is well."""
    plan = replace(CASE.plan, nodes=tuple(map(_unplaced, CASE.plan.nodes)))
    said = {name: says.node_says(plan, name) for name in CASE.configured}
    for name, lines in said.items():
        for path in nics.paths(plan.node[name]):
            share = 0.98 if path.numa == 0 else far
            lines[work.nic_command(path)] = says.nic(path, path.rate_gbps * share)
    found = [one for one in findings(answered(plan, said), plan) if one.check == "nic_self"]
    assert {one.verdict for one in found} == bad
    assert not [one for one in found if one.expectation.endswith((":numa0", ":gpu0"))]


def _unplaced(node: Node) -> Node:
    rails = tuple(replace(one, numa=None) for one in node.rails)
    return replace(node, rails=rails, nics=tuple(replace(one, numa=None) for one in node.nics))


def test_a_nics_rate_does_not_count_where_perftest_failed():
    """Its row is whole and fast, but the other end may have stopped."""
    mine = next(one for one in nics.paths(NODE) if one.device == "mlx5_3")
    (bad,) = findings(ended(work.nic_command(mine), 1))
    assert bad.verdict is Verdict.INCONCLUSIVE
    assert "ended with 1" in bad.found


def ended(command: str, status: int, errors: str = "") -> EvidenceStore:
    """The healthy evidence, but this command of one node ended with another status."""
    (whole,) = [one for one in CASE.store if (one.device, one.command) == (NAME, command)]
    store = says.frame_less(CASE.store, NAME, command)
    store.add([replace(whole, exit_status=status, errors=errors)])
    return store


@pytest.mark.parametrize(
    ("status", "says_why"),
    [
        (71, "no place: /scratch is /dev: no place for files"),
        (72, "missing: /scratch: no such folder"),
        (73, "full: /scratch has 1 KiB free of 9; 8 KiB and 10 % are asked"),
    ],
)
def test_a_scratch_disk_that_refuses_is_a_fault(status, says_why):
    files = work.scratch(NODE)
    assert files
    store = ended(work.disk_command(files), status, says_why.partition(": ")[2] + "\n")
    bad = [one for one in findings(store) if one.device == NAME]
    assert {one.expectation for one in bad} == {f"disk:{NAME}:{way}" for way in ("read", "write")}
    assert {(one.verdict, one.suspect, one.found) for one in bad} == {
        (Verdict.FAIL, f"disk under /scratch of {NAME}", says_why)
    }
    broken = findings(ended(work.disk_command(files), 75, "fio: io error\n"))
    assert {one.verdict for one in broken} == {Verdict.INCONCLUSIVE}


def streaming(**changed: str) -> list[Finding]:
    """The findings where STREAM measures each NUMA node's memory."""
    asked = replace(says.ASKED, stream="/opt/stream/stream")
    nodes = tuple(replace(one, acceptance=asked) if one.gpus else one for one in CASE.plan.nodes)
    plan = replace(CASE.plan, nodes=nodes)
    said = {}
    for name in sorted(CASE.configured):
        said[name] = says.node_says(plan, name)
        for numa in plan.node[name].numa:
            said[name][work.memory_command(plan.node[name], numa)] = says.STREAM
    said[NAME] |= changed
    others = frozenset(range(100)) - {45}
    store = answered(plan, said)
    return list(validate(plan, 45, store, None, CASE.configured, leave_out=others).findings)


def test_stream_is_judged_by_its_triad():
    command = "probe stream /opt/stream/stream numa=1"
    found = {one.expectation: one for one in streaming()}
    assert {one.verdict for one in found.values()} == {Verdict.PASS}
    triad = found[f"memory:{NAME}:numa1"].figure
    assert triad == Figure(231.2053, "GB/s", f"{command} of 307.2")
    # 160 GB/s, and the shortest time that goes with it.
    slow = says.STREAM.replace(
        "231205.3     0.008636     0.008304", "160000.0     0.012100     0.012000"
    )
    assert slow != says.STREAM
    (bad,) = [one for one in streaming(**{command: slow}) if one.verdict is not Verdict.PASS]
    assert (bad.expectation, bad.verdict) == (f"memory:{NAME}:numa1", Verdict.FAIL)
    assert "52% of 307.2" in bad.found
    wrong = (says.EVIDENCE / "stream/wrong.txt").read_text()
    (bad,) = [one for one in streaming(**{command: wrong}) if one.verdict is not Verdict.PASS]
    assert bad.verdict is Verdict.INCONCLUSIVE
