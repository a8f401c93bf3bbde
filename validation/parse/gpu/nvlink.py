"""`nvidia-smi nvlink -s`: the rate of each NVLink of each GPU, in GB/s of one direction.

A link that is off says `<inactive>` in newer drivers, or that it cannot be read; a GPU with none
has one sentence of NVML instead. Where the module was loaded with NVreg_NvLinkDisable nothing is
printed at all (seen of driver 580.159.04). The output has no end of its own, so a count of its
lines, which the asking shell adds, must close it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from inventory.reading.fields import Unreadable, full_lines
from inventory.reading.numbers import Real, Whole

_GPU = re.compile(r"^GPU (\S+): (\S.*?) \(UUID: (GPU-[0-9a-fA-F-]{36})\)\s*$")
_LINK = re.compile(r"^\s+Link (\S*): (?:(\S*) GB/s|<?inactive>?)\s*$", re.IGNORECASE)
_INDEX = Whole("GPU", "1", 0, 255)
_NUMBER = Whole("NVLink", "1", 0, 255)
_RATE = Real("rate of an NVLink", "GB/s", 0, 1000)
_LINES = Whole("lines", "1", 0, 1 << 20)
_NONE = re.compile(
    r"^\s*(?:NVML: )?Unable to retrieve NVLink information as all links are inactive", re.IGNORECASE
)
_END = re.compile(r"^end (\S*)\s*$")


@dataclass(frozen=True, slots=True)
class Linked:
    """One GPU; `gbytes_per_s` holds the rate of link 0, 1, ..., 0.0 where one is off."""

    index: int
    name: str
    uuid: str
    gbytes_per_s: tuple[float, ...]


def status(text: str) -> tuple[Linked, ...]:
    """Every GPU with its links, none where it told none. Unreadable for a line of nothing known."""
    lines = full_lines(text, "nvidia-smi nvlink")
    end = _END.match(lines[-1]) if lines else None
    if end is None or _LINES.read(end[1]) != len(lines) - 1:
        raise Unreadable("nvidia-smi nvlink was cut short")
    found: list[tuple[re.Match[str], list[float]]] = []
    for line in lines[:-1]:
        if gpu := _GPU.match(line):
            found.append((gpu, []))
        elif link := _LINK.match(line):
            rate = 0.0 if link[2] is None else _RATE.read(link[2])
            _add(found, _NUMBER.read(link[1]), rate)
        elif not (found and _NONE.match(line)):
            raise Unreadable(f"nvidia-smi nvlink said: {line.strip()[:120]}")
    if [_INDEX.read(gpu[1]) for gpu, _ in found] != list(range(len(found))):
        raise Unreadable("nvidia-smi nvlink does not name GPUs from 0 on")
    return tuple(Linked(at, gpu[2], gpu[3], tuple(rates)) for at, (gpu, rates) in enumerate(found))


def _add(found: list[tuple[re.Match[str], list[float]]], number: int, rate: float) -> None:
    if not found or number != len(found[-1][1]):
        raise Unreadable(f"nvidia-smi nvlink: link {number} is out of order")
    found[-1][1].append(rate)
