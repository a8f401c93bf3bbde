"""What one machine's host state says, in words that no tool owns.

The QoS of its NICs has the form that the switches' has (`switch_configs.readback.facts`), so that
both can be compared. What a tool did not tell is `Unread`, with the reason: it never counts as
agreement.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from inventory.golden.topo import GpuRow
from inventory.reading.fields import Unreadable
from switch_configs.readback.facts import ClassFacts, QosFacts
from validation.parse.gpu.cdi_spec import CdiDevice
from validation.parse.gpu.gdscheck import Gds
from validation.parse.gpu.nvidia_smi import Smi
from validation.parse.gpu.nvlink import Linked
from validation.parse.host.host_kernel import Cpus, Module
from validation.parse.host.host_state import HostIdentity
from validation.parse.host.kernel_log import Event
from validation.parse.host.lspci import PciDevice
from validation.parse.host.units import Unit
from validation.parse.nic.ethtool import Pause, Rings
from validation.parse.nic.mlxconfig import NvValue
from validation.parse.nic.ofed_info import Ofed
from validation.parse.nic.port_qos import DSCPS, PortQos
from validation.parse.nic.rdma_sysfs import Gid

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Unread:
    """A fact that is not known, and why."""

    why: str

    def __str__(self) -> str:
        return self.why


def known(value: T | Unread) -> T:
    """The fact itself; raises Unreadable where it is not known."""
    if isinstance(value, Unread):
        raise Unreadable(value.why)
    return value


def fact(read: Callable[[], T]) -> T | Unread:
    """What a reader says, or why it cannot."""
    try:
        return read()
    except Unreadable as why:
        return Unread(str(why))


@dataclass(frozen=True, slots=True)
class Forced:
    """What all queue pairs of a device get; `offered` is False where the driver forces none."""

    offered: bool
    traffic_class: int | None


@dataclass(frozen=True, slots=True)
class NicFacts:
    """One NIC. `qos` is in the form of the switches; `port_qos` has what only a host has.

    `tos` is that of the connection manager, `forced` what all queue pairs get; `ecn` are the
    priorities whose marks are answered, at both ends of a flow. `settings` are firmware's, now and
    after the next boot; `accelerations` those that are lost with a reset. `owners` are the programs
    that set the port up, with their word on it.
    """

    port: str
    pci: str
    rdma: str
    qos: QosFacts | Unread
    port_qos: PortQos | Unread
    tos: int | Unread
    roce_mode: str | Unread
    forced: Forced | Unread
    ecn: tuple[int, ...] | Unread
    cnp_dscp: int | Unread
    cnp_priority: str | Unread
    pause: Pause | Unread
    rings: Rings | Unread
    ip_mtu_bytes: int | Unread
    gids: tuple[Gid, ...] | Unread
    firmware: str | Unread
    settings: Mapping[str, NvValue] | Unread
    accelerations: Mapping[str, int] | Unread
    pci_device: PciDevice | Unread
    link_layer: str | Unread
    owners: tuple[tuple[str, str], ...] | Unread


@dataclass(frozen=True, slots=True)
class GpuFacts:
    """The GPU driver.

    `module` is the version of the loaded one, and whether it is the open one; `smi` the library's
    report; `fabric_manager` the version that is installed. `topology` says how near GPUs and NICs
    are, `links` what NVLinks run.
    """

    module: tuple[str, bool] | Unread
    smi: Smi | Unread
    options: Mapping[str, str] | Unread
    fabric_manager: str | Unread
    topology: tuple[GpuRow, ...] | Unread
    links: tuple[Linked, ...] | Unread


@dataclass(frozen=True, slots=True)
class HostFacts:
    """One machine. `signals` are the reasons to reboot that its roles wrote down, by role.

    `failed` are units. `gate_cufile` is the file that gates of the storage path use. `limits` are
    (program, limit) to its soft value, `devices` what containers may ask for, `cdi` what those of
    our own description bring, `verbs` the node in /dev/infiniband of each RDMA device. `log` is
    what the kernel said of its hardware since it was booted. `packages` are those of NICs and GPUs
    that are installed, with their versions.
    """

    identity: HostIdentity
    nics: tuple[NicFacts, ...]
    release: str | Unread
    arguments: tuple[str, ...] | Unread
    hugepages: Mapping[tuple[int, int], int] | Unread
    cpus: Cpus | Unread
    thp: str | Unread
    pci: Mapping[str, PciDevice] | Unread
    modules: Mapping[str, Module] | Unread
    units: Mapping[str, Unit] | Unread
    signals: Mapping[str, str] | Unread
    failed: tuple[str, ...] | Unread
    gpu: GpuFacts
    ofed: Ofed | Unread | None
    gds: Gds | Unread
    cufile: Mapping[str, object] | Unread
    gate_cufile: Mapping[str, object] | Unread
    nccl: Mapping[str, str] | Unread
    ucx: Mapping[str, str] | Unread
    devices: tuple[str, ...] | Unread
    cdi: Mapping[str, CdiDevice] | Unread
    verbs: Mapping[str, str] | Unread
    limits: Mapping[tuple[str, str], str] | Unread
    log: tuple[Event, ...] | Unread
    packages: Mapping[str, str] | Unread

    def nic(self, port: str) -> NicFacts | None:
        """The NIC with this port, or None where the machine has none."""
        return next((nic for nic in self.nics if nic.port == port), None)


@lru_cache(maxsize=1024)  # NICs of one kind are set alike
def neutral(qos: PortQos) -> QosFacts:
    """A NIC's QoS in the form of the switches': DSCP -> class -> PFC, what is local left out.

    The firmware watches over pauses and sizes headroom by itself, and a NIC caps no class here.
    """
    return QosFacts(
        classes=tuple(sorted(_classes(qos), key=lambda one: one.dscps)),
        pfc_priorities=qos.pfc_priorities,
        watchdog=None,
        cable_m=None,
        headroom=None,
    )


def _classes(qos: PortQos) -> list[ClassFacts]:
    trusted = qos.trust == "dscp"
    of: dict[int, list[int]] = {}
    mapped = dict(qos.priority_of)
    for dscp in range(DSCPS):
        of.setdefault(mapped.get(dscp, 0) if trusted else 0, []).append(dscp)
    return [_class(qos, priority, tuple(dscps)) for priority, dscps in of.items()]


def _class(qos: PortQos, priority: int, dscps: tuple[int, ...]) -> ClassFacts:
    number = qos.prio_tc[priority]
    return ClassFacts(
        dscps=dscps,
        pfc_priority=priority if qos.pfc[priority] else None,
        strict=qos.tsa[number] == "strict",
        weight_percent=qos.bandwidth_percent[number] if qos.tsa[number] == "ets" else None,
        rate_cap_percent=None,
        ecn=None,
    )
