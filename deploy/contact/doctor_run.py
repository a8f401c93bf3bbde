"""What only this machine's programs and kernel can tell of it."""

from __future__ import annotations

import ctypes
import shutil
import subprocess

_TIME_ERROR = 5  # adjtimex(2): not synchronised
_ENOUGH = 512  # bytes, more than struct timex has anywhere
_LIMIT_S = 10.0


def version_of_ssh() -> str:
    """What `ssh -V` says; "" where it, ssh-keygen or ssh-keyscan is not here."""
    if not all(map(shutil.which, ("ssh", "ssh-keygen", "ssh-keyscan"))):
        return ""
    try:
        done = subprocess.run(
            ["ssh", "-V"],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stderr.strip()


def is_clock_synchronised() -> bool | None:
    """Whether a time source keeps the kernel's clock; None where the kernel does not say."""
    try:
        # No mode is set, so nothing is: the buffer's first bytes are 0.
        state = ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(_ENOUGH))
    except (AttributeError, OSError):
        return None
    return None if state < 0 else state != _TIME_ERROR
