"""`rdma statistic show`: one line a link, names and values in turn (rdma-statistic(8), iproute2).

`link mlx5_0/1 rx_write_requests 0 ... np_cnp_sent 0`; with `-p` one pair a line, which is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from .fields import Unreadable

_LINK = re.compile(r"link (\S+)/(\d+)((?: [A-Za-z0-9_]+ \d+)*)\s*")
Links = Mapping[tuple[str, int], Mapping[str, int]]


def links(text: str) -> Links:
    """The counters of each device and port. Raises Unreadable."""
    found: dict[tuple[str, int], dict[str, int]] = {}
    if not text.endswith("\n"):
        raise Unreadable("rdma statistic was cut short")
    for line in text.splitlines():
        one = _LINK.fullmatch(line)
        if one is None:
            raise Unreadable(f"rdma statistic: {line.strip()[:80]!r} is no link with its counters")
        key, words = (one[1], int(one[2])), one[3].split()
        names = words[::2]
        if key in found or len(set(names)) != len(names):
            raise Unreadable(f"rdma statistic tells {one[1]}/{one[2]} twice")
        found[key] = {name: int(value) for name, value in zip(names, words[1::2], strict=True)}
    return found
