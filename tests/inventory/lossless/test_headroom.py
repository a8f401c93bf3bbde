"""Headroom held against published tables, and against what must be true of any of it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inventory.load.files import yaml_mapping
from inventory.load.site import PROFILES
from inventory.lossless.headroom import NoHeadroom, headroom, roce_packet_bytes
from inventory.plan import Headroom
from inventory.schema import AsicProfile

# sonic-net/sonic-buildimage, device/mellanox/x86_64-nvidia_sn5600-r0/ACS-SN5600/
# pg_profile_lookup.ini: rate in Gb/s, cable in metres, size, xon and xoff in bytes.
SN5600 = """
10 5 64512 19456 45056
25 5 67584 19456 48128
40 5 75776 19456 57344
50 5 82944 19456 63488
100 5 133120 19456 113664
200 5 150528 19456 131072
400 5 250880 19456 231424
800 5 304128 38912 257024
10 40 65536 19456 46080
25 40 71680 19456 52224
40 40 81920 19456 62464
50 40 89088 19456 69632
100 40 146432 19456 126976
200 40 177152 19456 157696
400 40 303104 19456 283648
800 40 410624 38912 362496
10 300 75776 19456 56320
25 300 96256 19456 76800
40 300 120832 19456 101376
50 300 138240 19456 118784
100 300 244736 19456 225280
200 300 374784 19456 355328
400 300 697344 19456 677888
800 300 1198080 38912 1150976
"""
ROWS = [tuple(map(int, line.split())) for line in SN5600.strip().splitlines()]
# The lossless packet and the port MTU that the published table was computed with.
PUBLISHED = {"packet_bytes": 1024, "port_mtu_bytes": 9216, "lanes": 4}
RATES = (10, 25, 40, 50, 100, 200, 400, 800)


def asics() -> dict[str, AsicProfile]:
    marked = yaml_mapping(PROFILES / "asics.yml", [])
    assert marked is not None
    assert isinstance(marked.value, dict)
    return {name: AsicProfile.model_validate(one) for name, one in marked.value.items()}


ASICS = asics()


def known(asic: str, rate_gbps: float, cable_m: float, **more: object) -> Headroom:
    found = headroom(ASICS[asic], rate_gbps, cable_m, **{**PUBLISHED, **more})  # type: ignore[arg-type]
    assert isinstance(found, Headroom), found
    return found


@pytest.mark.parametrize(("rate", "cable", "size", "xon", "xoff"), ROWS)
def test_equals_the_published_table_of_the_sn5600(rate, cable, size, xon, xoff):
    found = known("spectrum4", rate, cable)
    assert (found.xon_bytes, found.xoff_bytes) == (xon, xoff)
    assert found.size_bytes - size in (0, 1024)


@pytest.mark.parametrize(
    ("asic", "rate"), [("spectrum4", 400), ("spectrum4", 100), ("spectrum3", 200)]
)
def test_a_slower_port_of_eight_lanes_takes_two_units_all_the_same(asic, rate):
    """sonic-swss, cfgmgr/buffer_headroom_mellanox.lua: `is_8lane` looks at lanes, at no rate."""
    four, eight = (known(asic, rate, 40, lanes=lanes) for lanes in (4, 8))
    assert eight.xoff_bytes == four.xoff_bytes
    assert eight.xon_bytes == 2 * four.xon_bytes == 2 * 19 * 1024
    assert eight.size_bytes - four.size_bytes == (19 + 9) * 1024
    pooled = known(asic, rate, 40, lanes=8, shared=True)
    assert pooled.size_bytes == eight.xon_bytes
    assert known("spectrum4", 800, 40) == known("spectrum4", 800, 40, lanes=8)


def test_nearly_every_published_size_is_met_exactly():
    """A kilobyte more is on the safe side, and only 3 of 24 rows have it."""
    exact = [row for row in ROWS if known("spectrum4", row[0], row[1]).size_bytes == row[2]]
    assert len(ROWS) == 24
    assert len(exact) == 21


def test_shared_headroom_keeps_only_xon_for_the_port():
    own, shared = known("spectrum4", 400, 40), known("spectrum4", 400, 40, shared=True)
    assert (shared.xon_bytes, shared.xoff_bytes) == (own.xon_bytes, own.xoff_bytes)
    assert shared.size_bytes == shared.xon_bytes


def test_small_packets_cost_most():
    """Fewer of them need less room; a little is added back where nothing is shared."""
    worst, half = (
        known("spectrum4", 400, 40),
        known("spectrum4", 400, 40, small_packet_percentage=50),
    )
    assert half.xoff_bytes < worst.xoff_bytes
    pooled = known("spectrum4", 400, 40, small_packet_percentage=50, shared=True)
    assert half.xoff_bytes == pooled.xoff_bytes + 2048


@given(
    st.sampled_from(["spectrum3", "spectrum4"]),
    st.sampled_from(RATES[:-1]),
    st.floats(0.1, 2000),
    st.floats(0.1, 2000),
    st.integers(0, 100),
)
def test_a_longer_cable_never_needs_less(asic, rate, one, other, small):
    short, long = sorted((one, other))
    less = known(asic, rate, short, small_packet_percentage=small)
    more = known(asic, rate, long, small_packet_percentage=small)
    assert less.xoff_bytes <= more.xoff_bytes
    assert less.size_bytes <= more.size_bytes


@given(st.sampled_from(RATES), st.sampled_from(RATES), st.floats(0.1, 2000))
def test_a_faster_port_never_needs_less(one, other, metres):
    slow, fast = sorted((one, other))
    less, more = known("spectrum4", slow, metres), known("spectrum4", fast, metres)
    assert less.xoff_bytes <= more.xoff_bytes


@given(st.sampled_from(RATES), st.floats(0.1, 2000))
def test_holds_what_physics_sends(rate, metres):
    """Two largest frames, the cable both ways at light's speed in glass: no less will do."""
    cable = 2 * metres * rate * 1e9 / 2e8 / 8
    assert known("spectrum4", rate, metres).xoff_bytes >= 9216 + 1024 + cable


@given(st.sampled_from(RATES), st.floats(0.1, 300))
def test_a_table_rounds_a_length_up_to_a_published_row(rate, metres):
    found = known("tomahawk5", rate, metres)
    row = next(
        one
        for one in sorted(ASICS["tomahawk5"].table, key=lambda one: one.cable_m)
        if one.rate_gbps == rate and one.cable_m >= metres
    )
    assert found.xoff_bytes == row.xoff_bytes
    assert found.size_bytes == row.size_bytes + row.xoff_bytes


def test_published_rows_of_tomahawk_5():
    """sonic-buildimage, device/dell/x86_64-dell_z9864f-r0/Dell-Z9864f-O64/pg_profile_lookup.ini."""
    assert known("tomahawk5", 400, 40).xoff_bytes == 446024
    assert known("tomahawk5", 800, 300).xoff_bytes == 1621536
    shared = known("tomahawk5", 100, 5, shared=True)
    assert (shared.xoff_bytes, shared.size_bytes, shared.xon_offset_bytes) == (147066, 18796, 3556)


@pytest.mark.parametrize(
    ("asic", "rate", "metres", "found"),
    [
        ("spectrum4", 0.2, 5, "0.2 Gb/s"),
        ("spectrum3", 800, 5, "800 Gb/s"),
        ("tomahawk5", 1600, 5, "1600 Gb/s"),
        ("tomahawk5", 400, 301, "301 m"),
        ("tomahawk5_7060x6", 800, 5, "800 Gb/s"),
        ("tomahawk5_7060x6", 200, 41, "41 m"),
        ("silicon_one_g200", 400, 5, "400 Gb/s"),
    ],
)
def test_what_nobody_published_is_not_made_up(asic, rate, metres, found):
    answer = headroom(ASICS[asic], rate, metres, 9216, 1024, lanes=1)
    assert isinstance(answer, NoHeadroom)
    assert answer.found == found
    assert answer.expected


def test_tables_of_asics_differ():
    """Or a mix of them would not be noticed."""
    found = {name: known(name, 400, 40).xoff_bytes for name in ("spectrum3", "spectrum4")}
    found |= {name: known(name, 400, 40).xoff_bytes for name in ("tomahawk5", "tomahawk5_7060x6")}
    assert len(set(found.values())) == 4


@pytest.mark.parametrize(
    ("ip_mtu", "packet"), [(9000, 4178), (4160, 4178), (4159, 2130), (1500, 1106), (576, 594)]
)
def test_rdma_takes_the_largest_of_its_five_mtus(ip_mtu, packet):
    assert roce_packet_bytes(ip_mtu) == packet


@given(st.integers(576, 9216))
def test_a_roce_packet_fits_into_the_hosts_mtu(ip_mtu):
    assert roce_packet_bytes(ip_mtu) - 18 <= ip_mtu
    assert math.log2(roce_packet_bytes(ip_mtu) - 82).is_integer()
