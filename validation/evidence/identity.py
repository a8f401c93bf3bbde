"""Who a device is, as its shell tells in four lines.

Host name, MAC of its management port, boot, its own clock (Unix seconds).
"""

from __future__ import annotations

import shlex

_BOOT = "cat /proc/sys/kernel/random/boot_id"
_CLOCK = "date +%s"


def line(port: str) -> str:
    """The POSIX sh text; what it does not tell leaves a line out, and so nobody identified."""
    return f"hostname && cat {shlex.quote(f'/sys/class/net/{port}/address')} && {_BOOT} && {_CLOCK}"
