"""The shell texts that print the counters of a Linux switch's ports, for systems that are Linux."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from switch_configs.answers.contract import Asked

LINKS = "ip -s -j link show"
QUEUES = "tc -s -j qdisc show"
CLOCK = {"clock": "cat /proc/uptime"}
# sysfs-class-net-statistics (the kernel's ABI documents), one line a port.
_SYSFS = (
    "for one in {}; do s=/sys/class/net/$one/statistics; "
    'rx=$(cat "$s/rx_bytes") && tx=$(cat "$s/tx_bytes") || exit 1; echo "$one $rx $tx"; done'
)
# Twice the time between two refreshes: one that had begun before the wait is over then, and
# another one is done.
_SETTLE = (
    'ms=$({}) || exit 1; case $ms in "" | *[!0-9]*) echo "$ms"; exit 1;; esac; '
    'read -r from rest </proc/uptime; sleep "$(( (2 * ms + 999) / 1000 ))"; '
    'read -r to rest </proc/uptime; echo "$ms $from $to"'
)


def settle(every_ms: str) -> Asked:
    """Waits until what has just happened is counted; `every_ms` prints the time of a refresh."""
    return {"refresh": _SETTLE.format(every_ms)}


def carried(ports: Sequence[str]) -> Asked:
    """The bytes of these ports, and the device's clock."""
    return {"bytes": _SYSFS.format(shlex.join(ports)), **CLOCK}
