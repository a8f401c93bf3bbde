"""The OOB plane."""

from __future__ import annotations

from pydantic import Field

from .types import Address, Closed, Domain, Gbps, Metres, Name, Network


class Zones(Closed):
    """The parts of the OOB plane, each with a network of its own."""

    netmgmt: Network = Field(description="management ports of switches")
    hostmgmt: Network = Field(description="management ports of nodes")


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
    zones: Zones
