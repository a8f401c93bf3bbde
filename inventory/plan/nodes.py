"""Nodes: their NICs and what their kernel is asked."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from .cables import PortRef
from .oob import Management
from .words import Boot, Clock, Engine


@dataclass(frozen=True, slots=True)
class RailNic:
    """NIC `rail` of a node: a /31 to its leaf, and the routes that keep rails apart.

    `rail_prefix` holds every NIC of this rail; `fabric_prefix` every NIC of every rail.
    `rdma_device` is None where the NIC has no RDMA.
    """

    rail: int
    port: str
    rdma_device: str | None
    mac: str | None
    address: IPv4Interface
    gateway: IPv4Address
    leaf: PortRef
    ip_mtu_bytes: int
    rail_prefix: IPv4Network
    fabric_prefix: IPv4Network
    table: int
    rule_priority: int


@dataclass(frozen=True, slots=True)
class HugePages:
    """So many pages of one size, in the kernel's unit (KiB), split over the NUMA nodes."""

    size_kib: int
    count: int


@dataclass(frozen=True, slots=True)
class Tuning:
    """What a kind of server asks of its kernel; sysctls are sorted by name.

    `governor` and `idle_exit_us` (longest exit latency of an allowed idle state) are None
    where the profile leaves them to the system, `memlock_kib` and `open_files` where the role
    os_base decides.
    """

    clock: Clock
    boot: Boot
    kernel_arguments: tuple[str, ...]
    hugepages: tuple[HugePages, ...]
    governor: str | None
    idle_exit_us: int | None
    memlock_kib: int | None
    open_files: int | None
    sysctls: tuple[tuple[str, str], ...]
    modules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Node:
    """A server. `rails` is in rail order.

    `rack` counts from 1 in the pod, None where the site states no rule. `engine` is the one
    that changes this node; the other one checks.
    """

    name: str
    pod: int
    rack: int | None
    position: int
    profile: str
    engine: Engine
    management: Management
    rails: tuple[RailNic, ...]
    tuning: Tuning
