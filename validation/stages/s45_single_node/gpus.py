"""Which GPU a tool speaks of: its place in the plan, its PCI address, its serial number. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from testinfra.host import Host

from inventory.plan import Node, NodeGpu
from inventory.reading.fields import Unreadable, csv_rows
from inventory.reading.numbers import Whole
from validation.evidence.reading import answer
from validation.parse.gpu.nvidia_smi import pci_of

from .work import WHO

_END = re.compile(r"^end (\S+)\s*$")
_LINES = Whole("GPUs of a list", "1", 1, 256)
_COLUMNS = 5
_NO_SERIAL = ("0", "N/A", "[N/A]", "")


@dataclass(frozen=True, slots=True)
class Known:
    """One GPU as its driver names it; `serial` is "" where it tells none."""

    index: int
    pci: str
    uuid: str
    serial: str
    name: str


def known(text: str) -> tuple[Known, ...]:
    """The GPUs in nvidia-smi's order. Raises Unreadable for a cut or mixed list."""
    lines = text.splitlines()
    end = _END.match(lines[-1]) if lines else None
    rows = csv_rows(text, "nvidia-smi")[:-1]
    if end is None or _LINES.read(end[1]) != len(rows):
        raise Unreadable("nvidia-smi's list of GPUs was cut short")
    if any(len(row) != _COLUMNS or row[0] != str(at) for at, row in enumerate(rows)):
        raise Unreadable("nvidia-smi's list of GPUs is not one row for each, from 0 on")
    found = tuple(
        Known(at, pci_of(row[1]), row[2], "" if row[3] in _NO_SERIAL else row[3], row[4])
        for at, row in enumerate(rows)
    )
    if len({one.uuid for one in found}) != len(found):
        raise Unreadable("nvidia-smi names a GPU twice")
    return found


def of_host(host: Host) -> tuple[Known, ...]:
    """The GPUs of a node, from the frame that its run left."""
    return known(answer(host, WHO))


def suspect(node: Node, gpu: NodeGpu, found: tuple[Known, ...] = ()) -> str:
    """`GPU node-p1-01:0000:1b:00.0 (serial ...)`: what to exchange."""
    told = place_of(gpu, found)
    where = (told.pci if told else gpu.pci) or str(gpu.index)
    serial = f" (serial {told.serial})" if told and told.serial else ""
    return f"GPU {node.name}:{where}{serial}"


def place_of(gpu: NodeGpu, found: tuple[Known, ...]) -> Known | None:
    """The planned GPU among those that answer: by its address where the plan has one."""
    if gpu.pci is not None:
        return next((one for one in found if one.pci == gpu.pci), None)
    return next((one for one in found if one.index == gpu.index), None)


def here(gpu: NodeGpu, found: tuple[Known, ...]) -> Known:
    """The same; Unreadable where it is not there, because then the tool spoke of others."""
    told = place_of(gpu, found)
    if told is None:
        raise Unreadable(f"GPU {gpu.index} ({gpu.pci}) is not among those that nvidia-smi lists")
    return told
