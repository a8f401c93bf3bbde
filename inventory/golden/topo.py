"""`nvidia-smi topo -m`: how near each GPU is to each NIC.

Format: `nvidia-smi topo --help` and the legend that it prints. From near to far: PIX (one PCIe
bridge), PXB (several), PHB (the host bridge), NODE (bridges of one NUMA node), SYS (the link
between NUMA nodes). NICs are columns: `NIC0` with a legend below, or the RDMA device itself in
older drivers. Some terminals underline the header.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .evidence import Unreadable, whole

DISTANCES = ("PIX", "PXB", "PHB", "NODE", "SYS")
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
_LEGEND = re.compile(r"\s*(NIC\d+): (\S+)\s*")
_GPU = re.compile(r"GPU([0-9]{1,3})")
_NODES = re.compile(r"N/A|[0-9]{1,4}(-[0-9]{1,4})?(,[0-9]{1,4}(-[0-9]{1,4})?)*")
_NIC = re.compile(r"NIC[0-9]+")
_NODE = re.compile(r"[0-9]{1,3}")


@dataclass(frozen=True, slots=True)
class GpuRow:
    """One GPU: the distance to each NIC (RDMA device), and its NUMA node where it says one."""

    index: int
    numa: int | None
    nics: tuple[tuple[str, str], ...]


def parse_topo(text: str) -> tuple[GpuRow, ...]:
    """Return the GPUs by index; raises Unreadable without a whole matrix.

    It is whole where each GPU of the heading has a row, and each row an X at its own place.
    """
    lines = _ESCAPES.sub("", text).splitlines()
    names = {one[1]: one[2] for line in lines if (one := _LEGEND.fullmatch(line))}
    rows = [line.split() for line in lines if _GPU.match(line.strip())]
    header = next((row for row in rows if "CPU" in row), None)
    if header is None:
        raise Unreadable("no matrix of nvidia-smi topo -m in it")
    columns = header[: header.index("CPU")]
    untold = sorted(at for at in columns if _NIC.fullmatch(at) and at not in names)
    if untold:
        raise Unreadable(f"its legend does not name {untold[0]}")
    cells = [_row(row, columns, names, "NUMA" in header) for row in rows if row is not header]
    found = tuple(sorted(cells, key=lambda one: one.index))
    named = [whole(one[1]) for at in columns if (one := _GPU.fullmatch(at))]
    if not found or not [row.index for row in found] == named == list(range(len(found))):
        raise Unreadable("rows of GPUs are missing in it")
    return found


def _row(row: list[str], columns: list[str], names: dict[str, str], tells_numa: bool) -> GpuRow:
    cells, rest = row[1 : len(columns) + 1], row[len(columns) + 1 :]
    index = _GPU.fullmatch(row[0])
    if index is None or len(cells) < len(columns):
        raise Unreadable(f"the row of {row[0]} is not whole")
    near = list(zip(columns, cells, strict=True))
    if [at for at, cell in near if cell == "X"] != [row[0]]:
        raise Unreadable(f"the row of {row[0]} does not fit its heading")
    nics = tuple((names.get(at, at), cell) for at, cell in near if not _GPU.fullmatch(at))
    wrong = sorted({cell for _, cell in nics} - set(DISTANCES))
    if wrong:
        raise Unreadable(f"{row[0]} is at the unknown distance {wrong[0]}")
    # After the matrix: CPU affinity, NUMA affinity, GPU NUMA ID. A virtual machine names several.
    told = rest[1] if len(rest) > 1 else ""
    if tells_numa and not _NODES.fullmatch(told):
        raise Unreadable(f"{row[0]} is on the NUMA node {told[:20]!r}")
    numa = whole(told) if _NODE.fullmatch(told) else None
    return GpuRow(whole(index[1]), numa, nics)
