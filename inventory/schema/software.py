"""What a profile of a node may say of its NIC stack, GPU driver, storage path and containers."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import Field

from ..plan import (
    ContainerEngine,
    DriverReload,
    FirmwareAct,
    GdsMode,
    GpuExtra,
    NetworkTool,
    NicStackKind,
    NicVendor,
    PeerMemory,
    QosTool,
)
from .types import Closed, Key, SysctlValue
from .versions import matching

# As mlxconfig(1) of MFT prints them: CNP_DSCP_P1, PF_BAR2_ENABLE.
_NV = re.compile(r"[A-Z][A-Z0-9_]{1,63}(\[[0-9.]+\])?")
# Module parameters of the open kernel modules, nv-reg.h; the registry's keys are merged apart.
_NVREG = re.compile(r"NVreg_(?!RegistryDwords$)[A-Za-z0-9]{1,60}")
_REGISTRY = re.compile(r"[A-Za-z][A-Za-z0-9]{1,60}")

NvSetting = Annotated[str, matching(_NV, "a setting as mlxconfig prints it, like CNP_DSCP_P1")]
NvregName = Annotated[
    str, matching(_NVREG, "an NVreg_ parameter; the keys of RegistryDwords belong in `registry`")
]
_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}\.xml")
FileName = Annotated[str, matching(_FILE, "the name of an XML file, like ndv5.xml")]
RegistryKey = Annotated[str, matching(_REGISTRY, "a registry key, like RMForceStaticBar1")]


class NicSoftware(Closed):
    """The stack of the RDMA NICs, and what they are told beside the lossless class."""

    vendor: NicVendor = Field(default="nvidia", description="whose NICs: nvidia (mlx5)")
    stack: NicStackKind = Field(
        default="inbox", description="inbox (the distribution's), or doca (DOCA-Host)"
    )
    model: Key | None = Field(
        default=None, description="firmware row of `versions.firmware`, like connectx7"
    )
    firmware: FirmwareAct = Field(
        default="report", description="another firmware is reported; or burned: report, burn"
    )
    reload: DriverReload = Field(
        default="reboot", description="how a new driver is loaded: at the next reboot, or now"
    )
    settings: dict[NvSetting, SysctlValue] = Field(
        default_factory=dict, description="firmware setting (mlxconfig) to its value, on each rail"
    )
    network: NetworkTool | None = Field(
        default=None,
        description="networkd, netplan, networkmanager or ifupdown2; by default the OS's own",
    )
    qos_tool: QosTool = Field(default="auto", description="auto, mlnx_qos or dcb")
    rings: int | None = Field(
        default=None, ge=64, le=65536, description="receive and send descriptors of each NIC"
    )
    # Max_Read_Request_Size (PCI Express Base Specification, 7.5.3.4).
    read_request_bytes: Literal[128, 256, 512, 1024, 2048, 4096] | None = Field(
        default=None, description="PCIe maximum read request of each rail NIC"
    )


class GpuDriver(Closed):
    """The GPU driver: always the open kernel modules, at the version of the lock."""

    peer_memory: PeerMemory = Field(
        default="dmabuf", description="how NICs reach GPU memory: dmabuf, or peermem (legacy)"
    )
    nvswitch: bool = Field(
        default=False, description="it has NVSwitches (HGX, DGX): they need the fabric manager"
    )
    extras: list[GpuExtra] = Field(
        default_factory=list,
        description="what comes with the driver: nvlsm (NVSwitches of B200 and later), nscq, imex",
    )
    parameters: dict[NvregName, SysctlValue] = Field(
        default_factory=dict, description="NVreg_ parameter of the module to its value"
    )
    registry: dict[RegistryKey, int] = Field(
        default_factory=dict, description="key of NVreg_RegistryDwords to its number"
    )


class GpuStorage(Closed):
    """GPUDirect Storage."""

    mode: GdsMode = Field(description="nvidia_fs, or p2pdma (local NVMe, without nvidia-fs)")


class Containers(Closed):
    """The container engine of jobs."""

    engine: ContainerEngine = Field(description="containerd or docker")


class Collectives(Closed):
    """What NCCL and UCX are told beside the lossless class."""

    topology: FileName | None = Field(
        default=None, description="NCCL topology file in profiles/ of the site, like ndv5.xml"
    )
    qps_per_connection: int | None = Field(
        default=None, ge=1, le=128, description="queue pairs a connection (entropy under ECMP)"
    )
