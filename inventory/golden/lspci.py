"""`lspci -Dnn`, with or without `-v`: GPUs and NICs by PCI address.

Format: lspci(8). Without `-D` it leaves the domain out where the machine has only domain 0.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from .evidence import Unreadable, whole

_DEVICE = re.compile(
    r"(?:(?P<domain>[0-9a-f]{4}):)?(?P<slot>[0-9a-f]{2}:[01][0-9a-f]\.[0-7]) "
    r"(?P<kind>[^:\[]+?)(?: \[(?P<code>[0-9a-f]{4})\])?: (?P<name>.+)"
)
# `-v` says it at the end of the flags, `-vv` on a line of its own.
_NUMA = re.compile(r"\s+(?:NUMA node: |Flags: .*, NUMA node )([0-9]{1,3})")
# PCI Code and ID Assignment Specification: class 02 is network, class 03 is display.
_NIC_CODES = ("0200", "0207")
_NIC_KINDS = ("Ethernet controller", "Infiniband controller", "InfiniBand controller")
_GPU_CODES = ("0300", "0302")
_GPU_KINDS = ("VGA compatible controller", "3D controller")


@dataclass(frozen=True, slots=True)
class PciDevice:
    """A GPU or a NIC port: one PCI function."""

    address: str
    kind: Literal["gpu", "nic"]
    name: str
    numa: int | None = None


def parse_lspci(text: str) -> tuple[PciDevice, ...]:
    """Return the GPUs of NVIDIA and all NICs, by address; raises Unreadable without any line."""
    found: list[PciDevice] = []
    current: PciDevice | None = None
    lines = 0
    for line in text.splitlines():
        if device := _DEVICE.fullmatch(line.rstrip()):
            lines += 1
            current = _device(device)
            found += [current] if current else []
        elif current and (numa := _NUMA.fullmatch(line.rstrip())):
            found[-1] = replace(current, numa=whole(numa[1]))
    if not lines:
        raise Unreadable("no line of lspci in it")
    return tuple(sorted(found, key=lambda one: one.address))


def _device(line: re.Match[str]) -> PciDevice | None:
    address = f"{line['domain'] or '0000'}:{line['slot']}"
    name, code, kind = line["name"], line["code"], line["kind"]
    if code in _NIC_CODES or kind in _NIC_KINDS:
        return PciDevice(address, "nic", name)
    if (code in _GPU_CODES or kind in _GPU_KINDS) and "NVIDIA" in name:
        return PciDevice(address, "gpu", name)
    return None
