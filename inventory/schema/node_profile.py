"""What a profile of a node may say."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..plan import Arch
from .acceptance import Acceptance
from .software import Collectives, Containers, GpuDriver, GpuStorage, NicSoftware
from .tuning import TuningFile
from .types import Closed, Gbps, OsName, PciAddress, Port, Text, Watts


class NicPort(Closed):
    """One port of a NIC."""

    port: Port = Field(description="the NIC's network interface")
    rate_gbps: Gbps = Field(description="rate of the NIC, Gb/s")
    rdma_device: Port | None = Field(
        default=None, description="the NIC's RDMA device, like mlx5_0, where it has one"
    )
    pci: PciAddress | None = Field(default=None, description="PCI address, like 0000:18:00.0")
    numa: int | None = Field(default=None, ge=0, le=63, description="NUMA node of its PCI slot")


class RailPort(NicPort):
    """One rail NIC of a node; both ports of a dual-plane NIC name the same `rail`."""

    rail: int | None = Field(
        default=None, ge=0, le=15, description="rail from 0; by default its place in the list"
    )
    nic_plane: int = Field(
        default=0, ge=0, le=1, description="0, or 1 for the second port of a dual-plane NIC"
    )
    out_of_order: bool = Field(
        default=False, description="it takes packets out of order (needed for adaptive routing)"
    )
    gpu: int | None = Field(
        default=None, ge=0, le=15, description="the GPU that it serves, an index of `gpus`"
    )


class GpuFile(Closed):
    """One GPU; its index is its place in the list, as nvidia-smi counts."""

    pci: PciAddress | None = Field(default=None, description="PCI address, like 0000:19:00.0")
    numa: int = Field(ge=0, le=63, description="NUMA node of its PCI slot")


class BmcFile(Closed):
    """The management controller of the board."""

    port: Port = Field(default="bmc", description="what asbuilt.csv calls its port")
    protocol: Literal["redfish", "ipmi"] = Field(description="redfish or ipmi")
    channel: int = Field(default=1, ge=1, le=15, description="IPMI LAN channel")


class NodeProfile(Closed):
    """A kind of server; `rails` is in rail order."""

    os: OsName = Field(default="debian-12", description="the OS: versions/OS-ARCH.yml is its lock")
    arch: Arch = Field(default="amd64", description="amd64 or arm64")
    model: Text | None = Field(default=None, description="the server as its maker calls it")
    management_port: Port = Field(description="its port in the OOB plane")
    bmc: BmcFile | None = Field(default=None, description="its management controller, if any")
    gpus: Annotated[list[GpuFile], Field(max_length=16)] = Field(
        default_factory=list, description="GPUs in the order of nvidia-smi"
    )
    rails: Annotated[list[RailPort], Field(max_length=16)] = Field(
        default_factory=list, description="NICs of the compute plane, in rail order"
    )
    storage: Annotated[list[NicPort], Field(max_length=8)] = Field(
        default_factory=list, description="NICs of the storage plane"
    )
    business: Annotated[list[NicPort], Field(max_length=8)] = Field(
        default_factory=list, description="NICs of the business plane"
    )
    rack_units: int = Field(default=1, ge=1, le=60, description="height in rack units")
    power_w: Watts | None = Field(default=None, description="most power it draws, W")
    tuning: TuningFile = Field(default_factory=TuningFile)
    nics: NicSoftware = Field(default_factory=NicSoftware)
    gpu_driver: GpuDriver | None = Field(default=None, description="the GPU driver, if any")
    gpu_storage: GpuStorage | None = Field(default=None, description="GPUDirect Storage, if any")
    containers: Containers | None = Field(default=None, description="the container engine, if any")
    collectives: Collectives | None = Field(
        default=None, description="NCCL and UCX, where jobs run on it"
    )
    acceptance: Acceptance = Field(
        default_factory=Acceptance, description="what single nodes are measured with"
    )
    source: Text = Field(description="where these numbers come from")
