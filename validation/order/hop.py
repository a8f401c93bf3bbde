"""What is wrong with one packet on one hop: from a port, over its cable, into the next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from .model import End, HostSide, Side

Kind = Literal["unmarked", "class", "lossy", "size", "order", "cnp", "path", "away"]


@dataclass(frozen=True, slots=True, order=True)
class Wrong:
    """A state in which a packet is not carried as it must be.

    `state` is the smallest that shows it: devices that have to do with it, each with the word of
    its version. What the others have does not matter.
    """

    kind: Kind
    where: str
    said: str
    state: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        have = ", ".join(f"{device} {word}" for device, word in self.state)
        return f"{self.where}: {self.said} (with {have})"

    @property
    def size(self) -> tuple[int, int, str]:
        """Fewer devices come first; among these, those that still are as they were."""
        changed = sum(word != "old" for _, word in self.state)
        return len(self.state), changed, str(self)


def wrong_on(
    near: End, far: End, sender: HostSide, receiver: HostSide
) -> Iterator[tuple[Kind, str]]:
    """What happens between two ports to RoCE's packets of a sender, and to its CNPs.

    A pair of hosts uses the smaller MTU of both: of an RDMA connection it is agreed when that is
    made (IBTA, path MTU), of TCP by the MSS (RFC 9293, 3.7.1).
    """
    near_in, far_in = dict(near.roce), dict(far.roce)
    dscp = sender.dscp
    if dscp == 0:
        yield "unmarked", "packets of RoCE have DSCP 0, as any other"
    elif dscp not in near_in or dscp not in far_in:
        does = "sends" if dscp not in near_in else "takes"
        yield "class", f"one end {does} DSCP {dscp} as best effort"
    elif near_in[dscp] is None or near_in[dscp] != far_in[dscp]:
        asked, has = far_in[dscp], near_in[dscp]
        yield "lossy", f"DSCP {dscp} waits in priority {has}, and {asked} is paused for it"
    size = min(sender.ip_mtu_bytes, receiver.ip_mtu_bytes)
    for end in (near, far):
        if end.ip_mtu_bytes is not None and size > end.ip_mtu_bytes:
            yield "size", f"packets of {size} bytes, IP MTU {end.ip_mtu_bytes}"
            break
    if isinstance(near, Side) and near.adaptive and not receiver.out_of_order:
        yield (
            "order",
            "packets of one flow take several paths, and the receiver wants them in order",
        )
    cnp = sender.cnp_dscp
    if cnp not in near.strict or cnp not in far.strict:
        yield "cnp", f"CNPs of DSCP {cnp} are not in the strict class"
