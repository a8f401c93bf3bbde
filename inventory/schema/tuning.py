"""What a profile may ask of a kernel."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from ..plan import Acs, Boot, Clock, CpuVendor, EnergyPreference, Iommu, PagesAt, PState, Thp
from .types import CPU_LIST, Closed, KernelArgument, Key, SysctlName, SysctlValue

CpuList = Annotated[str, StringConstraints(pattern=CPU_LIST, max_length=190)]
Pages = Annotated[int, Field(ge=0, le=1 << 24)]


class HugePagesFile(Closed):
    """Huge pages of one size (hugetlbpage.rst of the kernel): `count`, or `per_numa`."""

    size_kib: Literal[2048, 1048576] = Field(description="2048 or 1048576 (KiB)")
    count: int | None = Field(
        default=None, ge=1, le=1 << 24, description="pages, split over the NUMA nodes"
    )
    per_numa: Annotated[list[Pages], Field(min_length=1, max_length=64)] | None = Field(
        default=None, description="pages on NUMA node 0, 1, ..."
    )
    at: PagesAt = Field(
        default="boot", description="boot (kernel arguments too), or runtime (memory may be short)"
    )


class Cpu(Closed):
    """What keeps a CPU awake and fast; what is not said is left to the system."""

    vendor: CpuVendor | None = Field(
        default=None, description="intel or amd: their kernel arguments differ"
    )
    count: int | None = Field(default=None, ge=2, le=8192, description="logical CPUs of the server")
    governor: Key | None = Field(default=None, description="cpufreq governor, like performance")
    energy_preference: EnergyPreference | None = Field(
        default=None, description="what the CPU prefers where it sets its frequency itself"
    )
    pstate: PState | None = Field(default=None, description="mode of the vendor's frequency driver")
    max_cstate: int | None = Field(
        default=None, ge=1, le=9, description="deepest idle state from boot on"
    )
    idle_exit_us: int | None = Field(
        default=None, ge=0, le=100_000, description="deeper idle states than this are off"
    )
    isolated: CpuList | None = Field(
        default=None, description="CPUs that the scheduler leaves alone, like 4-63,68-127"
    )
    tickless: bool = Field(
        default=False, description="no timer tick and no RCU callbacks on the isolated CPUs"
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
        default="grub",
        description="grub (Debian family), bls (RHEL family), or file where another program "
        "builds the boot entry",
    )
    kernel_arguments: list[KernelArgument] = Field(
        default_factory=list, description="beside those of the other options; taken at a reboot"
    )
    hugepages: list[HugePagesFile] = Field(
        default_factory=list, description="pages of each size; the first size is the default"
    )
    cpu: Cpu = Field(default_factory=Cpu)
    thp: Thp | None = Field(
        default=None, description="transparent huge pages: always, madvise or never"
    )
    numa_balancing: bool | None = Field(
        default=None, description="whether the kernel moves pages between NUMA nodes by itself"
    )
    iommu: Iommu | None = Field(
        default=None,
        description="disabled, passthrough (nothing translated for the host itself), or translated",
    )
    pci_realloc: bool | None = Field(
        default=None, description="whether the kernel lays out PCI memory anew"
    )
    acs: Acs = Field(
        default="keep", description="disabled: PCIe peers talk past the root (bare metal only)"
    )
    limits: Limits = Field(default_factory=Limits)
    sysctls: dict[SysctlName, SysctlValue] = Field(
        default_factory=dict, description="kernel parameters, beside those of every node"
    )
    modules: list[Key] = Field(default_factory=list, description="kernel modules of its RDMA NICs")
