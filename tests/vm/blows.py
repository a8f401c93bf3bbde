"""What happens to a node in its life; each blow takes something that no file brings back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .machine import Machine, pci

RAILS = ("rail0", "rail1")
MARKS = "/sys/kernel/config/rdma_cm/rxe-{rail}/ports/1/default_roce_{what}"


def reboot(machine: Machine) -> None:
    """An administrator's reboot."""
    machine.reboot()


def power_cut(machine: Machine) -> None:
    """No clean end, as when a PDU fails; what was written some seconds ago is on the disk."""
    machine.run("sync")
    machine.cut()
    machine.start()


def rdma_driver_reload(machine: Machine) -> None:
    """The RDMA driver goes and comes; its devices start with the driver's defaults."""
    machine.run("set -e; modprobe -r rdma_rxe; ! grep -q ^rdma_rxe /proc/modules")
    added = "; ".join(f"rdma link add rxe-{rail} type rxe netdev {rail}" for rail in RAILS)
    machine.run(f"set -e; modprobe rdma_rxe; {added}")


def nic_driver_reload(machine: Machine) -> None:
    """All NICs but the management port's go and come, with their RDMA devices."""
    machine.run("set -e; modprobe -r e1000; ! [ -e /sys/class/net/rail0 ]; modprobe e1000")


def nic_replaced(machine: Machine) -> None:
    """A NIC is pulled out of its slot, and put back."""
    machine.unplug(0)
    machine.run("! [ -e /sys/class/net/rail0 ]")
    machine.plug(0)


def nic_hot_reset(machine: Machine) -> None:
    """The kernel gives a NIC up and finds it again, as after a reset of its firmware."""
    machine.run(
        f"set -e; echo 1 >/sys/bus/pci/devices/{pci(1)}/remove; "
        "! [ -e /sys/class/net/rail1 ]; echo 1 >/sys/bus/pci/rescan"
    )


BLOWS: tuple[Callable[[Machine], None], ...] = (
    reboot,
    power_cut,
    rdma_driver_reload,
    nic_driver_reload,
    nic_replaced,
    nic_hot_reset,
)


@dataclass(frozen=True)
class ByHand:
    """A setting that somebody changes in the kernel, past all files, and what mends it."""

    name: str
    script: str
    unit: str


_MARKS = "railbed-roce-nic.service"
_PAGES = "/sys/devices/system/node/node1/hugepages/hugepages-2048kB/nr_hugepages"
# Not the mode of the connection manager: soft-RoCE has v2 alone, so its kernel refuses another.
BY_HAND = (
    ByHand("tos", f"echo 0 >{MARKS.format(rail='rail0', what='tos')}", _MARKS),
    ByHand("rings", "ethtool -G rail1 rx 256 tx 128", _MARKS),
    ByHand("pages", f"echo 3 >{_PAGES}", "railbed-kernel-tuning.service"),
    ByHand(
        "thp",
        "echo always >/sys/kernel/mm/transparent_hugepage/enabled",
        "railbed-kernel-tuning.service",
    ),
    ByHand("sysctl", "sysctl -qw kernel.numa_balancing=1", "systemd-sysctl.service"),
)
