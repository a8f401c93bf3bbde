"""What a profile may ask of a kernel."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ..plan import Boot, Clock
from .types import Closed, KernelArgument, Key, SysctlName, SysctlValue


class HugePagesFile(Closed):
    """Huge pages of one size (hugetlbpage.rst of the kernel)."""

    size_kib: Literal[2048, 1048576] = Field(description="2048 or 1048576 (KiB)")
    count: int = Field(ge=1, le=1 << 24, description="pages, split over the NUMA nodes")


class Cpu(Closed):
    """What keeps a CPU awake; what is not said is left to the system."""

    governor: Key | None = Field(default=None, description="cpufreq governor, like performance")
    idle_exit_us: int | None = Field(
        default=None, ge=0, le=100_000, description="deeper idle states than this are off"
    )


class Limits(Closed):
    """What its processes may have; what is not said has the default of the role os_base."""

    memlock_kib: int | None = Field(default=None, ge=64, description="KiB a process may lock")
    open_files: int | None = Field(default=None, ge=256, description="files it may have open")


class TuningFile(Closed):
    """What a kind of server asks of its kernel."""

    clock: Clock = Field(
        default="set", description="measure: chrony never sets it (a container's is its host's)"
    )
    boot: Boot = Field(
        default="grub", description="grub, or file where another program builds the boot entry"
    )
    kernel_arguments: list[KernelArgument] = Field(
        default_factory=list, description="beside those of the huge pages; taken at a reboot"
    )
    hugepages: list[HugePagesFile] = Field(
        default_factory=list, description="pages of each size; the first size is the default"
    )
    cpu: Cpu = Field(default_factory=Cpu)
    limits: Limits = Field(default_factory=Limits)
    sysctls: dict[SysctlName, SysctlValue] = Field(
        default_factory=dict, description="kernel parameters, beside those of every node"
    )
    modules: list[Key] = Field(default_factory=list, description="kernel modules of its RDMA NICs")
