"""What Cumulus Linux is asked of its ports."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from switch_configs.answers.contract import Asked
from switch_configs.answers.linux import ask as linux

# Cumulus Linux docs, switchd: the time between two readings of the ASIC, in milliseconds; the
# file has the default as a comment.
_SWITCHD = (
    "v=$(sed -n 's/^ *stats[.]poll_interval *= *//p' /etc/cumulus/switchd.conf) || exit 1; "
    'echo "${v:-2000}"'
)
REFRESH = linux.settle(_SWITCHD)


def carried(ports: Sequence[str]) -> Asked:
    """The bytes of these ports, once they are fresh."""
    return {**REFRESH, **linux.carried(ports)}


def ports(ports: Sequence[str]) -> Asked:
    """Ports of Cumulus are ports of Linux; what its ASIC counts besides, NVUE tells one by one."""
    asked: dict[str, str] = {}
    for port in ports:
        show = f"nv show interface {shlex.quote(port)}"
        asked[f"pause:{port}"] = f"ethtool -S {shlex.quote(port)}"
        asked[f"qos:{port}"] = f"{show} counters qos --output json"
        asked[f"watchdog:{port}"] = f"{show} qos pfc-watchdog status --output json"
    return {"links": linux.LINKS, **asked}


def phy(port: str) -> str:
    """The line that tells of a port's error ratios."""
    return f"nv show interface {shlex.quote(port)} link phy-detail --output json"
