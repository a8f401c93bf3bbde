"""What a profile of a switch may say."""

from __future__ import annotations

from pydantic import Field

from ..plan import LosslessMode
from .types import Closed, Gbps, Key, Port, PortPattern, Text


class SwitchPorts(Closed):
    """The data ports of a switch, numbered from 1."""

    count: int = Field(ge=1, le=4096, description="data ports")
    name: PortPattern = Field(description="port name, `{n}` is its number")
    rate_gbps: Gbps = Field(description="rate of a port, Gb/s")


class SwitchProfile(Closed):
    """A kind of switch: hardware, switch OS and what its lossless class can do."""

    dialect: Key = Field(description="a folder of switch_configs/")
    release: Text = Field(description="release of the switch OS, quoted")
    management_port: Port = Field(description="its port in the OOB plane")
    ports: SwitchPorts
    lossless: LosslessMode = Field(description="full: PFC, ECN and buffers (or marking-only)")
    source: Text = Field(description="where these numbers come from")

    @property
    def port_names(self) -> frozenset[str]:
        """The names of all data ports."""
        numbers = range(1, self.ports.count + 1)
        return frozenset(self.ports.name.format(n=number) for number in numbers)
