"""Nodes: their NICs and what their kernel is asked."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from .acceptance import Acceptance
from .cables import PortRef
from .oob import Management
from .roles import RoleVariable
from .software import Software
from .words import (
    Acs,
    Boot,
    Clock,
    CpuVendor,
    EnergyPreference,
    Engine,
    Iommu,
    PagesAt,
    Plane,
    PState,
    Thp,
)


@dataclass(frozen=True, slots=True)
class RailNic:
    """NIC `rail` of a node: a /31 to its leaf, and the routes that keep rails apart.

    `index` counts the ports from 0: it is the rail, unless NICs have two ports. `nic_plane` is 1
    for the second port of such a NIC; ports meet those of their own index only. `rail_prefix`
    holds every NIC of this index; `fabric_prefix` every NIC of every rail. `rdma_device` is None
    where the NIC has no RDMA, `gpu` (as nvidia-smi counts) and `numa` where the profile does not
    say. `rate_gbps` is the NIC's own; a cable may have less.
    """

    index: int
    rail: int
    nic_plane: int
    gpu: int | None
    port: str
    rdma_device: str | None
    pci: str | None
    numa: int | None
    rate_gbps: float
    mac: str | None
    address: IPv4Interface
    gateway: IPv4Address
    leaf: PortRef
    cable_m: float
    out_of_order: bool
    ip_mtu_bytes: int
    rail_prefix: IPv4Network
    fabric_prefix: IPv4Network
    table: int
    rule_priority: int


@dataclass(frozen=True, slots=True)
class AccessNic:
    """A NIC of the storage or business plane. With a /31 of its own, or in a bond or VLAN.

    `table` and `rule_priority` keep what is sent from `address` on this NIC; None where the
    main table does. `prefix` is all that is reached through it, `nic_prefix` the peers' NICs of
    the same number.
    """

    plane: Plane
    port: str
    rdma_device: str | None
    pci: str | None
    numa: int | None
    mac: str | None
    leaf: PortRef
    cable_m: float
    ip_mtu_bytes: int
    rate_gbps: float
    address: IPv4Interface | None
    gateway: IPv4Address | None
    prefix: IPv4Network | None
    nic_prefix: IPv4Network | None
    table: int | None
    rule_priority: int | None
    bond: str | None


@dataclass(frozen=True, slots=True)
class AccessVlan:
    """An address of a node in a VLAN: on a bond, or on its one NIC (`interface`).

    The first VLAN is untagged. `default_route` says whether its gateway leads to the outside.
    """

    plane: Plane
    interface: str
    vlan: int
    tagged: bool
    address: IPv4Interface
    gateway: IPv4Address
    prefix: IPv4Network
    ip_mtu_bytes: int
    default_route: bool


@dataclass(frozen=True, slots=True)
class HugePages:
    """So many pages of one size, in the kernel's unit (KiB).

    `per_numa` counts them on NUMA node 0, 1, ...; empty: the kernel splits `count` over all of
    them. `at` says whether the kernel already takes them while it boots.
    """

    size_kib: int
    count: int
    per_numa: tuple[int, ...] = ()
    at: PagesAt = "boot"


@dataclass(frozen=True, slots=True)
class CpuTuning:
    """What keeps CPUs awake and fast; None is left to the system.

    `idle_exit_us` is the longest exit latency of an allowed idle state. `isolated` is a list of
    CPUs as the kernel reads it; `tickless` takes timer ticks and RCU callbacks off them.
    """

    vendor: CpuVendor | None = None
    max_cstate: int | None = None
    pstate: PState | None = None
    governor: str | None = None
    energy_preference: EnergyPreference | None = None
    idle_exit_us: int | None = None
    isolated: str | None = None
    tickless: bool = False


@dataclass(frozen=True, slots=True)
class Tuning:
    """What a kind of server asks of its kernel; sysctls are sorted by name.

    None is left to the system, `memlock_kib` and `open_files` to the role os_base.
    `kernel_arguments` are those that the profile wrote itself: `kernel_arguments.py` of the
    inventory makes all of them out of this.
    """

    clock: Clock
    boot: Boot
    kernel_arguments: tuple[str, ...]
    hugepages: tuple[HugePages, ...]
    cpu: CpuTuning
    thp: Thp | None
    numa_balancing: bool | None
    iommu: Iommu | None
    pci_realloc: bool | None
    acs: Acs
    memlock_kib: int | None
    open_files: int | None
    sysctls: tuple[tuple[str, str], ...]
    modules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NodeGpu:
    """A GPU; `index` is nvidia-smi's, `pci` None where the profile does not say."""

    index: int
    pci: str | None
    numa: int


@dataclass(frozen=True, slots=True)
class Node:
    """A server. `rails` is in rail order; `kind` is `gpu`, or the name of its group.

    `pod` is 0 for a server beside the pods. `rack` counts from 1 in the pod or group, None where
    the site states no rule. `engine` is the one that changes this node; the other one checks.
    `bmc` is how its management controller is reached, None where it has none. `numa` are the NUMA
    nodes that its profile names; none where it names none. `role_variables` are those that the
    site sets, sorted by name.
    """

    name: str
    kind: str
    pod: int
    rack: int | None
    position: int
    profile: str
    engine: Engine
    management: Management
    bmc: Management | None
    gpus: tuple[NodeGpu, ...]
    numa: tuple[int, ...]
    rails: tuple[RailNic, ...]
    nics: tuple[AccessNic, ...]
    vlans: tuple[AccessVlan, ...]
    tuning: Tuning
    software: Software
    acceptance: Acceptance
    role_variables: tuple[RoleVariable, ...]
