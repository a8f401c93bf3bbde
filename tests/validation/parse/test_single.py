"""Readers of what measures one node: real output where there is any, else published forms."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inventory.reading.fields import Unreadable
from tests.plugins.needs import samples_folder
from validation.parse.gpu import dcgmi_diag, gdsio, gpu_burn, nvlink
from validation.parse.loads import fio, stream

EVIDENCE = Path(__file__).parents[2] / "evidence"
# github.com/wilicc/gpu-burn, issues 14 (never started), 69 (died) and 124 (no line at all).
NOT_STARTED = """\
GPU 0: GeForce GTX 1080 Ti (UUID: GPU-00000000-0000-0000-0000-000000000000)
Couldn't init a GPU test: Error in "init": CUBLAS_STATUS_NOT_INITIALIZED
100.0%  proc'd: 0 (0 Gflop/s)   errors: 0   temps: 30 C
Killing processes.. done

Tested 1 GPUs:
\tGPU 0: OK
"""


def text(name: str) -> str:
    return (EVIDENCE / name).read_text()


def test_fio_says_what_each_job_did():
    found = fio.run(text("fio/write_read_v3_33.json"))
    wrote, read = found.of("write", "write"), found.of("read", "read")
    assert (found.version, dict(found.options)["direct"]) == ("fio-3.33", "1")
    assert (wrote.bytes_per_s, read.bytes_per_s) == (2316584944.0, 1389754459.0)
    assert (wrote.seconds, read.seconds) == (2.007, 2.01)
    with pytest.raises(Unreadable, match="0 times"):
        found.of("read", "write")


def test_fio_without_percentiles_and_with_words_before_its_report_says_the_same():
    """3.16 has them under lat_ns where `lat_percentiles` is set (fio, stat.c of 3.16)."""
    said = json.loads(text("fio/write_read_v3_33.json"))
    for way in (job[way] for job in said["jobs"] for way in ("read", "write")):
        if "percentile" in way["clat_ns"]:
            way["lat_ns"]["percentile"] = way["clat_ns"].pop("percentile")
    whole = fio.run(text("fio/write_read_v3_33.json"))
    note = (
        "note: both iodepth >= 1 and synchronous I/O engine are selected, queue depth will be "
        "capped at 1\nwrite: Laying out IO file (1 file / 64MiB)\n"
    )
    assert fio.run(note + json.dumps(said)) == whole
    for wrong in ("fio: pid=3, err=28/file:filesetup.c:240, func=write", "fio: terminating on"):
        with pytest.raises(Unreadable, match=wrong[:8]):
            fio.run(f"{note}{wrong}\n{json.dumps(said)}")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"error": 28}, "error 28"),
        ({"write": {"short_ios": 3}}, "short"),
        ({"write": {"bw_bytes": 2316584}}, "its bytes over its time"),
        ({"write": {"bw": 2316584944}}, "do not agree"),
    ],
)
def test_fio_that_contradicts_itself_proves_nothing(change, why):
    said = json.loads(text("fio/write_read_v3_33.json"))
    for key, value in change.items():
        job = said["jobs"][0]
        job[key] = {**job[key], **value} if isinstance(value, dict) else value
    with pytest.raises(Unreadable, match=why):
        fio.run(json.dumps(said))


def test_fio_of_old_counts_in_other_units():
    said = json.loads(text("fio/write_read_v3_33.json")) | {"fio version": "fio-2.19"}
    with pytest.raises(Unreadable, match="other units"):
        fio.run(json.dumps(said))


def test_gpu_burn_says_rate_heat_and_verdict():
    found = gpu_burn.burnt(text("gpu_burn/eight.txt"))
    assert [one.index for one in found] == list(range(8))
    assert {one.gflops for one in found} == {390000.0}
    assert (found[7].hottest_c, found[7].faulty) == (71, False)
    assert [one.index for one in gpu_burn.burnt(text("gpu_burn/one_faulty.txt")) if one.faulty] == [
        3
    ]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (NOT_STARTED, "Couldn't init"),
        (text("gpu_burn/never_started.txt"), "has done nothing"),
        (text("gpu_burn/one_faulty.txt").replace("FAULTY", "OK"), "counts errors"),
        (text("gpu_burn/eight.txt").replace("\n100.0%", "\n99.0%"), "did not come to its end"),
        (text("gpu_burn/eight.txt") * 2, "ran twice"),
        (text("gpu_burn/eight.txt").replace("GPU 5: NVIDIA", "GPU 4: NVIDIA"), "names 8"),
        ("No clients are alive!  Aborting\n", "No clients"),
        ("", "no verdict"),
    ],
)
def test_gpu_burn_that_proves_nothing(said, why):
    with pytest.raises(Unreadable, match=why):
        gpu_burn.burnt(said)


def test_gpu_burn_by_the_published_line_of_sixteen():
    """Issue 12: signs of errors stand between GPUs, without a blank."""
    line = (
        "100.0%  proc'd: 18000 (6311 Gflop/s) - 12600 (6440 Gflop/s) - 11700 (6490 Gflop/s)   "
        "errors: 0 - -524288000  (WARNING!)- -524288000  (WARNING!)  temps: 51 C - -- - 48 C \n"
    )
    head = "".join(
        f"GPU {n}: T4 (UUID: GPU-{n:08d}-1111-2222-3333-444455556666)\n" for n in range(3)
    )
    end = "Tested 3 GPUs:\n\tGPU 0: OK\n\tGPU 1: FAULTY\n\tGPU 2: FAULTY\n"
    found = gpu_burn.burnt(head + line + end)
    assert [(one.gflops, one.hottest_c, one.faulty) for one in found] == [
        (6311.0, 51, False),
        (6440.0, None, True),
        (6490.0, 48, True),
    ]


def test_stream_says_its_rate_of_triad():
    assert stream.triad(text("stream/one_socket.txt")) == 231205.3


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("Solution Validates", "Solution", "validates"),
        ("231205.3", "431205.3", "bytes over its time"),
        ("Best Rate MB/s", "Best Rate GB/s", "counts in MB/s"),
        ("Triad:", "Trial:", "3 of its four"),
    ],
)
def test_stream_that_proves_nothing(old, new, why):
    with pytest.raises(Unreadable, match=why):
        stream.triad(text("stream/one_socket.txt").replace(old, new))
    with pytest.raises(Unreadable, match="wrong values"):
        stream.triad(text("stream/wrong.txt"))


def test_a_real_burn_says_its_last_rate_its_heat_and_its_uuid():
    """Of one H200; of rows of one share the last was kept."""
    (one,) = gpu_burn.burnt(text("gpu_burn/one_h200.txt"))
    assert (one.name, one.uuid) == ("NVIDIA H200", "GPU-00000000-1111-2222-3333-444455556666")
    assert (one.gflops, one.hottest_c, one.faulty) == (353417, 59, False)
    with pytest.raises(Unreadable, match="no verdict"):
        gpu_burn.burnt(text("gpu_burn/no_kernel_h200.txt"))


def test_nvlink_says_each_links_rate():
    found = nvlink.status(text("nvlink/eight_h100.txt"))
    assert len(found) == 8
    assert set(found[0].gbytes_per_s) == {26.562}
    assert nvlink.status(text("nvlink/one_inactive.txt"))[2].gbytes_per_s[5] == 0.0
    assert nvlink.status(text("nvlink/all_inactive.txt"))[6].gbytes_per_s == ()
    # A driver that was loaded with its NVLinks off says nothing, and ends well.
    assert nvlink.status(text("nvlink/none_h200.txt")) == ()
    for broken in ("end 3\n", "", "NVIDIA-SMI has failed\nend 1\n"):
        with pytest.raises(Unreadable):
            nvlink.status(broken)


@pytest.mark.samples
def test_nvlink_reads_a_published_output():
    """The published output of a GPU whose links are all off is read as that."""
    folder = samples_folder()
    assert folder
    said = (folder / "nvidia_smi_nvlink_status_bad.txt").read_text().splitlines()[1:]
    lines = [said[0].replace("GPU 6", "GPU 0"), *said[1:], f"end {len(said)}"]
    assert nvlink.status("\n".join(lines))[0].gbytes_per_s == ()


def test_gdsio_says_way_and_rate():
    found = gdsio.run(text("gdsio/direct.txt"))
    assert (found.way, round(found.bytes_per_s / 1e9, 2)) == ("GPUD", 7.32)
    # docs.nvidia.com/gpudirect-storage, configuration guide.
    one = (
        "IoType: READ XferType: GPUD Threads: 8 DataSetSize: 818796544/4096000(KiB) "
        "IOSize: 1024(KiB) Throughput: 6.524658 GiB/sec, Avg_Latency: 1197.370995 usecs "
        "ops: 799606 total_time 119.679102 secs"
    )
    assert gdsio.run(one).seconds == 119.679102
    for wrong in (one.replace("6.52", "65.2"), f"{one}\n{one}", one[:120], ""):
        with pytest.raises(Unreadable):
            gdsio.run(wrong)


@pytest.mark.parametrize(("name", "major"), [("v3_level3", 3), ("v4_level3", 4)])
def test_dcgm_of_both_majors_says_the_same(name, major):
    found = dcgmi_diag.diag(text(f"dcgm/{name}.json"))
    assert found.major == major
    assert {one.status for test in found.tests for one in test.results} == {"pass"}
    assert {one.gpu for test in found.tests for one in test.results} >= {0, 1}


def test_dcgm_tells_failed_skipped_and_doubtful_ones_from_passed():
    def worst(name: str, test: str) -> set[tuple[str, bool]]:
        found = dcgmi_diag.diag(text(f"dcgm/{name}.json"))
        mine = next(one for one in found.tests if one.name == test)
        return {(one.status, one.doubtful) for one in mine.results}

    assert worst("v4_memory_failed", "memory") == {("pass", False), ("fail", False)}
    assert worst("v4_skipped", "targeted_power") == {("skip", False)}
    assert worst("v4_alloc", "memory") == {("pass", False), ("pass", True)}


def test_dcgm_serials_are_by_gpu():
    found = dcgmi_diag.diag(text("dcgm/v4_level3.json"))
    assert dict(found.serials)[3] == "1653123000003"


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (text("dcgm/v4_runtime_error.json"), "another instance"),
        ("Error: unable to establish a connection to the specified host: localhost", "no JSON"),
        ('{"DCGM Diagnostic": {"test_categories": []}}', "no test"),
        ('{"DCGM GPU Diagnostic": {"version": "4.2.3"}}', "test_categories"),
        ('{"Something": 1}', "0 diagnostics"),
        (text("dcgm/v4_level3.json").replace('"Pass"', '"Great"', 1), "great"),
        (
            text("dcgm/v4_memory_failed.json").replace(
                '"test_summary": {\n       "status": "Fail"',
                '"test_summary": {\n       "status": "Pass"',
            ),
            "sums memory up as passed",
        ),
    ],
)
def test_dcgm_that_proves_nothing(said, why):
    with pytest.raises(Unreadable, match=why):
        dcgmi_diag.diag(said)


@pytest.mark.samples
def test_dcgm_reads_a_published_output():
    """A real DCGM 3 document: one failed and one warned test, exit status 0."""
    folder = samples_folder()
    assert folder
    said = (folder / "dcgmi_diag_r1_json_v3_fail.txt").read_text().split("\n", 1)[1]
    found = {one.name: one.results[0].status for one in dcgmi_diag.diag(said).tests}
    assert (found["Persistence Mode"], found["Environment Variables"]) == ("fail", "warn")
    assert sum(one == "pass" for one in found.values()) == 7
