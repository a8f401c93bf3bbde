"""A tree of files that stands for a GPU node: its PCI devices, /proc and /sys, its tools."""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path
from typing import Any

from roles.pyinfra_role import text_of

from .owned import variables

KERNEL = platform.release()
PLACES = ("/sys/", "/proc/", "/run/", "/etc/", "/lib/modules/", "/usr/bin/nvidia-", "/var/lib/")
# As a DGX H100 shows itself: GPU, NVSwitch (pci.ids: 10de:2330, 10de:22a3).
GPU, SWITCH = ("0x10de", "0x030200"), ("0x10de", "0x068000")


class GpuNode:
    """A node with GPUs and headers, and without a driver; `more` are values of the role."""

    def __init__(self, root: Path, role: str, **more: Any) -> None:
        self.root, self.role = root, role
        self.values = {**variables(role), **{f"{role}_{key}": one for key, one in more.items()}}
        self.tool("modinfo", "exit 1")
        (self.root / f"lib/modules/{KERNEL}/build/include").mkdir(parents=True)
        self.write("/proc/cmdline", "root=/dev/sda1 iommu=pt\n")

    def pci(self, *devices: tuple[str, str], vpd: str = "") -> None:
        for number, (vendor, kind) in enumerate(devices):
            place = f"/sys/bus/pci/devices/0000:{number + 0x1B:02x}:00.{len(vpd) % 2}"
            self.write(f"{place}/vendor", f"{vendor}\n")
            self.write(f"{place}/class", f"{kind}\n")
            if vpd:
                self.write(f"{place}/vpd", vpd)

    def hgx(self) -> None:
        self.pci(*[GPU] * 8, *[SWITCH] * 4)

    def loads(self, version: str, params: str = "", flavour: str = "Open Kernel Module") -> None:
        """The driver is loaded; nv-procfs.c of NVIDIA's open kernel modules prints these."""
        self.write("/sys/module/nvidia/version", f"{version}\n")
        self.write("/sys/module/nvidia/initstate", "live\n")
        line = f"NVRM version: NVIDIA UNIX {flavour} for x86_64  {version}  Release Build\n"
        self.write("/proc/driver/nvidia/version", line)
        self.write("/proc/driver/nvidia/params", params)

    def builds(self, version: str) -> None:
        self.tool("modinfo", f"echo {version}")

    def write(self, path: str, text: str) -> Path:
        place = self.root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        return place

    def opens(self, pid: int, name: str, device: str) -> None:
        self.write(f"/proc/{pid}/comm", f"{name}\n")
        (self.root / f"proc/{pid}/fd").mkdir()
        (self.root / f"proc/{pid}/fd/3").symlink_to(device)

    def tool(self, name: str, script: str) -> None:
        self.write(f"/tools/{name}", f"#!/bin/sh\n{script}\n").chmod(0o755)

    def text(self, template: str) -> str:
        text = text_of(self.role, template, self.values)
        for place in PLACES:
            text = text.replace(place, f"{self.root}{place}")
        return text

    def preflight(self) -> list[str]:
        """What it says; without words it must end well."""
        done = self.run("-c", self.text("preflight.sh.j2"))
        assert done.stdout == ""
        assert done.returncode == (1 if done.stderr else 0)
        return done.stderr.replace(str(self.root), "").splitlines()

    def program(self, name: str, config: str, *arguments: str) -> tuple[int, list[str]]:
        """Its status and its complaints."""
        self.write(
            f"/etc/default/railbed-{config}", text_of(self.role, f"{config}.j2", self.values)
        )
        place = self.write(f"/{name}", self.text(name))
        done = self.run(str(place), *arguments)
        return done.returncode, done.stderr.replace(str(self.root), "").splitlines()

    def signal(self) -> str:
        place = self.root / "run/railbed/reboot-required.d" / self.role
        return place.read_text().strip().replace(str(self.root), "") if place.exists() else ""

    def run(self, *argv: str) -> subprocess.CompletedProcess[str]:
        """Run a shell with the tree's tools."""
        return subprocess.run(
            ["sh", *argv],
            env={"PATH": f"{self.root}/tools:/usr/sbin:/usr/bin:/sbin:/bin"},
            capture_output=True,
            text=True,
            timeout=30,
        )
