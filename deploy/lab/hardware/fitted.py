"""Stand-in devices in a running machine of a lab: tools, hardware, and what /sys and /proc say.

Everything is done from the host, in the machine's own namespaces, and is lost when the machine
reboots: `put_up` it again. In a VM the same tools do the same, by `standin-sysfs` inside it.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import tarfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

from deploy.errors import RailbedError
from deploy.lab.machines import machine

from . import TOOLS
from .modules import module

# The OS's own tools, of which ours come first in PATH; packages bring all others.
_LOCAL = ("dcb", "dmesg", "ethtool", "lspci", "rdma", "setpci")
_OWN = "usr/local/sbin"


def put_tools(
    lab: str, device: str, hardware: dict[str, Any], *more: str, folder: str = _OWN
) -> None:
    """Put stand-ins of the OS's tools and `more` into a folder, and name the hardware.

    `folder` is `usr/sbin` where they take the place of the OS's own, for who asks these by path.
    """
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        for name in (*_LOCAL, *more):
            _add(tar, f"{folder}/{name}", (TOOLS / name).read_bytes(), 0o755)
        _add(tar, f"{_OWN}/standin-sysfs", (TOOLS / "standin-sysfs").read_bytes(), 0o755)
        _add(tar, "usr/share/standin/standin.py", (TOOLS / "standin.py").read_bytes(), 0o644)
        text = json.dumps(hardware, indent=1).encode()
        _add(tar, "etc/standin/hardware.json", text, 0o644)
    _must(lab, device, ["tar", "-C", "/", "-xf", "-", "--no-same-owner"], stream.getvalue())


def put_drivers(lab: str, device: str, names: Collection[str], version: str) -> None:
    """Give a machine kernel modules of these names, and have them loaded; after `put_up`."""
    stream = io.BytesIO()
    folder = f"lib/modules/{os.uname().release}/kernel/drivers"
    with tarfile.open(fileobj=stream, mode="w") as tar:
        for name in names:
            _add(tar, f"{folder}/{name}.ko", module(name, version), 0o644)
    _must(lab, device, ["tar", "-C", "/", "-xf", "-", "--no-same-owner"], stream.getvalue())
    _must(lab, device, ["depmod"])
    for name in names:
        load(lab, device, name, version)


def put_up(lab: str, device: str, is_inbox: bool = False) -> None:
    """Mount the stand-in tree; again, anew. `is_inbox`: without what only OFED's driver has."""
    more = ["--inbox"] if is_inbox else []
    _must(lab, device, ["/usr/local/sbin/standin-sysfs", "up", *more])


def load(lab: str, device: str, module: str, version: str, *parameters: str) -> None:
    """A module is loaded: /sys/module, /proc/modules, /proc/driver/nvidia."""
    _must(lab, device, ["/usr/local/sbin/standin-sysfs", "load", module, version, *parameters])


def take_down(lab: str, device: str) -> None:
    """Unmount what `put_up` mounted."""
    _must(lab, device, ["/usr/local/sbin/standin-sysfs", "down"])


@contextmanager
def answering(lab: str, device: str) -> Iterator[None]:
    """Have guarded files show what the kernel would (`Global tclass=106` for 106).

    They keep their old content where the kernel refuses a value. Needs fanotify(7) with permission
    events. RailbedError where the machine is off, or its kernel lacks them.
    """
    pid = machine.leader(lab, device)
    if pid is None:
        raise RailbedError(f"{device} is off")
    argv = machine.entering(pid, ["/usr/local/sbin/standin-sysfs", "serve"])
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        try:
            said = process.stdout.readline() if process.stdout else b""
            if said != b"ready\n":
                raise RailbedError(f"{device}: standin-sysfs serve: {said.decode().strip()}")
            yield
        finally:
            process.kill()


def _add(tar: tarfile.TarFile, name: str, content: bytes, mode: int) -> None:
    info = tarfile.TarInfo(name)
    info.size, info.mode = len(content), mode
    tar.addfile(info, io.BytesIO(content))


def _must(lab: str, device: str, argv: list[str], text: bytes = b"") -> None:
    done = machine.inside(lab, device, argv, text, timeout_s=60)
    if done.returncode != 0:
        raise RailbedError(f"{device}: {argv[0]}: {done.stderr.decode(errors='replace')}")
