"""The operating systems of nodes that the roles know, and what differs between them.

An OS that is not here is refused while the inventory is read: a role that guesses how packages
are installed, or how a kernel argument reaches the boot entry, breaks a node at its next boot.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from inventory.plan import LockedPackage, LockedRpm, NetworkTool

Family = Literal["deb", "rpm"]


@dataclass(frozen=True, slots=True)
class System:
    """One OS: its package family, and the ways to configure its network, its own first."""

    family: Family
    network_tools: tuple[NetworkTool, ...]
    boot: tuple[str, ...]
    tried: str
    # Where chrony reads its configuration, and the services of chrony and sshd.
    time_file: str = "/etc/chrony/chrony.conf"
    time_unit: str = "chrony.service"
    ssh_unit: str = "ssh.service"


_DEB = ("grub", "file")
_RPM = ("bls", "file")
_EL9 = System(
    "rpm", ("networkmanager",), _RPM, "rendered", "/etc/chrony.conf", "chronyd.service",
    "sshd.service",
)  # fmt: skip
SYSTEMS: dict[str, System] = {
    "debian-12": System("deb", ("networkd", "ifupdown2", "networkmanager"), _DEB, "booted"),
    "ubuntu-22.04": System("deb", ("netplan", "networkd", "networkmanager"), _DEB, "rendered"),
    "ubuntu-24.04": System("deb", ("netplan", "networkd", "networkmanager"), _DEB, "rendered"),
    "almalinux-9": _EL9,
    "rhel-9": _EL9,
    "rocky-9": _EL9,
}


def package_kind(os: str) -> type[LockedPackage]:
    """What packages of an OS are; of one that nobody knows, as of Debian's."""
    return LockedRpm if is_rpm(os) else LockedPackage


def is_rpm(os: str) -> bool:
    """Whether an OS has rpm and dnf."""
    return os in SYSTEMS and SYSTEMS[os].family == "rpm"


def network_tool(os: str, said: NetworkTool | None) -> NetworkTool:
    """What configures the network of a node: what its profile says, else the OS's own."""
    return said or SYSTEMS[os].network_tools[0]
