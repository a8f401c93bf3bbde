"""Stand-in packages below all others: what the tools need, DKMS, headers of a kernel."""

from __future__ import annotations

import os

from deploy.lab.hardware import TOOLS
from deploy.lab.hardware.debs import Deb, File, Link
from deploy.lab.hardware.driver_debs import tools

_LIB = "/usr/share/standin/standin.py"


def runtime() -> Deb:
    """What every stand-in tool needs; a package of ours, in no real repository."""
    return Deb(
        "standin-runtime", "1", "python3:any", arch="all", files={_LIB: TOOLS / "standin.py"}
    )


def devices() -> Deb:
    """Stand-ins of the OS's own tools, before the real ones in PATH."""
    files: dict[str, File | Link] = {
        f"/usr/local/sbin/{name}": TOOLS / name for name in ("dcb", "dmesg", "ethtool", "lspci")
    }
    files["/usr/local/sbin/setpci"] = Link("lspci")
    return Deb("standin-devices", "1", "standin-runtime", arch="all", files=files)


def dkms() -> Deb:
    """SOURCE: Debian 12's dkms 3.0.10-8+deb12u1 (it wants a compiler; this one does not)."""
    programs = tools("/usr/sbin/dkms", "/usr/sbin/update-initramfs")
    return Deb("dkms", "3.0.10-8+deb12u1", "standin-runtime, kmod", arch="all", files=programs)


def headers(kernel: str | None = None) -> Deb:
    """Headers of a kernel, by default of the running one, which every nspawn machine shares."""
    release = kernel or os.uname().release
    place = f"/usr/src/linux-headers-{release}"
    links = {f"/lib/modules/{release}/build": Link(place)}
    files: dict[str, File | Link] = {f"{place}/include/generated/utsrelease.h": f"{release}\n"}
    # A package's name has no underscore (Policy 5.6.1).
    name = f"linux-headers-{release.replace('_', '-').lower()}"
    return Deb(name, "1.0-1", "", files={**files, **links})
