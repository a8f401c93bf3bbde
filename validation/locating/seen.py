"""What a round showed: its flows, and what switch ports counted meanwhile, where that is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from inventory.plan import PortRef

from ..pairing.load_result import Measured
from ..pairing.loads import LoadProbe
from ..pairing.pairs import Way


@dataclass(frozen=True)
class Seen:
    """One round. `sent_gbit` is how much each switch port sent while it ran, by egress port.

    Empty: nobody counted. `errors` are the ports at which frames came in broken meanwhile.
    `asked` are the flows that ran, where their rates judge nobody and `flows` is empty.
    """

    flows: tuple[Measured, ...]
    sent_gbit: Mapping[PortRef, float] = field(default_factory=dict)
    errors: Mapping[PortRef, int] = field(default_factory=dict)
    asked: tuple[LoadProbe, ...] = ()

    @property
    def seconds(self) -> float:
        """How long the flows ran."""
        some = self.asked or tuple(flow.flow for flow in self.flows[:1])
        return some[0].terms.seconds if some else 0.0

    @property
    def stream_gbit(self) -> float:
        """What one stream sends in this time."""
        some = self.asked or tuple(flow.flow for flow in self.flows[:1])
        return some[0].rate_gbps * self.seconds / some[0].terms.streams if some else 0.0

    @cached_property
    def slow(self) -> tuple[Measured, ...]:
        """The flows that were too slow."""
        return tuple(flow for flow in self.flows if flow.slow)

    @cached_property
    def crossing(self) -> tuple[Measured, ...]:
        """The flows between different leaves that prove something."""
        return tuple(
            flow
            for flow in self.flows
            if flow.flow.leaves[0] != flow.flow.leaves[1] and not flow.impossible
        )

    @cached_property
    def good_ways(self) -> Counter[Way]:
        """How often each way was good."""
        return Counter(
            way
            for flow in self.flows
            if flow.good
            for way in (
                (flow.flow.rail, flow.flow.sender, "sends"),
                (flow.flow.rail, flow.flow.receiver, "receives"),
            )
        )
