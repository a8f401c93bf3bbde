"""Over what NCCL ran: the planned devices under any name of a network, and not past the GPU."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from inventory.plan import GpuStack
from inventory.reading.fields import Unreadable
from tests.validation.healthy import frame
from tests.validation.recorded import EVIDENCE
from tests.validation.stages.test_collectives import NCCL, first, gpus, judge, of_two
from validation.evidence.store import EvidenceStore
from validation.stages.s70_collectives.result import read
from validation.verdict import Verdict


# Of github.com/Mellanox/nccl-rdma-sharp-plugins (src/ib_plugin.c, p2p_plugin.c, ucx_plugin.c), and
# one that nobody has seen yet.
@pytest.mark.parametrize(
    "name",
    [
        "IBext",
        "IBext_v8",
        "IBext_v9",
        "IBext_v11",
        "NCCL RDMA Plugin v10",
        "UCX",
        "UCX-RMA",
        "Tomorrow's RoCE v99",
    ],
)
def test_a_plugin_over_the_planned_devices_is_the_planned_network(name):
    """Its own words on GPUDirect stand beside NCCL's, which count."""
    one = first(gpus(), "all_reduce:2:")
    text = of_two(NCCL, one).replace("network IB", f"network {name}")
    text = text.replace("NET/IB : GPU", f"NET/{name} : GPU").replace("NET/IB/0", f"NET/{name}/0")
    own = (
        f"{one.nodes[0]}:1:2 [0] NCCL INFO NET/IB : GPU Direct RDMA (DMABUF) enabled for HCA 0 'x\n"
    )
    found = read(one, 0, own + text, "")
    assert found.networks == {name}
    assert not found.staged
    off = text.replace("Enabled for HCA 3", "Disabled for HCA 3")
    assert told_staged(off) == ("HCA mlx5_3", 2)


def test_a_merged_hca_and_the_data_direct_function_are_the_planned_devices():
    one = first(gpus(), "all_reduce:2:")
    text = of_two(NCCL, one)
    pair = next(line for line in text.splitlines() if "Enabled for HCA 0 'mlx5_0'" in line)
    merged = pair.replace("0 'mlx5_0'", "8 'mlx5_0+mlx5_1'")
    planned = {(node, f"mlx5_{n}") for node in one.nodes for n in range(8)}
    for made in (f"{text}{merged}\n", re.sub(r"'(mlx5_\d)'", r"'\1_dma'", text)):
        assert read(one, 0, made, "").hcas == planned


def told_staged(text: str) -> tuple[str, int]:
    """What goes through the first node's memory, and on how many nodes something does."""
    one = first(gpus(), "all_reduce:2:")
    found = sorted(read(one, 0, text, "").staged)
    return found[0][1], len({host for host, _ in found})


def test_a_gpu_none_of_whose_channels_is_direct_is_seen():
    """The HCA can, but the GPU is too far from it, or its driver does not let it."""
    text = of_two(NCCL, first(gpus(), "all_reduce:2:"))
    assert told_staged(text.replace("NET/IB/0/GDRDMA", "NET/IB/0")) == ("GPU 0", 2)
    one_of_two = re.sub(r"(Channel 01/0 .*)/GDRDMA", r"\1/Shared", text)
    assert not read(first(gpus(), "all_reduce:2:"), 0, one_of_two, "").staged


# As mpirun of Open MPI 4.1.6 complained of two ranks on a machine with one GPU.
MPIRUN = """\
[1,1]<stderr>:Invalid number of GPUs: 2 requested but only 1 were found.
[1,1]<stderr>:Please check the number of processes and GPUs per process.
--------------------------------------------------------------------------
Primary job  terminated normally, but 1 process returned
a non-zero exit code. Per user-direction, the job has been aborted.
--------------------------------------------------------------------------
"""


@pytest.mark.parametrize(
    ("name", "errors", "why"),
    [
        ("two_ranks_one_gpu", MPIRUN, "status 5: Invalid number of GPUs: 2 requested"),
        ("bad_ifname", MPIRUN.partition("process.\n")[2], "WARN Bootstrap : no socket interface"),
    ],
)
def test_why_a_launch_failed_is_what_nccl_said_and_not_that_it_failed(name, errors, why):
    one = first(gpus(), "all_reduce:2:")
    text = (EVIDENCE / "nccl_tests" / "failed" / f"{name}.txt").read_text()
    with pytest.raises(Unreadable, match=why):
        read(one, 5, text, errors)


def test_what_nccl_tries_and_does_without_is_no_failure():
    one = first(gpus(), "all_reduce:2:")
    said = f"{one.nodes[0]}:1:2 [0] NCCL %s Call to ibv_query_ece failed with error Unsupported\n"
    assert read(one, 0, said % "INFO" + of_two(NCCL, one), "").rows
    with pytest.raises(Unreadable, match="run failed"):
        read(one, 0, said % "WARN" + of_two(NCCL, one), "")


@pytest.mark.parametrize(
    ("change", "verdict", "suspect"),
    [
        (lambda text: text, Verdict.PASS, ""),
        (
            lambda text: re.sub(r"(p1-0?2:.*)Enabled", r"\1Disabled", text),
            Verdict.FAIL,
            "GPUDirect RDMA of {1}",
        ),
        (lambda text: text.replace("/GDRDMA", ""), Verdict.FAIL, "GPUDirect RDMA of {0} and {1}"),
        (lambda text: text.replace("network IB", "network Socket"), Verdict.INCONCLUSIVE, ""),
        (lambda text: text.replace("NCCL INFO NET", "x"), Verdict.INCONCLUSIVE, ""),
    ],
)
def test_data_through_the_hosts_memory_is_a_failure_where_the_plan_has_it_direct(
    change, verdict, suspect
):
    stack = GpuStack("580.95.05", "dmabuf", True, "nvidia-fabricmanager", (), ())
    plan = replace(
        gpus(),
        nodes=tuple(
            replace(one, software=replace(one.software, gpu=stack)) for one in gpus().nodes
        ),
    )
    one = first(plan, "all_reduce:2:")
    assert one.direct
    assert not first(gpus(), "all_reduce:2:").direct
    assert not first(plan, "all_reduce:1:").direct
    store = EvidenceStore()
    store.add([frame(plan, one.nodes[0], one.launch.command, change(of_two(NCCL, one)))])
    found = judge(store, plan)[f"collective:{one.id}:large"]
    assert found.verdict is verdict, found
    assert not suspect or found.suspect == suspect.format(*one.nodes)


def test_the_log_is_asked_for_what_shows_it():
    assert dict(first(gpus(), "all_reduce:2:").launch.env)["NCCL_DEBUG_SUBSYS"] == "INIT,NET"
