"""What EOS is asked of its ports."""

from __future__ import annotations

from collections.abc import Sequence

from switch_configs.answers.contract import Asked
from switch_configs.answers.typed import wait

MODULES = "show interfaces transceiver dom thresholds | json"
PHYS = "show interfaces phy detail | json"
_WAIT_S = 5
_NOW = "show version | json"
_EOS = {
    "queues": "show interfaces counters queue detail | json",
    "marked": "show qos interfaces ecn counters queue | json",
    "watchdog": "show priority-flow-control counters watchdog | json",
}


def carried(ports: Sequence[str]) -> Asked:
    """One line a port; the wait is for counters that say when they were read.

    EOS does not publish how often it reads them: what is older than the reading is refused.
    """
    shows = "\n".join(f"show interfaces {one} | json" for one in ports)
    return {"since": f"{_NOW}\n{wait(_WAIT_S)}", "bytes": shows, "until": _NOW}


def ports(names: Sequence[str]) -> Asked:
    """All that EOS tells of these ports, their bytes among it."""
    pauses = (
        f"show interfaces {one} priority-flow-control counters detail | json" for one in names
    )
    return {**carried(names), **_EOS, "pauses": "\n".join(pauses)}
