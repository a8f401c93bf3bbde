"""Who a device is, as its shell tells in four lines.

Host name, MAC of its management port, boot, its own clock (Unix seconds).
"""

from __future__ import annotations

import shlex

_NAME, _BOOT = "/proc/sys/kernel/hostname", "/proc/sys/kernel/random/boot_id"


def line(port: str) -> str:
    """The POSIX sh text; what it does not tell leaves a line out, and so nobody identified."""
    # Every trip begins with it: two processes, and no more.
    return f"cat {_NAME} {shlex.quote(f'/sys/class/net/{port}/address')} {_BOOT} && date +%s"
