"""Readers of load tools against what the tools printed, and against what is cut or altered."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inventory.reading.fields import Unreadable
from tests.plugins.tiers import examples
from tests.validation.recorded import EVIDENCE
from validation.parse.loads import iperf3, perftest

HEALTHY = (EVIDENCE / "iperf3/one_stream.json").read_text()
CLIENT = (EVIDENCE / "perftest/ib_write_bw_client.txt").read_text()


def test_one_and_four_streams():
    one = iperf3.flow(HEALTHY)
    assert (str(one.source), str(one.target), one.streams) == ("10.16.0.1", "10.16.0.3", 1)
    assert one.received_gbps == pytest.approx(0.1945, abs=1e-4)
    assert one.seconds == pytest.approx(3.057, abs=1e-3)
    four = iperf3.flow((EVIDENCE / "iperf3/four_streams.json").read_text())
    assert four.streams == 4
    assert four.received_gbps == pytest.approx(0.1987, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("refused", "Connection refused"),
        ("server_killed", "the server has terminated"),
        ("client_killed", "the client has terminated"),
        ("udp", "not run over TCP"),
        ("reverse", "from its client to its server"),
        ("both_ways", "2 streams of 1"),
    ],
)
def test_another_run_or_none_is_no_result(name, why):
    with pytest.raises(Unreadable, match=why):
        iperf3.flow((EVIDENCE / f"iperf3/{name}.json").read_text())


@settings(max_examples=examples(40, full=200), deadline=None)
@given(st.integers(0, len(HEALTHY.rstrip()) - 1))
def test_iperf3_cut_anywhere_is_no_result(at):
    with pytest.raises(Unreadable):
        iperf3.flow(HEALTHY[:at])


def altered(change: Callable[[dict[str, Any]], object]) -> str:
    told = json.loads(HEALTHY)
    change(told)
    return json.dumps(told)


@pytest.mark.parametrize(
    "change",
    [
        lambda told: told["end"].pop("sum_received"),
        lambda told: told["end"]["sum_received"].update(bits_per_second=9e9),
        lambda told: told["end"]["sum_received"].update(bytes=1),
        lambda told: told["end"]["sum_received"].update(seconds=0),
        lambda told: told["end"]["sum_received"].update(bits_per_second=float("nan")),
        lambda told: told["end"]["sum_received"].update(bits_per_second="1"),
        lambda told: told["end"]["sum_sent"].update(bytes=0),
        lambda told: told["end"].update(streams=[]),
        lambda told: told.update(intervals=[]),
        lambda told: told.update(error="unable to receive results"),
        lambda told: told["start"].update(connected=[]),
        lambda told: told["start"]["connected"][0].update(remote_host="fe80::1"),
    ],
)
def test_iperf3_that_contradicts_itself_is_no_result(change):
    with pytest.raises(Unreadable):
        iperf3.flow(altered(change))


@pytest.mark.samples
def test_an_older_iperf3(samples):
    """iperf 3.1.6 prints the same shape."""
    text = (samples / "iperf3_J_tcp_end.txt").read_text().partition("\n")[2]
    assert iperf3.flow(text).received_gbps == pytest.approx(2.088079)


@pytest.mark.parametrize(
    ("name", "both_ways", "qps", "size", "gbps"),
    [
        ("client", False, 1, 65536, 0.24),
        ("server", False, 1, 65536, 0.24),
        ("all_server", False, 1, 8388608, 0.26),
        ("bidir_q4_server", True, 4, 65536, 0.074913),
        ("cm_tclass106_client", False, 1, 65536, 0.16),
    ],
)
def test_perftest_of_either_side(name, both_ways, qps, size, gbps):
    found = perftest.bandwidth((EVIDENCE / f"perftest/ib_write_bw_{name}.txt").read_text())
    assert (found.test, found.device, found.link_type) == ("RDMA_Write", "rxe0", "Ethernet")
    assert (found.both_ways, found.qps) == (both_ways, qps)
    assert found.row(size).average_gbps == pytest.approx(gbps)
    with pytest.raises(Unreadable, match="no row for 3 bytes"):
        found.row(3)


@pytest.mark.parametrize("label", ["MB/sec", "MiB/sec"])
def test_megabytes_of_both_spellings_are_of_two_to_the_twenty(label):
    """perftest 24.07 renamed the label; the unit stayed."""
    text = CLIENT.replace("Gb/sec", label).replace("0.24 ", "28.61 ").replace("0.27 ", "32.19 ")
    rate = perftest.bandwidth(text).row(65536).average_gbps
    assert rate == pytest.approx(28.61 * 8 * 2**20 / 1e9)


END = CLIENT.rstrip().rindex("0.000463") + len("0.000463")


@settings(max_examples=examples(40, full=200), deadline=None)
@given(st.integers(0, END))
def test_perftest_cut_anywhere_in_what_it_needs_is_no_result(at):
    with pytest.raises(Unreadable):
        perftest.bandwidth(CLIENT[:at])


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("Gb/sec", "Gib/sec", "counts in Gib/sec"),
        ("average[Gb/sec]", "average[MB/sec]", "counts in"),
        ("0.24 ", "24.0 ", "message rate times the size"),
        ("Device         : rxe0", "", "'Device'"),
        (" 65536      500", " Completion with error at client\n 65536      500", "Completion"),
    ],
)
def test_perftest_that_contradicts_itself_is_no_result(old, new, why):
    assert old in CLIENT
    with pytest.raises(Unreadable, match=why):
        perftest.bandwidth(CLIENT.replace(old, new))


def test_two_runs_in_one_text_are_no_result():
    with pytest.raises(Unreadable, match="2 titles"):
        perftest.bandwidth(CLIENT + CLIENT)


def test_a_row_printed_twice_is_no_result():
    row = next(line for line in CLIENT.splitlines() if line.startswith(" 65536"))
    with pytest.raises(Unreadable, match="2 rows"):
        perftest.bandwidth(CLIENT.replace(row, f"{row}\n{row}"))


def test_a_client_without_server_has_no_result():
    with pytest.raises(Unreadable, match="Couldn't connect"):
        perftest.bandwidth((EVIDENCE / "perftest/ib_write_bw_no_server.txt").read_text())


@pytest.mark.samples
@pytest.mark.parametrize(
    ("name", "both_ways", "size", "gbps"),
    [
        ("bidir_D5_gbits_rocev2_100G", True, 65536, 98.02),
        ("rdma_cm_MBs_cx5_100G", False, 65536, 92.482),
        ("server_banner_and_job_noise_400G", True, 8388608, 779.21),
    ],
)
def test_perftest_of_hardware(samples, name, both_ways, size, gbps):
    """Real adapters: warnings between header and row, banners, vendors' lines, MB/sec."""
    found = perftest.bandwidth(sample(samples, name))
    assert found.both_ways is both_ways
    assert found.row(size).average_gbps == pytest.approx(gbps, abs=1e-3)


@pytest.mark.samples
@pytest.mark.parametrize(
    "name",
    [
        "all_sizes_ib_gbits_head",
        "error_completion",
        "error_couldnt_connect",
        "error_modify_qp_to_rtr",
        "loopback_8M_MBs",
        "loopback_all_sizes_interleaved_MBs",
        "out_json_file",
    ],
)
def test_perftest_that_failed_or_was_cut_or_mixed(samples, name):
    """Errors, a table without end, two sides in one text, JSON without a unit: no result."""
    with pytest.raises(Unreadable):
        perftest.bandwidth(sample(samples, name))


def sample(samples, name: str) -> str:
    lines = (samples / f"ib_write_bw_{name}.txt").read_text().splitlines()
    return "\n".join(line for line in lines if not line.startswith("# SOURCE:"))
