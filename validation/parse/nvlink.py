"""`nvidia-smi nvlink -s`: the rate of each NVLink of each GPU, in GB/s of one direction.

A link that is off says `<inactive>` in newer drivers, or that it cannot be read; a GPU with none
has one sentence of NVML instead. The output has no end of its own, so a count of its lines, which
the asking shell adds, must close it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .fields import Unreadable

_GPU = re.compile(r"^GPU (\d+): (\S.*?) \(UUID: (GPU-[0-9a-fA-F-]{36})\)\s*$")
_LINK = re.compile(r"^\s+Link (\d+): (?:(\d+(?:\.\d+)?) GB/s|<?inactive>?)\s*$", re.IGNORECASE)
_NONE = re.compile(
    r"^\s*(?:NVML: )?Unable to retrieve NVLink information as all links are inactive", re.IGNORECASE
)
_END = re.compile(r"^end (\d+)\s*$")


@dataclass(frozen=True, slots=True)
class Linked:
    """One GPU; `gbytes_per_s` holds the rate of link 0, 1, ..., 0.0 where one is off."""

    index: int
    name: str
    uuid: str
    gbytes_per_s: tuple[float, ...]


def status(text: str) -> tuple[Linked, ...]:
    """Every GPU with its links. Raises Unreadable for a line that means nothing known."""
    lines = text.splitlines()
    end = _END.match(lines[-1]) if lines else None
    if end is None or int(end[1]) != len(lines) - 1:
        raise Unreadable("nvidia-smi nvlink was cut short")
    found: list[tuple[re.Match[str], list[float]]] = []
    for line in lines[:-1]:
        if gpu := _GPU.match(line):
            found.append((gpu, []))
        elif link := _LINK.match(line):
            _add(found, int(link[1]), float(link[2] or 0.0))
        elif not (found and _NONE.match(line)) and line.strip():
            raise Unreadable(f"nvidia-smi nvlink said: {line.strip()[:120]}")
    if [int(gpu[1]) for gpu, _ in found] != list(range(len(found))) or not found:
        raise Unreadable("nvidia-smi nvlink does not name GPUs from 0 on")
    return tuple(Linked(int(gpu[1]), gpu[2], gpu[3], tuple(rates)) for gpu, rates in found)


def _add(found: list[tuple[re.Match[str], list[float]]], number: int, rate: float) -> None:
    if not found or number != len(found[-1][1]):
        raise Unreadable(f"nvidia-smi nvlink: link {number} is out of order")
    found[-1][1].append(rate)
