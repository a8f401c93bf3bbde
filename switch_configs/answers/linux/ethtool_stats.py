"""Output of `ethtool -S`, with the names of NVIDIA's driver.

Source of the names: the kernel's Documentation/networking/device_drivers/ethernet/mellanox/mlx5/
counters.rst. `rx_prioN_pause` are pause frames received, `tx_prioN_pause` sent by this NIC. A
pause without priority (`rx_pause_ctrl_phy` alone) is IEEE 802.3x: the port runs the wrong kind of
flow control.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from inventory.reading.fields import Unreadable
from inventory.reading.numbers import count
from switch_configs.answers.frames import Frames

_COUNT = count("counter of a NIC")
Stats = Mapping[str, int]
_LINE = re.compile(r"\s+(\S[^:]*(?::[^:\s][^:]*)?):\s+(\S+)")
_TITLE = "NIC statistics:"
PRIORITIES = range(8)
_GROUPS = (
    (
        *(f"{way}_prio{{}}_pause{what}" for way in ("rx", "tx") for what in ("", "_duration")),
        "rx_prio{}_pause_transition",
    ),
    ("rx_prio{}_buf_discard", "rx_prio{}_cong_discard", "rx_prio{}_marked"),
)


@dataclass(frozen=True, slots=True)
class NicCounters:
    """A NIC's counters. By priority where a dict; None where this driver has no such counter.

    `storms` are device stalls that stopped pausing (`tx_pause_storm_error_events`).
    """

    rx_bytes: int
    tx_bytes: int
    storms: int | None
    global_rx_pause: int | None
    global_tx_pause: int | None
    rx_pause: Mapping[int, int]
    tx_pause: Mapping[int, int]
    buf_discards: Mapping[int, int]
    cong_discards: Mapping[int, int]


def stats(text: str) -> Stats:
    """Every counter by its name; Unreadable for lines that are none, and for one told twice."""
    lines = text.splitlines()
    if not text.endswith("\n") or not lines or lines[0].strip() != _TITLE:
        raise Unreadable("ethtool -S printed no whole list")
    found: dict[str, int] = {}
    for line in lines[1:]:
        one = _LINE.fullmatch(line.rstrip())
        if one is None or one[1] in found:
            raise Unreadable(f"ethtool -S: {line.strip()[:80]!r} is no counter, or there twice")
        found[one[1]] = _COUNT.read(one[2])
    if not found:
        raise Unreadable("ethtool -S counts nothing")
    return found


def nic_counters(found: Stats) -> NicCounters:
    """The counters that matter to lossless traffic. Unreadable without bytes on the wire.

    Also where a counter of one priority is lost: mlx5 prints each of a group (en_stats.c: pauses,
    of priorities with PFC; discards and marks) for the same priorities.
    """
    for group in _GROUPS:
        told = [set(one) for name in group if (one := _by_priority(found, name))]
        if any(one != told[0] for one in told):
            raise Unreadable(f"ethtool -S does not tell {group[0]} and its like alike")
    return NicCounters(
        rx_bytes=_wire(found, "rx_bytes_phy"),
        tx_bytes=_wire(found, "tx_bytes_phy"),
        storms=found.get("tx_pause_storm_error_events"),
        global_rx_pause=_global(found, "rx"),
        global_tx_pause=_global(found, "tx"),
        rx_pause=_by_priority(found, "rx_prio{}_pause"),
        tx_pause=_by_priority(found, "tx_prio{}_pause"),
        buf_discards=_by_priority(found, "rx_prio{}_buf_discard"),
        cong_discards=_by_priority(found, "rx_prio{}_cong_discard"),
    )


_BROKEN = ("rx_crc_errors_phy", "tx_errors_phy")
_THROWN = ("rx_discards_phy", "tx_discards_phy")


def frames(found: Stats) -> Frames:
    """What crossed the NIC's port, RDMA too, and what was lost there. Unreadable without a name."""
    broken, thrown = ({name: _wire(found, name) for name in names} for names in (_BROKEN, _THROWN))
    return Frames(_wire(found, "tx_packets_phy"), _wire(found, "rx_packets_phy"), broken, thrown)


def _wire(found: Stats, name: str) -> int:
    if name not in found:
        raise Unreadable(f"ethtool -S has no {name}: not the driver whose names are known here")
    return found[name]


def _global(found: Stats, way: str) -> int | None:
    """Pause frames without a priority.

    `_pause_ctrl_phy` counts all MAC control pause frames, those with a priority too; so only what
    no priority explains is global. Newer firmware counts `_global_pause` apart.
    """
    apart = found.get(f"{way}_global_pause")
    if apart is not None:
        return apart
    every = found.get(f"{way}_pause_ctrl_phy")
    if every is None:
        return None
    return max(0, every - sum(_by_priority(found, f"{way}_prio{{}}_pause").values()))


def _by_priority(found: Stats, name: str) -> dict[int, int]:
    named = {one: found.get(name.format(one)) for one in PRIORITIES}
    return {one: value for one, value in named.items() if value is not None}
