"""A switch as a box of cages: how it may be split, and which ports have known headroom."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from ..lossless.headroom import NoHeadroom, headroom, roce_packet_bytes
from ..schema import AsicProfile, SwitchProfile
from .wish import CannotBuildError, Shelf

NODE_LEAF_M, LEAF_SPINE_M, SPINE_SUPERSPINE_M = 30, 40, 100
# The switches' is the most that every switch system takes (abilities.py).
HOST_IP_MTU_BYTES, SWITCH_IP_MTU_BYTES = 9000, 9214


@dataclass(frozen=True)
class Box:
    """One kind of switch, for leaves and spines alike."""

    name: str
    profile: SwitchProfile
    asic: AsicProfile | None

    @property
    def cages(self) -> int:
        """Cages for data."""
        return self.profile.ports.count

    def rate(self, ways: int) -> float:
        """The rate of a port of a cage that is split so, Gb/s."""
        return self.profile.ports.rate_of(ways)

    def node_ways(self, nic_gbps: float) -> int:
        """The finest split whose ports carry a NIC; CannotBuildError where none does."""
        fitting = [
            ways
            for ways in self.profile.ports.ways()
            if self._carries(ways, nic_gbps) and self.knows(nic_gbps, NODE_LEAF_M)
        ]
        if fitting:
            return max(fitting)
        ways = self.profile.ports.ways()
        rates = [f"{rate:g}" for rate in map(self.rate, ways) if self.knows(rate, NODE_LEAF_M)]
        found = f"{self.name}, with headroom known for ports of {', '.join(rates)} Gb/s"
        expected = f"a switch for NICs of {nic_gbps:g} Gb/s"
        raise CannotBuildError("--switch-profile", found, expected)

    def _carries(self, ways: int, nic_gbps: float) -> bool:
        rate = self.rate(ways)
        return rate == nic_gbps if self.profile.ports.only_at_rate else rate >= nic_gbps

    def link_ways(self, cable_m: float, least_gbps: float = 0.0) -> Iterator[int]:
        """Splits for links between switches, the coarsest first.

        A link slower than a NIC cannot carry what one NIC sends, so `least_gbps`.
        """
        for ways in self.profile.ports.ways():
            rate = self.rate(ways)
            if rate >= least_gbps and self.knows(rate, cable_m):
                yield ways

    def knows(self, rate_gbps: float, cable_m: float) -> bool:
        """Whether somebody published headroom of such a port, or it needs none."""
        if self.profile.lossless != "full":
            return True
        if self.asic is None:
            return False
        if self.asic.headroom == "system":
            return cable_m <= (self.asic.system_cable_m or math.inf)
        packet = roce_packet_bytes(HOST_IP_MTU_BYTES)
        lanes, mtu = self.profile.ports.lanes, SWITCH_IP_MTU_BYTES
        found = headroom(self.asic, rate_gbps, cable_m, mtu, packet, lanes=lanes)
        return not isinstance(found, NoHeadroom)


def box(shelf: Shelf, name: str) -> Box:
    """The switch of this name; CannotBuildError where there is none."""
    profile = shelf.switch(name)
    return Box(name, profile, shelf.asics.get(profile.asic or ""))


def ceil_div(number: float, by: float) -> int:
    """`number / by`, rounded up."""
    return math.ceil(number / by - 1e-9)


def largest_divisor(number: int, most: int) -> int:
    """The largest divisor of a number that is not above `most`, at least 1."""
    return next(one for one in range(max(min(most, number), 1), 0, -1) if number % one == 0)
