"""What NX-OS is asked of its ports."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from switch_configs.answers.contract import Asked
from switch_configs.answers.linux import ask as linux

from .counters import READS

_NXOS = "vsh -c 'show interface counters | json'"
_NXOS_GAP_S = 3
_OCTET = r"\([0-9a-f][0-9a-f]\)"
_DOTTED = "[.]".join([_OCTET * 2] * 3)
_DOTTED_MAC = rf"""sed -n 's/.*"eth_bia_addr": *"{_DOTTED}".*/\1:\2:\3:\4:\5:\6/p'"""


def mac(port: str) -> str:
    """The line that prints the burned-in address of a port.

    mgmt0 is in another network namespace than the shell (Open NX-OS, Linux network namespaces), so
    the command line is asked.
    """
    return f"vsh -c {shlex.quote(f'show interface {port} | json')} | {_DOTTED_MAC}"


def carried(_ports: Sequence[str]) -> Asked:
    """The bytes of all ports, read until they are fresh, and the device's clock."""
    first, *others = READS
    again = f"sleep {_NXOS_GAP_S} && {_NXOS}"
    return {first: _NXOS, **dict.fromkeys(others, again), **linux.CLOCK}


def ports(_ports: Sequence[str]) -> Asked:
    """All that NX-OS tells of its ports."""
    return {READS[0]: _NXOS}
