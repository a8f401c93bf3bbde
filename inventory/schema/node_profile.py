"""What a profile of a node may say."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..plan import Arch
from .tuning import TuningFile
from .types import Closed, Gbps, Name, Port, Text


class RailPort(Closed):
    """One rail NIC of a node."""

    port: Port = Field(description="the NIC's network interface")
    rate_gbps: Gbps = Field(description="rate of the NIC, Gb/s")
    rdma_device: Port | None = Field(
        default=None, description="the NIC's RDMA device, like mlx5_0, where it has one"
    )


class NodeProfile(Closed):
    """A kind of server; `rails` is in rail order."""

    os: Name = Field(default="debian-12", description="the OS: versions/OS-ARCH.yml is its lock")
    arch: Arch = Field(default="amd64", description="amd64 or arm64")
    management_port: Port = Field(description="its port in the OOB plane")
    rails: Annotated[list[RailPort], Field(min_length=1, max_length=16)]
    tuning: TuningFile = Field(default_factory=TuningFile)
    source: Text = Field(description="where these numbers come from")
