"""Readers of collectives: captures by others, runs in every format, and what is cut or altered."""

from __future__ import annotations

import re
from typing import Any

import pytest

from inventory.reading.fields import Unreadable
from tests.validation.recorded import EVIDENCE
from validation.parse.loads import launched, mpi_collective, nccl_tests
from validation.parse.loads.collective_rows import WrongResult, asked_sizes, factor

NCCL = EVIDENCE / "nccl_tests"
TIMED = (NCCL / "all_reduce_2_nodes_per_iteration.txt").read_text()
PLAIN = (NCCL / "all_gather_2_nodes.txt").read_text()
LARGE = 8589934592


def sample(samples: Any, name: str) -> str:
    """A capture, without the line that names its source."""
    return str((samples / f"nccl_{name}.txt").read_text().partition("\n")[2])


@pytest.mark.samples
def test_a_whole_run_of_two_nodes(samples):
    """Sixteen A100: the table holds the figures that were published."""
    found = nccl_tests.table(sample(samples, "allreduce_16xA100_2node_new_columns"), "all_reduce")
    assert (len(found.ranks), len(found.rows), found.iterations) == (16, 6, 20)
    assert found.hosts == ("{host1}", "{host2}")
    row = found.row(2**30)
    assert (row.out_of_place.busbw.value, row.busbw_gbs) == (182.80, 181.39)
    assert row.p99_us is None


@pytest.mark.samples
def test_one_gpu_moves_nothing_and_an_alltoall_is_not_checked_in_place(samples):
    found = nccl_tests.table(sample(samples, "alltoall_1gpu_new_columns_none_NA"), "alltoall")
    assert found.rows[0].busbw_gbs == 0
    assert found.rows[0].in_place is None


@pytest.mark.samples
@pytest.mark.parametrize(
    ("name", "collective", "why"),
    [
        ("allreduce_16xA100_2node_p4de_srun_prefixed", "all_reduce", "states its settings 0"),
        ("allreduce_16xH100_2node_EFA_srun_prefixed", "all_reduce", "states its settings 0"),
        ("allreduce_16xV100_2node_roce_old_error_column", "all_reduce", "states its settings 0"),
        ("allreduce_2rank_tree_4nic_low", "all_reduce", "states its settings 0"),
        ("allreduce_8xA100_1node_old_columns", "all_reduce", "were not checked"),
        ("broadcast_old_columns_root_no_redop", "broadcast", "were not checked"),
        ("allreduce_mock_FAIL_BW", "all_reduce", r"Test failure common.cu:1126"),
        ("allreduce_mock_FAIL_OOB", "all_reduce", "2 values out of bounds"),
        ("errors_ib_completion_and_exit", "all_reduce", "Got completion from peer"),
        ("mpirun_not_enough_slots_error", "all_reduce", "not enough slots"),
    ],
)
def test_captures_that_prove_nothing(samples, name, collective, why):
    with pytest.raises(Unreadable, match=why):
        nccl_tests.table(sample(samples, name), collective)


BEFORE = (
    "# nThread 1 nGpus 1 minBytes {least} maxBytes {most} step: 2(factor) "
    "warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0\n"
)
RANK = "#  Rank {0:2d} Group  0 Pid {0:6d} on host{1} device {2:2d} [0x00] GPU\n"


def completed(text: str, ranks: int, least: int, most: int) -> str:
    """A capture whose head or foot was left out by its author, given both."""
    devices = (RANK.format(one, one // 8, one % 8) for one in range(ranks))
    foot = "" if "Out of bounds" in text else "# Out of bounds values : 0 OK\n"
    table = text[re.search(r"(?m)^(0: )?#\s+size", text).start() :]  # type: ignore[union-attr]
    return (
        BEFORE.format(least=least, most=most) + "".join(devices) + table.rstrip("`\n") + f"\n{foot}"
    )


@pytest.mark.samples
@pytest.mark.parametrize(
    ("name", "ranks", "least", "most", "busbw"),
    [
        ("16xA100_2node_p4de_srun_prefixed", 16, 8, 2**31, 78.33),
        ("16xH100_2node_EFA_srun_prefixed", 16, 8, 2**34, 487.09),
        ("16xV100_2node_roce_old_error_column", 16, 8, 2**31, 22.85),
        ("2rank_tree_4nic_low", 2, 2**21, 2**25, 41.31),
    ],
)
def test_rows_of_captures_agree_with_themselves(samples, name, ranks, least, most, busbw):
    """Prefixed, old and new rows: busbw is algbw times the factor of just that many ranks."""
    text = sample(samples, f"allreduce_{name}")
    text = re.sub(r"(?m)^0: ", "", text)
    found = nccl_tests.table(completed(text, ranks, least, most), "all_reduce")
    assert found.rows[-1].busbw_gbs == busbw
    with pytest.raises(Unreadable, match="busbw"):
        nccl_tests.table(completed(text, ranks * 4, least, most), "all_reduce")


@pytest.mark.parametrize("collective", ["all_reduce", "alltoall"])
def test_a_real_run_on_one_gpu_by_mpirun(collective):
    """nccl-tests 2.19.6 and NCCL 2.28.9 on an H200, as a launch asks them."""
    found = nccl_tests.table((NCCL / f"{collective}_one_h200_mpirun.txt").read_text(), collective)
    assert [(one.host, one.device, one.model) for one in found.ranks] == [
        ("node-p1-01", 0, "NVIDIA H200")
    ]
    assert [row.asked_bytes for row in found.rows] == [8192, 8388608, LARGE]
    large = found.row(LARGE)
    assert (large.busbw_gbs, large.out_of_place.algbw.value > 2000) == (0, True)
    assert large.p99_us is not None
    assert (large.in_place is None) == (collective == "alltoall")
    assert found.networks == {"Socket"}
    assert found.hcas == {("node-p1-01", "eth0")}


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("two_ranks_one_gpu", "Test failure common.cu:1454"),
        ("bad_ifname", "no socket interface found"),
        ("no_gpu", "no CUDA-capable device is detected"),
        ("killed", "says 0 times whether values were out of bounds"),
        ("unchecked", "were not checked"),
    ],
)
def test_real_runs_that_prove_nothing(name, why):
    with pytest.raises(Unreadable, match=why):
        nccl_tests.table((NCCL / "failed" / f"{name}.txt").read_text(), "all_reduce")


def test_single_iterations_and_the_network():
    found = nccl_tests.table(TIMED, "all_reduce")
    assert found.networks == {"IB"}
    row = found.row(LARGE)
    assert row.out_of_place.p99_us == pytest.approx(1.05 * row.out_of_place.time_us.value, rel=0.01)
    assert row.busbw_gbs == pytest.approx(379, abs=2)


def test_the_fallback_to_sockets_is_told():
    text = (NCCL / "all_reduce_over_sockets.txt").read_text()
    assert nccl_tests.table(text, "all_reduce").networks == {"Socket"}
    before = re.sub(r"(?m)^.*Using network.*\n", "", text)
    assert nccl_tests.table(before, "all_reduce").networks == {"Socket", "no IB"}
    real = (NCCL / "all_reduce_one_h200_mpirun.txt").read_text()
    before = re.sub(r"(?m)^.*Using network.*\n", "", real)
    assert nccl_tests.table(before, "all_reduce").networks == {"Socket", "no IB"}


@pytest.mark.parametrize(
    ("file", "collective", "ranks"),
    [
        ("alltoall_2_nodes", "alltoall", 16),
        ("alltoall_old_blank_redop_srun", "alltoall", 8),
        ("all_gather_2_nodes", "all_gather", 16),
        ("all_reduce_tagged_prefix_in_row", "all_reduce", 16),
    ],
)
def test_other_forms(file, collective, ranks):
    """No root, no redop, prefixes of launchers, one of them in the middle of a row."""
    found = nccl_tests.table((NCCL / f"{file}.txt").read_text(), collective)
    assert (len(found.ranks), [row.asked_bytes for row in found.rows]) == (
        ranks,
        [8192, 8388608, LARGE],
    )


def test_times_of_the_tool_and_of_a_launcher_are_no_columns():
    """-S adds a time to each row; a launcher puts one before each line."""
    head = TIMED.replace("i_cv% \n", "i_cv%           timestamp\n")
    rows = re.sub(r"(?m)^( +\d.*)$", r"\1  2026-07-10 12:00:00", head)
    assert nccl_tests.table(rows, "all_reduce").rows == nccl_tests.table(TIMED, "all_reduce").rows
    before = re.sub(r"(?m)^", "2026-07-10T12:00:00.123456 ", TIMED)
    assert nccl_tests.table(before, "all_reduce").rows == nccl_tests.table(TIMED, "all_reduce").rows


def line(start: str, text: str = PLAIN) -> str:
    return next(one for one in text.splitlines(keepends=True) if one.lstrip().startswith(start))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda text: text.replace("validation: 1", "validation: 0"), "were not checked"),
        (lambda text: text.replace(line("8388608"), ""), "3 sizes were asked, 2 rows"),
        (lambda text: text.replace(line("8388608"), line("8388608") * 2), "4 rows are there"),
        (lambda text: text.replace(line("8388608"), line("8192")), "the row says 8192"),
        (lambda text: text.replace(line("# Out of"), ""), "0 times whether"),
        (lambda text: text.replace(line("# Collective test concluded"), ""), "cut short"),
        (lambda text: text.replace(line("# nThread"), ""), "settings 0 times"),
        (lambda text: text.replace(line("#  Rank  3"), ""), "not each once from 0"),
        (lambda text: text.replace(line("#  Rank  3"), line("#  Rank  2")), "not each once"),
        (lambda text: text.replace(line("# " + " " * 6 + "size"), ""), "0 tables"),
        (lambda text: text.replace("Rank  3 Group  0", "Rank  3 Group  1"), "several groups"),
        (lambda text: re.sub(r"device  3 (.*p1-1|)", "device  2 ", text), "two ranks"),
        (lambda text: text.replace("(GB/s)", "(MB/s)"), "not in us and GB/s"),
        (lambda text: text.replace("(us)", "(ms)"), "not in us and GB/s"),
        (lambda text: text + text, "2 times"),
        (lambda text: text.replace("all_gather_perf", "all_reduce_perf"), "all_reduce ran"),
        (
            lambda text: re.sub(r"(?m)^( +8192 .* )0( +\S+ +\S+ +\S+ +0)$", r"\1N/A\2", text),
            "check",
        ),
        (lambda text: text.replace("374.", "nan ."), "number|whole"),
        (lambda text: text + "gpu-p1-1: Test NCCL failure all_gather.cu:50 'x'\n", "run failed"),
        (lambda text: text + "# error: remote process exited\n", "run failed"),
        (lambda text: text.replace("0 OK", "0 O"), "0 times whether"),
    ],
)
def test_runs_that_contradict_themselves(change, why):
    assert change(PLAIN) != PLAIN
    with pytest.raises(Unreadable, match=why):
        nccl_tests.table(change(PLAIN), "all_gather")


def test_every_printed_rate_is_bound_to_the_others():
    """Each of the numbers of the large row, a fifth larger: no longer one measurement."""
    row = line(str(LARGE))
    words = re.findall(r"\S+", row)
    for at in (5, 6, 7, 9, 10, 11):
        changed = words.copy()
        changed[at] = f"{float(words[at]) * 1.2:.2f}"
        with pytest.raises(Unreadable, match=r"busbw|algbw"):
            nccl_tests.table(PLAIN.replace(row, "  ".join(changed) + "\n"), "all_gather")


@pytest.mark.parametrize("word", ["nan", "inf", "-1.00", "x"])
def test_what_is_no_number(word):
    row = line(str(LARGE))
    words = re.findall(r"\S+", row)
    words[7] = word
    with pytest.raises(Unreadable):
        nccl_tests.table(PLAIN.replace(row, "  ".join(words) + "\n"), "all_gather")


def test_wrong_data_is_told_apart():
    """It ran, and what it computed is wrong: that is no missing evidence."""
    row = line(str(LARGE))
    words = re.findall(r"\S+", row)
    words[8] = "3"
    with pytest.raises(WrongResult, match="3 elements"):
        nccl_tests.table(PLAIN.replace(row, "  ".join(words) + "\n"), "all_gather")
    with pytest.raises(WrongResult, match="7 values"):
        nccl_tests.table(PLAIN.replace("values : 0 OK", "values : 7 FAILED"), "all_gather")


def test_rows_of_two_processes_are_not_one_table():
    text = re.sub(r"(?m)^", "[1,0]<stdout>:", PLAIN)
    mixed = text.replace("[1,0]<stdout>:        8192", "[1,3]<stdout>:        8192")
    assert mixed != text
    with pytest.raises(Unreadable, match="several processes"):
        nccl_tests.table(mixed, "all_gather")


def test_factors_of_every_collective():
    assert factor("all_reduce", 16) == 1.875
    assert factor("alltoall", 8) == factor("reduce_scatter", 8) == factor("gather", 8) == 0.875
    assert factor("broadcast", 8) == factor("sendrecv", 8) == factor("hypercube", 8) == 1
    with pytest.raises(Unreadable):
        factor("all_to_all", 8)


def test_a_sweep_has_an_end():
    assert asked_sizes(8, 64, 2, by_factor=True) == (8, 16, 32, 64)
    assert asked_sizes(8, 24, 8, by_factor=False) == (8, 16, 24)
    for least, most, step, by_factor in ((0, 8, 2, True), (8, 4, 2, True), (8, 64, 1, True)):
        with pytest.raises(Unreadable):
            asked_sizes(least, most, step, by_factor=by_factor)


@pytest.mark.parametrize(
    ("text", "rank", "rest"),
    [
        ("0: #  size", "0", "#  size"),
        ("[1,3]<stdout>: 8 2", "3", "8 2"),
        ("[7] 8 2", "7", "8 2"),
        ("2026-07-01T12:00:00.1Z [1,2]<stderr>:x", "2", "x"),
        ("        8192          2", "", "        8192          2"),
        ("host:12:13 [0] NCCL INFO x", "", "host:12:13 [0] NCCL INFO x"),
    ],
)
def test_prefixes(text, rank, rest):
    found = launched.lines(text)[0]
    assert (found.rank, found.text) == (rank, rest)


MPI = """\
mpirun (Open MPI) 4.1.4
[1,0]<stdout>:railbed-collective 1 all_reduce ranks 2 iterations 5 sizes 1 type int32 library Open MPI v4.1.4
[1,0]<stdout>:rank 0 host node-p1-1 pid 8076
[1,0]<stdout>:rank 1 host node-p1-2 pid 5315
[1,0]<stdout>:row asked 8388608 size 8388608 us 300.0 400000.000 450000.0 450000.0 algbw 0.020972 busbw 0.020972 wrong 0 sent 84000000
[1,0]<stdout>:end 1
"""  # noqa: E501 - as it is printed


def test_ours_over_mpi():
    found = mpi_collective.table(MPI, "all_reduce")
    assert found.hosts == ("node-p1-1", "node-p1-2")
    assert found.networks == {"rails"}
    assert (found.rows[0].busbw_gbs, found.rows[0].p99_us) == (0.020972, 450000.0)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("end 1", "end 2", "no whole run"),
        ("sent 84000000", "sent 840000", "another network"),
        ("busbw 0.020972", "busbw 0.040972", "busbw"),
        (
            "algbw 0.020972 busbw 0.020972",
            "algbw 0.030972 busbw 0.030972",
            "its size over its time",
        ),
        ("rank 1 host", "rank 0 host", "not each once"),
        ("[1,0]<stdout>:rank 1", "[1,1]<stdout>:rank 1", "not one run"),
        ("us 300.0", "us 500000.0", "does not lie between"),
        ("wrong 0", "wrong none", "no row"),
        ("all_reduce", "all_gather", "no whole run"),
        ("ranks 2", "ranks 3", "not all listed"),
    ],
)
def test_ours_altered(old, new, why):
    with pytest.raises(Unreadable, match=why):
        mpi_collective.table(MPI.replace(old, new, 1), "all_reduce")
    with pytest.raises(WrongResult, match="5 elements"):
        mpi_collective.table(MPI.replace("wrong 0", "wrong 5"), "all_reduce")
