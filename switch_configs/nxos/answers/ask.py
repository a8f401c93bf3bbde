"""What NX-OS is asked of its ports."""

from __future__ import annotations

from collections.abc import Sequence

from switch_configs.answers.contract import Asked
from switch_configs.answers.typed import wait

from .clock import UPTIME
from .counters import READS

_COUNTERS = "show interface counters | json"
_GAP_S = 3


def carried(_ports: Sequence[str]) -> Asked:
    """The bytes of all ports, read until they are fresh, and the device's clock."""
    first, *others = READS
    again = f"{wait(_GAP_S)}\n{_COUNTERS}"
    return {first: _COUNTERS, **dict.fromkeys(others, again), "until": UPTIME}


def ports(_ports: Sequence[str]) -> Asked:
    """All that NX-OS tells of its ports."""
    queues = {"queues": "show queuing interface", "watchdog": "show queuing pfc-queue detail"}
    return {READS[0]: _COUNTERS, **queues}
