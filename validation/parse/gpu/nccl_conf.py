"""/etc/nccl.conf: KEY=VALUE, one a line; `#` is a comment in the first column only.

Nothing is trimmed or unquoted, and of two lines with one key the first counts, since what is
already in the environment is kept (github.com/NVIDIA/nccl, src/misc/param.cc).
"""

from __future__ import annotations

import re

from inventory.reading.fields import Unreadable

_LINE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)")


def settings(text: str | None, path: str = "/etc/nccl.conf") -> dict[str, str]:
    """The variables that NCCL gets from the file; Unreadable for a line that sets nothing."""
    if text is None:
        raise Unreadable(f"{path} cannot be read")
    found: dict[str, str] = {}
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        one = _LINE.fullmatch(line)
        if not one:
            raise Unreadable(f"{path}: {line[:80]!r} sets nothing")
        found.setdefault(one[1], one[2])
    return found
