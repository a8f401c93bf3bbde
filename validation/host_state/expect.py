"""Expectations that only a node's host state answers: none for a node without RDMA and GPU."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from inventory.plan import Plan
from validation.expectation import Expectation

from .fleet_versions import asks_versions
from .hardware import asks_hardware
from .kernel_rows import asks_kernel
from .software import parts
from .wanted import roce_nics

_SAYS = {
    "stack": "its RDMA stack runs as it is installed",
    "driver": "its GPU driver, fabric manager and library are one version and run as planned",
    "storage": "GPUs read from storage without the CPU",
    "containers": "containers get GPUs and may lock memory",
    "collectives": "NCCL and UCX use the lossless class and the rails' NICs",
}


@dataclass(frozen=True, slots=True)
class SoftwareExpected(Expectation):
    """One part of a node's software runs as planned."""

    stage: ClassVar[int] = 30
    check: ClassVar[str] = "software"
    part: str


@dataclass(frozen=True, slots=True)
class SignalExpected(Expectation):
    """No role has asked for a reboot; advisory: no gate waits for it."""

    stage: ClassVar[int] = 30
    check: ClassVar[str] = "signal"


@dataclass(frozen=True, slots=True)
class KernelExpected(Expectation):
    """The kernel shows what the profile asks; advisory while a boot is due."""

    stage: ClassVar[int] = 30
    check: ClassVar[str] = "kernel"


@dataclass(frozen=True, slots=True)
class HardwareExpected(Expectation):
    """GPUs, PCIe links and NVLinks are whole, and the kernel complained of none."""

    stage: ClassVar[int] = 30
    check: ClassVar[str] = "hardware"


@dataclass(frozen=True, slots=True)
class VersionsExpected(Expectation):
    """A node runs what most nodes of its profile run."""

    stage: ClassVar[int] = 30
    check: ClassVar[str] = "versions"
    profile: str


@dataclass(frozen=True, slots=True)
class NicExpected(Expectation):
    """A NIC with RDMA runs the lossless class as the plan and the switches have it."""

    stage: ClassVar[int] = 40
    check: ClassVar[str] = "nic"
    port: str


def host_expectations(plan: Plan, configured: frozenset[str]) -> Iterator[Expectation]:
    """What must be true of the nodes that are configured, but for their NICs' lossless class."""
    for node in plan.nodes:
        asked = parts(node) if node.name in configured else ()
        for part in asked:
            yield SoftwareExpected(f"software:{node.name}:{part}", node.name, _SAYS[part], part)
        if asked:
            yield SignalExpected(f"signal:{node.name}", node.name, "no role asks for a reboot")
        if asked and asks_kernel(node):
            says = "arguments, pages and states of its kernel are as planned"
            yield KernelExpected(f"kernel:{node.name}", node.name, says)
        if asked and asks_hardware(node):
            says = "its GPUs and links are whole, and its kernel complained of none"
            yield HardwareExpected(f"hardware:{node.name}", node.name, says)
        if asked and asks_versions(node):
            says = f"kernel, drivers and firmware are those of all {node.profile}"
            yield VersionsExpected(f"versions:{node.name}", node.name, says, node.profile)


def nic_expectations(plan: Plan, configured: frozenset[str]) -> Iterator[Expectation]:
    """The lossless class of each NIC with RDMA of the nodes that are configured."""
    for node in plan.nodes:
        asked = parts(node) if node.name in configured else ()
        for nic in roce_nics(node) if asked else ():
            says = f"{nic.port} runs the lossless class as planned"
            yield NicExpected(f"nic:{node.name}:{nic.port}", node.name, says, nic.port)
