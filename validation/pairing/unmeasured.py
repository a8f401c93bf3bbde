"""Why a pair has no result, where that is known better than `the sender has no evidence`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .latency import LatencyProbe
from .loads import LoadProbe

# What the look-up of a GID says on a node (deploy/loads/load_tools.py), of that node's own device.
_NO_GID = re.compile(r"(\S+) has no RoCE v2 GID of (\S+)")


@dataclass(frozen=True, slots=True)
class Reason:
    """Where to look, and what was said there."""

    suspect: str
    found: str


def reason(probe: LoadProbe | LatencyProbe, why: str, receiver_says: str) -> Reason | None:
    """The NIC whose RDMA device or address is missing, or the receiver that could not serve.

    `why` is what the sender's evidence came to, `receiver_says` what its run noted of the
    receiver. None where the sender's own words are all that is known.
    """
    if found := _NO_GID.search(why):
        return Reason(f"NIC {probe.sender}:{probe.sender_port}", found[0])
    if not receiver_says:
        return None
    if found := _NO_GID.search(receiver_says):
        return Reason(f"NIC {probe.receiver}:{probe.receiver_port}", found[0])
    told = f"{probe.receiver} could not be loaded: {receiver_says}"
    return Reason(f"device {probe.receiver}", told)
