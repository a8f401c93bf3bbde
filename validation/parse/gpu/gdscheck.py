"""Output of `gdscheck -p` (NVIDIA GPUDirect Storage).

Sections between rules of `=`; drivers are `Name : Supported|Unsupported`, settings `a.b : value`.
The last line says whether the platform was verified.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from inventory.reading.fields import Unreadable

_SECTION = re.compile(r"^\s*=+\s*\n\s*([A-Z ]+):\s*\n\s*=+\s*$", re.MULTILINE)
_NEEDED = ("DRIVER CONFIGURATION", "CUFILE CONFIGURATION", "GPU INFO", "PLATFORM INFO")
_DRIVER = re.compile(r"^\s*([\w ]+?)\s*:\s*(Supported|Unsupported)\s*$", re.MULTILINE)
_SETTING = re.compile(r"^\s*([a-z_]+(?:\.[a-z0-9_]+)+)\s*:\s*(.*\S)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Gds:
    """What GDS finds on this machine. `nvidia_fs` is its version, empty if not loaded."""

    release: str
    nvidia_fs: str
    drivers: Mapping[str, bool]
    settings: Mapping[str, str]
    gpus: int
    iommu: str
    verified: bool


def check(text: str) -> Gds:
    """Read a report; Unreadable where a section or the last word is missing."""
    names = _SECTION.findall(text)
    if any(names.count(one) != 1 for one in _NEEDED):
        raise Unreadable("gdscheck printed no whole report")
    pieces = _SECTION.split(text)
    parts = dict(zip(pieces[1::2], pieces[2::2], strict=True))
    release = re.search(r"GDS release version: (\S+)", pieces[0])
    iommu = re.search(r"^\s*IOMMU: (.*\S)\s*$", parts["PLATFORM INFO"], re.MULTILINE)
    last = re.findall(r"Platform verification (\w+)", parts["PLATFORM INFO"])
    drivers = {name: word == "Supported" for name, word in _DRIVER.findall(parts[_NEEDED[0]])}
    if not (release and iommu and drivers and len(last) == 1):
        raise Unreadable("gdscheck printed no whole report")
    loaded = re.search(r"nvidia_fs version:\s+(\d\S*)", pieces[0])
    return Gds(
        release[1],
        loaded[1] if loaded else "",
        drivers,
        dict(_SETTING.findall(parts["CUFILE CONFIGURATION"])),
        len(re.findall(r"supports GDS", parts["GPU INFO"])),
        iommu[1],
        last[0] == "succeeded",
    )
