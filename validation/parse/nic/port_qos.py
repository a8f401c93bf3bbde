"""The QoS of a NIC's port as any tool tells it: the form in which mlnx_qos and dcb agree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from inventory.reading.fields import Unreadable
from inventory.reading.numbers import Whole

PRIORITIES = 8
DSCPS = 64
DSCP = Whole("DSCP", "1", 0, DSCPS - 1)
PRIORITY = Whole("priority", "1", 0, PRIORITIES - 1)
CLASS = Whole("traffic class", "1", 0, PRIORITIES - 1)
SHARE = Whole("bandwidth of a class", "%", 0, 100)
BUFFER = Whole("receive buffer", "1", 0, PRIORITIES - 1)
BUFFER_SIZE = Whole("size of a receive buffer", "byte", 0, (1 << 32) - 1)


@dataclass(frozen=True, slots=True)
class PortQos:
    """What a NIC's port does with DSCPs and priorities; tuples are indexed by them.

    `trust` is `dscp`, `pcp` or `none`. `priority_of` holds all 64 DSCPs, or none where no DSCP is
    trusted. `tsa` are the words of IEEE 802.1Q's transmission selection: strict, ets, vendor, cbs.
    Buffers are bytes, `cable_m` metres; None is not told. `host_rules` says that the host and not
    the firmware runs DCBX.
    """

    trust: str
    priority_of: tuple[tuple[int, int], ...]
    pfc: tuple[bool, ...]
    prio_tc: tuple[int, ...]
    tsa: tuple[str, ...]
    bandwidth_percent: tuple[int, ...]
    host_rules: bool | None
    buffer_bytes: tuple[int, ...] | None
    prio_buffer: tuple[int, ...] | None
    cable_m: int | None

    def priority(self, dscp: int) -> int:
        """The priority of a DSCP in a port that trusts DSCP."""
        return dict(self.priority_of).get(dscp, 0)

    @property
    def pfc_priorities(self) -> tuple[int, ...]:
        """The priorities that the port pauses and obeys."""
        return tuple(number for number, on in enumerate(self.pfc) if on)


def dscp_table(pairs: Iterable[tuple[int, int]], tool: str) -> tuple[tuple[int, int], ...]:
    """DSCP and priority pairs, sorted: all or none. Unreadable where one is lost, or there twice.

    A table of some is not read: nothing tells a row that is lost from one that was never set.
    """
    found: dict[int, int] = {}
    for dscp, priority in pairs:
        if dscp in found:
            raise Unreadable(f"{tool} maps DSCP {dscp} twice")
        found[dscp] = priority
    if found and len(found) != DSCPS:
        raise Unreadable(f"{tool} tells the priority of {len(found)} of {DSCPS} DSCPs")
    return tuple(sorted(found.items()))


def whole_bandwidth(tsa: tuple[str, ...], percent: tuple[int, ...], tool: str) -> None:
    """The shares of classes under ETS sum to 100, or something of them is missing."""
    shares = [part for word, part in zip(tsa, percent, strict=True) if word == "ets"]
    if shares and sum(shares) != 100:
        raise Unreadable(f"{tool}: the ETS classes have {sum(shares)} %, not 100")
