"""What a profile of a switch may say."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..plan import Fec, LosslessMode
from .types import Closed, Gbps, Key, Port, PortPattern, Text, Watts


class Breakout(Closed):
    """A cage that is split into several ports."""

    ways: int = Field(ge=2, le=8, description="ports that one cage becomes")
    name: PortPattern = Field(description="name of such a port: `{n}` is the cage, `{s}` the part")
    rate_gbps: Gbps = Field(description="rate of one part, Gb/s")


class SwitchPorts(Closed):
    """The cages of a switch, counted from 1, and how each may be split.

    Names take `{n}` (the cage's number, `first` for the first one), `{z}` (one less), `{s}` and
    `{s0}` (the part from 1 and from 0), and the first lane of the part: `{lane}` counted over
    the switch from 0, `{l1}` in its cage from 1.
    """

    count: int = Field(ge=1, le=4096, description="data ports")
    first: int = Field(default=1, ge=1, le=4096, description="number of the first cage")
    name: PortPattern = Field(description="port name, `{n}` is its number")
    rate_gbps: Gbps = Field(description="rate of a port, Gb/s")
    lanes: int = Field(default=1, ge=1, le=16, description="electrical lanes of a cage")
    fec: Fec = Field(default="none", description="forward error correction: none, fc or rs")
    lane_map: list[list[Annotated[int, Field(ge=0, le=4096)]]] = Field(
        default_factory=list,
        description="lane numbers of each cage, where the switch OS asks for them and they do "
        "not simply follow one another",
    )
    breakout: Annotated[list[Breakout], Field(max_length=7)] = Field(
        default_factory=list, description="how a cage may be split into ports"
    )
    only_at_rate: bool = Field(
        default=False, description="whether its model takes no lower rate on a port"
    )

    def port_name(self, cage: int, ways: int = 1, part: int = 1) -> str:
        """The name of part `part` (from 1) of cage `cage` (from 1), split `ways` ways."""
        first = (part - 1) * (self.lanes // ways)
        pattern = self.name if ways == 1 else self.split(ways).name
        lanes = {"lane": (cage - 1) * self.lanes + first, "l1": first + 1}
        number = self.first + cage - 1
        return pattern.format(n=number, z=number - 1, s=part, s0=part - 1, **lanes)

    def rate_of(self, ways: int = 1) -> float:
        """The rate of a port of a cage that is split `ways` ways, Gb/s."""
        return self.rate_gbps if ways == 1 else self.split(ways).rate_gbps

    def split(self, ways: int) -> Breakout:
        """The breakout of so many ways; StopIteration where the profile has none."""
        return next(breakout for breakout in self.breakout if breakout.ways == ways)

    def ways(self) -> tuple[int, ...]:
        """In how many ports a cage may be split, 1 included."""
        return (1, *sorted(breakout.ways for breakout in self.breakout))

    def names(self) -> frozenset[str]:
        """The names of all ports, of all ways to split a cage."""
        return frozenset(
            self.port_name(cage, ways, part)
            for ways in self.ways()
            for cage in range(1, self.count + 1)
            for part in range(1, ways + 1)
        )


class SwitchProfile(Closed):
    """A kind of switch: hardware, switch OS and what its lossless class can do."""

    dialect: Key = Field(description="a switch system: `railbed dialects`")
    release: Text = Field(description="release of the switch OS, quoted")
    asic: Key | None = Field(
        default=None, description="an entry of profiles/asics.yml: what its buffers can do"
    )
    model: Text | None = Field(
        default=None, description="the box as its switch OS names it (`hwsku`)"
    )
    platform: Text | None = Field(
        default=None, description="its platform as its switch OS names it"
    )
    management_port: Port = Field(description="its port in the OOB plane")
    ports: SwitchPorts
    uplinks: SwitchPorts | None = Field(
        default=None, description="the faster ports of a management switch"
    )
    lossless: LosslessMode = Field(
        description="full: PFC, ECN and buffers (or ecn, or marking-only)"
    )
    copper_autoneg: bool | None = Field(
        default=None,
        description="whether ports with a copper cable of fixed plugs negotiate (IEEE 802.3, "
        "clause 73); without it, as the switch OS does by itself",
    )
    rack_units: int = Field(default=1, ge=1, le=60, description="height in rack units")
    power_w: Watts | None = Field(default=None, description="most power it draws, W")
    source: Text = Field(description="where these numbers come from")

    @property
    def port_names(self) -> frozenset[str]:
        """The names of all data ports."""
        return self.ports.names()
