"""Variables of NCCL and UCX, and kernel parameters of networks, wherever they are set.

NCCL's own file is `KEY=VALUE`, the first of two counts (src/misc/param.cc of NVIDIA/nccl); a
process's environment wins over it. sysctl.d(5): files in the order of their names, the last counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from validation.parse.gpu import nccl_conf

from .reading import Chunk, Reader, Reading

_VARIABLE = re.compile(
    r"(?m)^[ \t]*(?:export[ \t]+|Environment=\"?|-x[ \t]+)?((?:NCCL|UCX)_[A-Z0-9_]+)=([^\n]*)$"
)
_SYSCTL = re.compile(
    r"(?m)^[ \t]*-?(net[./]ipv4[./](?:conf|neigh)[./]\S+?)[ \t]*=[ \t]*(\S+)[ \t]*$"
)
_OF_FILES = re.compile(r"(^|/)sysctl(\.d/|\.conf$)")


def _variables(chunk: Chunk) -> Iterator[Reading]:
    if chunk.path.endswith("/nccl.conf"):
        nccl_conf.settings(chunk.text, "nccl.conf")  # a line that sets nothing is Unreadable
    seen: set[str] = set()
    for one in _VARIABLE.finditer(chunk.text):
        if one[1] not in seen:
            seen.add(one[1])
            value = one[2].partition(" #")[0].strip().strip("\"'")
            yield Reading("", f"setting:{one[1]}", value, chunk.at(one.start(1)))


def _sysctls(chunk: Chunk) -> Iterator[Reading]:
    runs = not _OF_FILES.search(chunk.path)
    for one in _SYSCTL.finditer(chunk.text):
        yield Reading("", f"sysctl:{_dotted(one[1])}", one[2], chunk.at(one.start(1)), runs)


def _dotted(name: str) -> str:
    """`net/ipv4/conf/ens1.100/rp_filter` with points between its parts (sysctl.d(5))."""
    return name if name.startswith("net.") else name.translate(str.maketrans("./", "/."))


READERS: tuple[Reader, ...] = ((_VARIABLE, _variables), (_SYSCTL, _sysctls))
