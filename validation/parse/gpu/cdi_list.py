"""`nvidia-ctk cdi list`: one device a line, like nvidia.com/gpu=0; its log goes to standard error.

Source: cmd/nvidia-ctk/cdi/list of github.com/NVIDIA/nvidia-container-toolkit. Where both streams
were saved, `Found N CDI devices` is held against the lines.
"""

from __future__ import annotations

import re

from inventory.reading.fields import Unreadable, full_lines
from inventory.reading.numbers import Whole

_COUNT = Whole("CDI devices", "1", 0, 1 << 20)
_DEVICE = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]*/[A-Za-z0-9_.-]+=[A-Za-z0-9_.:-]+")

# A line of github.com/sirupsen/logrus, TextFormatter.
_LOG = re.compile(
    r'time="\d{4}-\d\d-\d\dT[\d:]{8}(?:Z|[+-]\d\d:\d\d)" level=\w+ '
    r'msg=(?:"(?:[^"\\]|\\.)*"|[^\s"]+)(?: \S.*)?'
)


def devices(output: str, log: str = "") -> tuple[str, ...]:
    """The devices that containers may ask for; Unreadable where they are not as many as found."""
    lines = [line.strip() for line in full_lines(output, "nvidia-ctk cdi list")]
    found = tuple(line for line in lines if _DEVICE.fullmatch(line))
    counted = re.search(r"Found (\S*) CDI devices", log + output)
    strange = [line for line in lines if not _DEVICE.fullmatch(line) and not _LOG.fullmatch(line)]
    if strange or (counted and _COUNT.read(counted[1]) != len(found)):
        raise Unreadable(f"nvidia-ctk cdi list: {len(found)} devices; {' '.join(strange)[:80]}")
    return found
