"""The devices of a twin's nodes: stand-ins of the NICs and GPUs that the plan names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from deploy.errors import RailbedError
from deploy.lab.hardware import fitted
from deploy.lab.machines import machine
from inventory.plan import Node
from validation.host_state.wanted import roce_nics

# What the drivers of a NIC are, once they run.
_OF_FIRMWARE = ("mlxconfig", "mlxreg")
_MODULES = ("ib_core", "mlx5_core", "mlx5_ib")
# What builds the module of a GPU driver. Its tools come with its packages.
_BUILDS = ("dkms", "update-initramfs")
# An HGX board of the third generation of NVSwitches has four.
_NVSWITCHES = 4
_HEADERS = 'mkdir -p "/lib/modules/$(uname -r)/build/include"'
_DRIVER = "nvidia"
_BOOT_S = 180


def hardware(node: Node) -> dict[str, Any]:
    """What `standin.py` reads of a machine's devices; made-up addresses where the plan has none."""
    nics = [
        {
            "bdf": nic.pci or f"00{number + 1:02x}:00:00.0",
            "netdev": nic.port,
            "rdma": nic.rdma_device,
            "numa": nic.numa or 0,
        }
        for number, nic in enumerate(roce_nics(node))
    ]
    gpus = [
        {"bdf": gpu.pci or f"00{gpu.index + 1:02x}:01:00.0", "name": "stand-in", "numa": gpu.numa}
        for gpu in node.gpus
    ]
    switches = _NVSWITCHES if node.software.gpu and node.software.gpu.nvswitch else 0
    more = {"nvswitches": switches, "uplink": node.management.port, "loads_on_demand": True}
    return {"nics": nics, "gpus": gpus, **more}


@contextmanager
def fitted_with(nodes: Iterable[Node], lab: str) -> Iterator[None]:
    """While inside, these nodes of a lab that is up have the devices of its plan.

    Again for a node that was booted anew: it loads what is installed then.
    """
    with ExitStack() as stack:
        for node in nodes:
            if hardware(node)["nics"] or node.software.gpu:
                # Evidence is gathered by the tools in /usr/sbin.
                more = (*_OF_FIRMWARE, *(_BUILDS if node.software.gpu else ()))
                fitted.put_tools(lab, node.name, hardware(node), *more, folder="usr/sbin")
                fitted.put_up(lab, node.name, is_inbox=True)
                fitted.put_drivers(lab, node.name, _MODULES, os.uname().release)
                if node.software.gpu:
                    _driver(lab, node.name)
                stack.enter_context(fitted.answering(lab, node.name))
        yield


def waits(lab: str, node: Node) -> str:
    """What of a node's GPU driver takes a reboot, as it says itself; empty where nothing does."""
    path = "/run/railbed/reboot-required.d/nvidia_driver"
    return _said(lab, node.name, f"cat {path} 2>/dev/null || true") if node.software.gpu else ""


def settled(lab: str, name: str) -> None:
    """Wait until all that a machine starts at boot has been started, as who boots it does."""
    _said(lab, name, f"timeout {_BOOT_S} systemctl is-system-running --wait || true", _BOOT_S)


def _driver(lab: str, name: str) -> None:
    """The headers that an image of GPU nodes has; and its driver is loaded, where it has one."""
    _said(lab, name, _HEADERS)
    if version := _said(lab, name, f"modinfo -F version {_DRIVER} 2>/dev/null || true"):
        fitted.load(lab, name, _DRIVER, version)


def _said(lab: str, name: str, script: str, limit_s: float = 60) -> str:
    done = machine.inside(lab, name, ["sh", "-c", script], timeout_s=limit_s + 10)
    if done.returncode != 0:
        raise RailbedError(f"{name}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout.decode(errors="replace").strip()
