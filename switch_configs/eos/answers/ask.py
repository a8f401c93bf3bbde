"""What EOS is asked of its ports."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from switch_configs.answers.contract import Asked
from switch_configs.answers.linux import ask as linux

MODULES = "FastCli -p 15 -c 'show interfaces transceiver dom thresholds | json'"
PHYS = "FastCli -p 15 -c 'show interfaces phy detail | json'"
_FASTCLI = "FastCli -p 15 -c {}"
_EOS_SHOW = "show interfaces %s | json\\n"
_EOS_WAIT_S = 5
_NOW = "date +%s.%N"
_EOS = {
    "queues": "show interfaces counters queue detail | json",
    "marked": "show qos interfaces ecn counters queue | json",
    "watchdog": "show priority-flow-control counters watchdog | json",
}
# EOS calls Management1 otherwise in its kernel, so its command line is asked.
_MAC = (
    "FastCli -p 15 -c {show} | "
    r"""sed -n 's/.*"burnedInAddress": *"\([0-9a-f:]\{{17\}}\)".*/\1/p'"""
)


def mac(port: str) -> str:
    """The line that prints the burned-in address of a port."""
    return _MAC.format(show=shlex.quote(f"show interfaces {port} | json"))


def carried(ports: Sequence[str]) -> Asked:
    """One session of the CLI for all ports; the wait is for counters that say when they were read.

    EOS does not publish how often it reads them: what is older than the reading is refused.
    """
    shows = f'FastCli -p 15 -c "$(printf {shlex.quote(_EOS_SHOW)} {shlex.join(ports)})"'
    since = f"{_NOW} && sleep {_EOS_WAIT_S}"
    return {"since": since, "bytes": shows, "until": _NOW, **linux.CLOCK}


def ports(names: Sequence[str]) -> Asked:
    """All that EOS tells of these ports, their bytes among it."""
    more = {name: _FASTCLI.format(shlex.quote(one)) for name, one in _EOS.items()}
    return {**carried(names), **more}
