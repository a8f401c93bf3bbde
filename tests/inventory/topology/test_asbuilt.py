"""asbuilt.csv: both headers, chassis rows, and a file of a large site in little time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from inventory.rules.fabric.asbuilt import node_ports
from inventory.schema import NodeProfile
from inventory.topology.asbuilt import parse_asbuilt, plain_mac
from inventory.topology.asbuilt_rows import BuiltRow, asbuilt_text, in_order, rows_of

OLD = "device,port,mac,serial\n"
NEW = "device,port,mac,serial,firmware\n"


def test_both_headers_are_read():
    old, wrong = parse_asbuilt(OLD + "a,eth0,02:00:00:00:00:01,S1\n", "asbuilt.csv")
    new, also_wrong = parse_asbuilt(NEW + "a,eth0,02:00:00:00:00:01,S1,\n", "asbuilt.csv")
    assert not wrong + also_wrong
    assert rows_of(old) == rows_of(new)


def test_firmware_and_chassis_are_read():
    text = NEW + "a,chassis,,S1,2.1\r\na,bmc,02:00:00:00:00:01,S1,1.10~rc1\n"
    built, wrong = parse_asbuilt(text, "asbuilt.csv")
    assert not wrong
    assert built.firmware("a", "chassis") == "2.1"
    assert built.firmware("a", "bmc") == "1.10~rc1"
    assert built.firmware("a", "eth0") is None
    assert built.chassis["a"].serial == "S1"
    assert built.mac("a", "chassis") is None


def test_what_is_written_is_read_again_and_is_in_order():
    rows = [
        BuiltRow("node-p1-10", "rail0", "02:00:00:00:00:04", "S4"),
        BuiltRow("node-p1-2", "rail10", "02:00:00:00:00:03", "S3"),
        BuiltRow("node-p1-2", "rail9", "02:00:00:00:00:02", "S3", "28.39"),
        BuiltRow("node-p1-2", "chassis", "", "S3"),
    ]
    text = asbuilt_text(rows)
    assert [row.port for row in in_order(rows)] == ["chassis", "rail9", "rail10", "rail0"]
    built, wrong = parse_asbuilt(text, "asbuilt.csv")
    assert not wrong
    assert asbuilt_text(rows_of(built).values()) == text
    assert asbuilt_text(reversed(rows)) == text


def test_without_firmware_the_old_header_stays():
    assert asbuilt_text([BuiltRow("a", "eth0", "02:00:00:00:00:01", "S1")]).startswith(OLD)


@pytest.mark.parametrize(
    "text", ["C4:5A:B1:C8:38:0D", "c45a.b1c8.380d", "C4-5A-B1-C8-38-0D", " c45ab1c8380d "]
)
def test_a_mac_in_any_writing(text):
    assert plain_mac(text) == "c4:5a:b1:c8:38:0d"


@pytest.mark.parametrize("text", ["", "c4:5a:b1:c8:38", "c4:5a:b1:c8:38:0g", "a0001e00:206:xyz"])
def test_what_is_no_mac(text):
    assert plain_mac(text) is None


def test_bmc_and_the_nics_of_every_plane_may_have_rows():
    profile = NodeProfile.model_validate(
        {
            "management_port": "eth0",
            "bmc": {"protocol": "redfish"},
            "rails": [{"port": "rail0", "rate_gbps": 400.0}],
            "storage": [{"port": "st0", "rate_gbps": 200.0}],
            "business": [{"port": "bz0", "rate_gbps": 100.0}],
            "source": "a test",
        }
    )
    assert node_ports(profile) == {"eth0", "bmc", "rail0", "st0", "bz0"}


def lines(nodes: int, seen: str) -> Iterator[str]:
    """Ten ports a node, as in a site of 8 rails with BMCs."""
    ports = ("eth0", "bmc", *(f"rail{one}" for one in range(8)))
    number = 0
    for node in range(nodes):
        for port in ports:
            number += 1
            mac = ":".join(f"{byte:02x}" for byte in (2, *number.to_bytes(5, "big")))
            yield f"node-p{node // 32:03}-{node % 32:02},{port},{mac},SN{node:06}{seen}"


@pytest.mark.parametrize(("header", "seen"), [(OLD, ""), (NEW, ",")])
def test_a_large_site_is_read_whole(header, seen):
    built, wrong = parse_asbuilt(header + "\n".join(lines(320, seen)) + "\n", "asbuilt.csv")
    assert not wrong
    assert len(built.ports) == 3_200
