"""Output of `nvidia-smi -q`: sections by indent, four blanks a level, `Name : value` at its leaves.

Which leaves there are depends on driver and GPU, so each is asked by its path. `nvidia-smi
--query-gpu=... --format=csv` names the same things in its heading.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass

from .fields import Unreadable

_GPU = re.compile(r"^GPU ([0-9A-Fa-f]{8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9])\s*$")
_LEAF = re.compile(r"^( *)(\S.*?)\s*: (.*\S)\s*$")
_SECTION = re.compile(r"^( *)(\S.*?)\s*:?\s*$")
_HEADING = "==============NVSMI LOG=============="


@dataclass(frozen=True)
class Gpu:
    """One GPU: its PCI address as the kernel writes it, and its leaves by path (`A / B`)."""

    pci: str
    leaves: Mapping[str, str]

    def needed(self, path: str) -> str:
        """A leaf, or Unreadable where this driver tells none."""
        if path not in self.leaves:
            raise Unreadable(f"nvidia-smi tells no `{path}` of {self.pci}")
        return self.leaves[path]


@dataclass(frozen=True)
class Smi:
    """The driver as its library sees it, and the GPUs in order."""

    driver: str
    attached: int
    gpus: tuple[Gpu, ...]

    def whole(self) -> Smi:
        """Itself, where every attached GPU is told of; else Unreadable."""
        if len(self.gpus) != self.attached:
            raise Unreadable(f"nvidia-smi tells of {len(self.gpus)} of {self.attached} GPUs")
        return self


def query(text: str) -> Smi:
    """Read a report; Unreadable where the heading, the driver or the number of GPUs is missing."""
    head, *parts = re.split(r"^(?=GPU [0-9A-Fa-f]{8}:)", text, flags=re.MULTILINE)
    if _HEADING not in head:
        said = " ".join(text.split())[:120] or "nothing"
        raise Unreadable(f"nvidia-smi printed no report but: {said}")
    told = _leaves(head.splitlines())
    if "Driver Version" not in told or not told.get("Attached GPUs", "").isdigit():
        raise Unreadable("nvidia-smi does not say driver and number of GPUs")
    gpus = tuple(_gpu(part.splitlines()) for part in parts)
    return Smi(told["Driver Version"], int(told["Attached GPUs"]), gpus)


def _gpu(lines: list[str]) -> Gpu:
    found = _GPU.match(lines[0])
    if not found:
        raise Unreadable(f"nvidia-smi: {lines[0]!r} names no GPU")
    return Gpu(pci_of(found[1]), _leaves(lines[1:]))


def pci_of(bus_id: str) -> str:
    """`00000000:18:00.0` as the kernel writes it: `0000:18:00.0`."""
    return bus_id.strip().lower()[-12:]


def _leaves(lines: list[str]) -> dict[str, str]:
    """Leaves by path; of two with one path the first counts: processes repeat theirs."""
    found: dict[str, str] = {}
    path: list[tuple[int, str]] = []
    for line in lines:
        leaf = _LEAF.match(line)
        section = leaf or _SECTION.match(line)
        if not section:
            continue
        indent = len(section[1])
        path = [one for one in path if one[0] < indent]
        name = " / ".join([*(word for _, word in path), section[2]])
        if leaf:
            found.setdefault(name, leaf[3])
        path.append((indent, section[2]))
    return found


def table(text: str) -> tuple[dict[str, str], ...]:
    """A CSV of `--query-gpu`: one mapping a GPU. Unreadable where a row lacks a column."""
    rows = [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(text)) if row]
    if len(rows) < 2 or any(len(row) != len(rows[0]) for row in rows):
        raise Unreadable("nvidia-smi printed no table of GPUs")
    return tuple(dict(zip(rows[0], row, strict=True)) for row in rows[1:])
