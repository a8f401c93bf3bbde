"""Who a device is, as its shell tells in four lines.

Host name, MAC of its management port, boot, its own clock (Unix seconds).

The name of that port is its kernel's on most systems; of others the command line is asked for the
burned-in address (`Answers.mac`). What it does not tell leaves a line out, and so nobody
identified.
"""

from __future__ import annotations

from switch_configs.answers import answers

_BOOT = "cat /proc/sys/kernel/random/boot_id"
_CLOCK = "date +%s"


def line(port: str, dialect: str = "") -> str:
    """The POSIX sh text for a device of this dialect ("" for a server)."""
    return f"hostname && {answers(dialect).mac(port)} && {_BOOT} && {_CLOCK}"
