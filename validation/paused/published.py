"""What makers publish of headroom, written down a second time: a slip in one copy shows here.

Sources: sonic-net/sonic-swss, cfgmgr/buffer_headroom_mellanox.lua, and sonic-net/sonic-buildimage,
platform/mellanox/asic_table.j2 (Spectrum); sonic-buildimage, pg_profile_lookup.ini of
device/dell/x86_64-dell_z9864f-r0 and device/arista/x86_64-arista_7060x6_64pe (Tomahawk 5).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cells:
    """An ASIC that keeps packets in cells: bytes, bytes in its pipeline, ns between its tiles.

    A port of eight lanes is wide, and takes two units of the buffer; at `wide_gbps`, which no port
    exceeds, it is one whatever is said of its lanes.
    """

    cell_bytes: int
    pipeline_bytes: int
    tile_ns: int
    wide_gbps: int


# Releases (of SONiC; no other system counts so) whose own sum adds nothing where few packets are
# small: sonic-swss, branches.
PLAIN_RELEASES = ("202405", "202411", "202505", "202511")

SPECTRUM = {
    "spectrum3": Cells(144, 19 * 1024, 0, 400),
    "spectrum4": Cells(192, 19 * 1024, 120, 800),
}

# IEEE 802.3, 31B.3.7: bit times until a peer of a rate in Gb/s stops, pause frame read. SONiC
# takes what it has for 400 for 800 too, of which the standard's table says nothing.
RESPONSE_BITS = {
    10: 34_304, 25: 40_960, 40: 60_416, 50: 75_264, 100: 201_728, 200: 231_936, 400: 463_360,
    800: 463_360,
}  # fmt: skip

# Tomahawk 5, by rate in Gb/s: longest cable in metres, and bytes from XOFF on. All have one size
# of their own, no xon, and resume once the queue fell by one offset.
_DELL_M = (5, 40, 300)
_DELL = {
    10: (91_440, 94_742, 258_572),
    25: (91_440, 94_742, 258_572),
    40: (106_934, 113_538, 258_572),
    50: (106_934, 113_538, 258_572),
    100: (147_066, 160_274, 258_572),
    200: (229_362, 255_778, 452_374),
    400: (393_192, 446_024, 839_216),
    800: (729_488, 835_406, 1_621_536),
}
TOMAHAWK: dict[str, dict[int, tuple[tuple[int, int], ...]]] = {
    "tomahawk5": {rate: tuple(zip(_DELL_M, said, strict=True)) for rate, said in _DELL.items()},
    "tomahawk5_7060x6": {
        100: ((40, 300_990),),
        200: ((40, 300_990),),
        400: ((150, 612_140),),
    },
    "tomahawk5_7060x6_o128s2": {400: ((5, 612_140), (40, 612_140), (150, 612_140))},
}
TOMAHAWK_SIZE_BYTES, TOMAHAWK_OFFSET_BYTES = 18_796, 3_556


@dataclass(frozen=True, slots=True)
class Memory:
    """The packet buffer in bytes: all, taken once, by each port, by a wide one; the lossless half.

    `private_bytes` of shared headroom are each port's own. All of these have alpha 1: threshold 0
    in each of the files (buffers_defaults_t0.j2; sonic-swss, cfgmgr/buffer_pool_mellanox.lua).
    """

    total_bytes: int
    once_bytes: int = 0
    port_bytes: int = 0
    wide_port_bytes: int = 0
    private_bytes: int = 0
    lossless_pools: int = 1


@dataclass(frozen=True, slots=True)
class Layout:
    """Pools each way, and of whom: bytes of its own and alpha; no alpha is all there is.

    By way and user, as in `switch_configs.readback.facts.UserFacts`; as a port takes of the
    lossless and of the lossy pool. One whole frame is None. Lossless groups have sums of their own.
    """

    pools: int
    shares: dict[tuple[str, str], tuple[int, float | None]]
    ports: dict[tuple[str, str], tuple[int | None, float]]


# sonic-buildimage, device/mellanox, buffers_defaults_objects.j2 in dynamic mode.
SPECTRUM_LAYOUT = Layout(
    pools=2,
    shares={
        ("ingress", "lossy"): (0, 8.0),
        ("egress", "lossless"): (0, 128.0),
        ("egress", "lossy"): (0, 8.0),
    },
    ports={
        ("ingress", "lossless"): (0, 128.0),
        ("ingress", "lossy"): (0, 8.0),
        ("egress", "lossless"): (0, 128.0),
        ("egress", "lossy"): (None, 128.0),
    },
)
# The same, device/arista/x86_64-arista_7060x6_64pe, buffers_defaults_t1.j2 of -O128S2.
TOMAHAWK_LAYOUT = Layout(
    pools=1,
    shares={
        ("ingress", "lossy"): (0, None),
        ("egress", "lossless"): (0, None),
        ("egress", "lossy"): (1_778, 1.0),
    },
    ports={},
)

_MLNX = (256 * 1024, (19 + 19 + 10) * 1024, (37 + 37 + 10) * 1024, 10 * 1024, 2)
MEMORY = {
    "spectrum3": Memory(60_817_392, *_MLNX),
    "spectrum4": Memory(158_229_504, *_MLNX),
    "tomahawk5": Memory(162_539_680),
    "tomahawk5_7060x6": Memory(165_660_324),
    "tomahawk5_7060x6_o128s2": Memory(166_115_492),
}
ALPHA = 1.0

# From, to, and percent: Cisco's blueprint for AI/ML networks; qos.json.j2 of the Arista model.
ECN = {
    "silicon_one_g200": (150_000, 3_000_000, 7),
    "tomahawk5_7060x6_o128s2": (131_072, 262_144, 5),
}
