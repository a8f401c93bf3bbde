"""What came of one flow: the reader for its tool, and whether it ran as it was asked."""

from __future__ import annotations

from dataclasses import dataclass

from inventory.reading.fields import Unreadable
from validation.parse.loads import iperf3, perftest

from .loads import MESSAGE_BYTES, LoadProbe

_RAN_FOR = 0.9  # of the time asked: a shorter run says nothing of the rest


@dataclass(frozen=True, slots=True, order=True)
class Measured:
    """A flow and the rate at which its receiver got the data, in Gb/s."""

    flow: LoadProbe
    gbps: float

    @property
    def share(self) -> float:
        """Of the planned rate."""
        return self.gbps / self.flow.rate_gbps

    @property
    def slow(self) -> bool:
        """Less than the terms ask for."""
        return self.gbps < self.flow.least_gbps

    @property
    def impossible(self) -> bool:
        """More than the planned links carry, so something else was measured."""
        return self.gbps > self.flow.most_gbps

    @property
    def good(self) -> bool:
        """Neither."""
        return not self.slow and not self.impossible


def measured(flow: LoadProbe, status: int, text: str, errors: str) -> Measured:
    """The result from what the flow's client printed. Raises Unreadable."""
    if status and not text.strip():
        said = " ".join(errors.split())[:160] or "nothing"
        raise Unreadable(f"{flow.terms.tool} ended with status {status} and said: {said}")
    if flow.terms.tool == "iperf3":
        found = _iperf3(flow, text)
    else:
        found = _perftest(flow, f"{errors}\n{text}")
    if status:
        raise Unreadable(f"{flow.terms.tool} ended with status {status}")
    return found


def _iperf3(flow: LoadProbe, text: str) -> Measured:
    found = iperf3.flow(text)
    if (found.source, found.target) != (flow.source, flow.target):
        raise Unreadable(f"iperf3 ran from {found.source} to {found.target}: another path")
    if found.streams != flow.terms.streams:
        raise Unreadable(f"iperf3 ran {found.streams} streams, not as asked")
    if found.seconds < flow.terms.seconds * _RAN_FOR:
        raise Unreadable(f"iperf3 ran for {found.seconds:.1f} s, not as long as asked")
    return Measured(flow, found.received_gbps)


def _perftest(flow: LoadProbe, text: str) -> Measured:
    found = perftest.bandwidth(text)
    asked = ("RDMA_Write", False, flow.sender_device, "Ethernet", flow.terms.streams)
    ran = (found.test, found.both_ways, found.device, found.link_type, found.qps)
    if ran != asked:
        raise Unreadable(f"perftest ran {ran}, asked was {asked}")
    if found.settings.gpu != (flow.gpus[0] if flow.gpus else None):
        raise Unreadable("perftest did not use the memory that was asked")
    return Measured(flow, found.row(MESSAGE_BYTES).average_gbps)
