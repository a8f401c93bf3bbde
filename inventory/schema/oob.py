"""The OOB plane."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..plan import Clock
from .topology import Ways
from .types import Address, Closed, Domain, Gbps, Host, LinuxPort, Metres, Name, Network


class Zones(Closed):
    """The parts of the OOB plane, each with a network of its own."""

    netmgmt: Network = Field(description="management ports of switches")
    hostmgmt: Network = Field(description="management ports of nodes")
    bmc: Network | None = Field(default=None, description="management controllers of nodes")
    power: Network | None = Field(default=None, description="PDUs and consoles")
    collectors: Network | None = Field(default=None, description="metrics and logs")


class OobSwitches(Closed):
    """A switch in every rack, and what joins them; without them each device has a server port."""

    access_profile: Name = Field(description="the switch of a rack, with `uplinks` in its profile")
    aggregation_profile: Name = Field(description="what the switches of racks hang on")
    core_profile: Name | None = Field(
        default=None, description="what joins the aggregation switches, where there are several"
    )
    breakout: Ways = Field(default=1, description="ports of an aggregation cage towards racks")
    server_gbps: Gbps = Field(default=25.0, description="rate of the OOB server's trunk, Gb/s")
    cable_m: Metres = Field(default=30.0, description="metres between switches of the plane")


class OobPorts(Closed):
    """The OOB server's own ports, as its system calls them; one port may be both."""

    access: LinuxPort = Field(
        default="up0", description="its port towards the controller, with the address `access`"
    )
    trunk: LinuxPort = Field(
        default="trunk0", description="its port towards the plane's switches: all zones, as VLANs"
    )


class TimeFile(Closed):
    """Where the site's time comes from: the OOB server takes it there, all others from the server.

    Without sources the server's own clock is the site's: devices agree with each other alone.
    """

    sources: Annotated[list[Host], Field(max_length=8)] = Field(
        default_factory=list, description="NTP servers that the OOB server asks"
    )
    clock: Clock = Field(
        default="set",
        description="measure: chrony serves, and never sets the server's clock (a container's)",
    )


class Oob(Closed):
    """The OOB plane: one server gives leases and names, and is the jump host."""

    server: Name = Field(description="name of the OOB server")
    access: Address = Field(description="where the controller reaches the jump host")
    domain: Domain = Field(description="DNS domain of the site")
    rate_gbps: Gbps = Field(default=1.0, description="rate of a management link, Gb/s")
    cable_m: Metres = Field(default=3.0, description="metres of a management cable")
    packages_port: int = Field(
        default=8080, ge=1, le=65535, description="TCP port where nodes get their packages"
    )
    ports: OobPorts = Field(default_factory=OobPorts)
    time: TimeFile = Field(default_factory=TimeFile, description="where the site gets its time")
    zones: Zones
    switches: OobSwitches | None = Field(
        default=None, description="the plane's own switches; the lab has none"
    )
