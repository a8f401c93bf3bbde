"""`ntpq -p -n`: the servers that the model asks, in the columns of NTPsec's ntpq(8)."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from ..timekeeping import Server, servers
from ..under_run import said

_HEAD = "     remote           refid      st t when poll reach   delay   offset   jitter"


def table(every: list[Server]) -> Iterator[str]:
    """What it prints."""
    if not every:
        yield "No association IDs returned"
        return
    yield _HEAD
    yield "=" * 79
    for one in every:
        mark = "*" if one.is_followed else " "
        asked = f"{mark}{one.address:<15} {'.':<15} {one.stratum:2} u    - {one.poll_s:4}"
        yield f"{asked} {one.reach:>5o} {0:8.4f} {-1000 * one.ahead_s:8.4f} {0:8.4f}"


if __name__ == "__main__":
    if sys.argv[1:] != ["-p", "-n", "-w"]:
        sys.exit("ntpq: not in this model")
    sys.stdout.writelines(f"{row}\n" for row in table(list(servers(said))))
