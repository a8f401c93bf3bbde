"""What a node runs beside its kernel: NIC stack, GPU driver, storage path, containers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

NicVendor = Literal["nvidia"]
NicStackKind = Literal["inbox", "doca"]
NetworkTool = Literal["networkd", "netplan", "networkmanager", "ifupdown2"]
QosTool = Literal["auto", "mlnx_qos", "dcb"]
FirmwareAct = Literal["report", "burn"]
DriverReload = Literal["reboot", "now"]
PeerMemory = Literal["dmabuf", "peermem"]
GpuExtra = Literal["imex", "nscq", "nvlsm"]
GdsMode = Literal["nvidia_fs", "p2pdma"]
ContainerEngine = Literal["containerd", "docker"]


@dataclass(frozen=True, slots=True)
class NicStack:
    """The RDMA stack and firmware of a node's NICs; None is left to the system.

    `settings` are firmware settings by name, sorted, of each rail NIC; `firmware` is its
    version where the site wants one of NIC `model`. `kernels` are the lines of kernels that are
    known for the OS: modules that are built on nodes were tried with these.
    """

    vendor: NicVendor
    stack: NicStackKind
    model: str | None
    firmware: str | None
    firmware_act: FirmwareAct
    reload: DriverReload
    kernels: tuple[str, ...]
    settings: tuple[tuple[str, str], ...]
    network: NetworkTool
    qos_tool: QosTool
    rings: int | None
    read_request_bytes: int | None


@dataclass(frozen=True, slots=True)
class GpuStack:
    """The GPU driver. `version` is upstream's, of the lock; the fabric manager's is the same.

    `fabric_manager` is its package, empty on a node without NVSwitches; `extras` are components
    of the lock that come with the driver, sorted.
    `options` are the module's parameters as modprobe.d prints them, in one line's order:
    NVreg_RegistryDwords is one string, made of all who want a key in it.
    """

    version: str
    peer_memory: PeerMemory
    nvswitch: bool
    fabric_manager: str
    extras: tuple[str, ...]
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True, order=True)
class Waiting:
    """What a profile asks for and no node gets yet: components that the lock lacks, sorted.

    `option` is where the profile asks for it, like `gpu_driver`.
    """

    option: str
    components: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Software:
    """What a kind of node runs; None where its profile does not ask for it, or it waits.

    `topology` is the text of NCCL's topology file; `waiting` is sorted.
    """

    os: str
    nics: NicStack
    gpu: GpuStack | None
    gds: GdsMode | None
    containers: ContainerEngine | None
    topology: str | None
    qps_per_connection: int | None
    collectives: bool
    waiting: tuple[Waiting, ...]
