"""The second sum of headroom: from other code and other copies of what makers publish."""

from __future__ import annotations

import ast
from itertools import product
from pathlib import Path

import pytest

from inventory.lossless.headroom import NoHeadroom, headroom, roce_packet_bytes
from inventory.schema import AsicProfile
from tests.shipped import loaded
from tests.tree import ROOT
from validation.paused.arithmetic import Room, floor_bytes, packet_bytes, published_room
from validation.paused.published import MEMORY, SPECTRUM, TOMAHAWK

ASICS = loaded(ROOT / "inventory/profiles/asics.yml")
RATES = (10, 25, 40, 50, 100, 200, 400, 800)
METRES = (0.5, 3, 5, 30, 40, 41, 100, 150, 300, 301)


def test_every_asic_of_ours_is_written_down_twice():
    computed = {name for name, one in ASICS.items() if one["headroom"] != "system"}
    assert computed == {*SPECTRUM, *TOMAHAWK} == set(MEMORY)


@pytest.mark.parametrize("name", sorted(MEMORY))
def test_both_sums_agree_on_every_rate_and_length(name):
    asic, tried = AsicProfile.model_validate(ASICS[name]), 0
    for rate, metres, mtu, small, shared, plain, lanes in product(
        RATES, METRES, (2200, 9216), (0, 20, 100), (False, True), (False, True), (1, 4, 8)
    ):
        packet = packet_bytes(mtu)
        assert packet == roce_packet_bytes(mtu)
        form = {"lanes": lanes, "shared": shared}
        one = headroom(asic, rate, metres, mtu, packet, small, compensated=not plain, **form)
        other = published_room(name, rate, metres, mtu, packet, small, plain=plain, **form)
        if isinstance(one, NoHeadroom):
            assert other is None
            continue
        tried += 1
        assert other == Room(one.xoff_bytes, one.xon_bytes, one.size_bytes, one.xon_offset_bytes)
        assert one.xoff_bytes > floor_bytes(rate, metres, mtu, packet)
    assert tried > 20


def test_the_published_table_of_the_sn5600():
    """sonic-buildimage, device/mellanox/x86_64-nvidia_sn5600-r0/ACS-SN5600: 400G and 800G rows."""
    rooms = [
        published_room("spectrum4", *row, 9216, 1024, 100, False, lanes=4)
        for row in ((400, 40), (800, 40))
    ]
    assert [one and (one.xon_bytes, one.xoff_bytes) for one in rooms] == [
        (19456, 283648), (38912, 362496),
    ]  # fmt: skip


def test_the_floor_by_hand():
    """At 100 Gb/s over 198 m: 25,000 bytes of cable, two frames of 1,000 bytes, a pause of 64."""
    assert floor_bytes(100, 198, 1000, 1000) == 25_000 + 2_000 + 64


def test_the_second_sum_imports_no_renderer():
    """Facts and words only: nothing that works out a number for a renderer or for `wanted`."""
    for path in (ROOT / "validation/paused").glob("*.py"):
        for node in ast.walk(ast.parse(Path(path).read_text())):
            if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                assert node.module in {
                    "__future__", "collections.abc", "dataclasses", "inventory.plan",
                    "switch_configs.readback.facts", "switch_configs.intent",
                }, (path, node.module)  # fmt: skip
