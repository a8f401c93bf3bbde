"""perftest's sides, settings and latency against what it printed, and what is altered."""

from __future__ import annotations

import pytest

from inventory.reading.fields import Unreadable
from tests.validation.recorded import EVIDENCE
from validation.parse.loads import perftest, perftest_lat

HERE = EVIDENCE / "perftest"
CLIENT = (HERE / "ib_write_bw_client.txt").read_text()
LATENCY = (HERE / "ib_write_lat_client.txt").read_text()
TITLE = "                    RDMA_Write BW Test"
# src/cuda_memory.c of linux-rdma/perftest 26.04, in the order in which it prints.
CUDA = """\
initializing CUDA
Listing all CUDA devices in system:
CUDA device 0: PCIe address is 1B:00
CUDA device 1: PCIe address is 43:00

Picking device No. 1
[pid = 4711, dev = 1] device name = [NVIDIA H100 80GB HBM3]
creating CUDA Ctx
making it the current CUDA Ctx
CUDA device integrated: 0
using DMA-BUF for GPU buffer address at 0x7f1e14000000 aligned at 0x7f1e14000000 with size 131072
allocated GPU buffer of a 131072 address at 0x55d0c8a5d5a0 for type CUDA_MEM_DEVICE
"""
ROW = next(line for line in CLIENT.splitlines() if line.startswith(" 65536"))


def test_settings_and_unit():
    found = perftest.bandwidth(CLIENT)
    asked = found.settings
    assert (asked.transport, asked.connection, asked.mtu_bytes, asked.gpu) == (
        "IB", "RC", 4096, None,
    )  # fmt: skip
    assert found.unit == "Gb/sec"


def test_a_server_of_both_ways_prints_no_peak():
    both = perftest.bandwidth((HERE / "ib_write_bw_bidir_q4_server.txt").read_text())
    assert (both.both_ways, perftest.bandwidth(CLIENT).both_ways) == (True, False)
    assert both.row(65536).average_gbps == pytest.approx(0.074913)


def test_gpu_memory_is_told_apart():
    assert perftest.bandwidth(CUDA + CLIENT).settings.gpu == 1
    by_bus = "initializing CUDA\nFinding PCIe BUS 0000:1b:00.0\nPicking GPU number 0\n"
    assert perftest.bandwidth(by_bus + CLIENT).settings.gpu == 0
    with pytest.raises(Unreadable, match="several GPUs"):
        perftest.bandwidth(CUDA + by_bus + CLIENT)


@pytest.mark.parametrize(
    "said",
    [
        "cuInit(0) returned 100",
        "cuMemAlloc error=2",
        "There are no available device(s) that support CUDA",
        "No such device ID (9) exists in system",
        "Failed to modify QP 59 to RTR",
        " Unable to Connect the HCA's through the link",
        " Completion with error at client",
        " Failed status 12: wr_id 0 syndrom 0x81",
        "scnt=128, ccnt=0",
        "Error: BW result is below bw limit",
        "IB device mlx5_9 not found",
    ],
)
def test_whatever_else_was_printed_an_error_is_no_result(said):
    for text in (f"{said}\n{CLIENT}", f"{CLIENT}{said}\n"):
        with pytest.raises(Unreadable, match="perftest: "):
            perftest.bandwidth(text)
    with pytest.raises(Unreadable, match="perftest: "):
        perftest_lat.latency(f"{LATENCY}{said}\n")


@pytest.mark.parametrize(
    "said",
    [
        "libibverbs: Warning: couldn't load driver 'libvmw_pvrdma-rdmav34.so': cannot open it",
        "libibverbs: Warning: couldn't load driver 'cxgb4'.",
        "libibverbs: Warning: couldn't read config file /etc/libibverbs.d/x.driver.",
        "libibverbs: Warning: couldn't open config directory '/etc/libibverbs.d'.",
        "libibverbs: Warning: Driver hns does not support the kernel ABI of 2 (supports 1 to 1)",
        "libibverbs: Warning: no userspace device-specific driver found for uverbs9",
        "libibverbs: Warning: getrlimit(RLIMIT_MEMLOCK) failed.",
        "libibverbs: Warning: RLIMIT_MEMLOCK is 1 bytes.\n    This will severely limit memory",
        "mlx5: Warning: can not get local cpu set: failed to open /sys/class/infiniband/mlx5_0",
        "Warning: Failed to migrate memory to node 1",
        "Warning: Continuing without NUMA binding",
        "Warning: Blueflame is not supported in the system",
        " WARNING: BW peak won't be measured in this run.",
        " CQ moderation can't be grater than rx depth.",
        " new post send flow is not supported, falling back to ibv_post_send",
    ],
)
def test_a_warning_ends_no_run_and_hides_no_failure(said):
    """As perftest, libibverbs and providers write them, before the title or in the table's way."""
    assert perftest.bandwidth(f"{said}\n{CLIENT}") == perftest.bandwidth(CLIENT)
    assert perftest_lat.latency(f"{said}\n{LATENCY}") == perftest_lat.latency(LATENCY)
    with pytest.raises(Unreadable, match="perftest: Couldn't connect"):
        perftest.bandwidth(f"{said}\nCouldn't connect to 10.0.0.1:18515\n{CLIENT}")


def test_lines_of_vendors_and_of_the_shell_are_passed_over():
    """As the reports of other builds have them, in the header, in the table and after it."""
    noisy = (
        "[1] 650300\n WARNING: CPU is not PCIe relaxed ordering compliant.\n"
        + CLIENT.replace(
            " TX depth        : 128",
            " TX depth        : 128\n CPU freq        : 3295[MHz]\n Lock-free      : OFF",
        ).replace(ROW, f"Conflicting CPU frequency values detected: 999.9 != 1084.5.\n{ROW}")
        + "Completed: Thu Apr 16 05:49:32 2026\n\nTotal run time: 187.693s\n[1]+  Done  sudo ib\n"
    )
    assert perftest.bandwidth(noisy) == perftest.bandwidth(CLIENT)


def test_processor_use_is_another_column():
    text = CLIENT.replace("MsgRate[Mpps]", "MsgRate[Mpps]    CPU_Util[%]")
    text = text.replace(ROW, f"{ROW}\t    12.50")
    assert perftest.bandwidth(text).rows == perftest.bandwidth(CLIENT).rows


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("Mtu             : 4096[B]", "Mtu             : 4096", "in bytes"),
        ("Device         : rxe0", "Device         : rxe0\n Device         : rxe1", "two things"),
        ("0.27   ", "0.17   ", "above its peak"),
        (TITLE, TITLE.replace("BW", "Latency"), "0 titles"),
        ("Number of qps   : 1", "Number of qps   : one", "not a whole number"),
    ],
)
def test_a_contradiction_is_no_result(old, new, why):
    assert old in CLIENT
    with pytest.raises(Unreadable, match=why):
        perftest.bandwidth(CLIENT.replace(old, new))


def test_a_size_whose_row_was_lost_has_no_rate():
    """All that -a runs: 23 sizes, 2 bytes to 8 MiB."""
    sizes = [2**power for power in range(1, 24)]
    rows = [
        f" {size:<8d}   5000             0.00               {size / 1e6:.6f}"
        f"           {size / 1e6 * 1e9 / 8 / size / 1e6:.6f}"
        for size in sizes
    ]
    text = CLIENT.replace(ROW, "\n".join(rows))
    assert [one.size_bytes for one in perftest.bandwidth(text).rows] == sizes
    for row, size in zip(rows, sizes, strict=True):
        with pytest.raises(Unreadable, match=f"no row for {size} bytes"):
            perftest.bandwidth(text.replace(f"{row}\n", "")).row(size)


# -- latency --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "test", "size", "events", "median", "p99"),
    [
        ("ib_write_lat_client", "RDMA_Write", 2, False, 22060.08, 24226.19),
        ("ib_write_lat_server", "RDMA_Write", 2, False, 22035.31, 24411.41),
        ("ib_send_lat_ev_client", "Send", 64, True, 22006.02, 22783.57),
        ("ib_send_lat_ev_server", "Send", 64, True, 22003.63, 22888.32),
    ],
)
def test_latency_of_either_side(name, test, size, events, median, p99):
    found = perftest_lat.latency((HERE / f"{name}.txt").read_text())
    assert (found.test, found.events, found.settings.device) == (test, events, "rxe0")
    row = found.row(size)
    assert (row.median_us, row.p99_us) == (median, p99)
    with pytest.raises(Unreadable, match="no row for 3 bytes"):
        found.row(3)


@pytest.mark.samples
def test_latency_of_hardware(samples):
    """ConnectX-5 over RoCE: warnings between header and row."""
    row = perftest_lat.latency((samples / "ib_write_lat_roce_rdma_cm.txt").read_text()).row(2)
    assert (row.median_us, row.p99_us, row.iterations) == (1.58, 1.65, 1000)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("t_typical[usec]", "t_typical[cycles]", "not in usec"),
        ("22060.08", "12060.08", "not in their order"),
        ("24226.19", "26226.19", "not in their order"),
        ("22404.25", "99.99", "outside its times"),
        (" 2       500", " 2       500\n 2       500", "0 rows|2 rows|1 rows"),
        ("RDMA_Write Latency Test", "RDMA_Write BW Test", "0 titles"),
    ],
)
def test_latency_that_contradicts_itself_is_no_result(old, new, why):
    assert old in LATENCY
    changed = LATENCY.replace(old, new)
    if old.startswith(" 2 "):
        row = next(line for line in LATENCY.splitlines() if line.startswith(" 2 "))
        changed = LATENCY.replace(row, f"{row}\n{row}")
    with pytest.raises(Unreadable, match=why):
        perftest_lat.latency(changed)


def test_latency_by_time_has_no_percentiles():
    """With -D: RESULT_FMT_LAT_DUR of perftest_parameters.h."""
    begin = LATENCY[: LATENCY.index(" #bytes")]
    rule = "-" * 87
    text = (
        f"{begin} #bytes        #iterations       t_avg[usec]    tps average\n"
        f" 2             314159            1.59           314159.26\n{rule}\n"
    )
    with pytest.raises(Unreadable, match="averages alone"):
        perftest_lat.latency(text)
