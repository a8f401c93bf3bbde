"""The files of a golden node's evidence, and what is said of one that cannot be read."""

from __future__ import annotations

import re
from dataclasses import dataclass

from inventory.problems import ExpectedError

LSPCI = "lspci.txt"
TOPO = "nvidia-smi-topo-m.txt"
IBV = "ibv_devinfo.txt"
LINKS = "ip-j-link.json"
NUMA = "numa.txt"

COMMANDS = {
    LSPCI: "lspci -Dnnv",
    TOPO: "nvidia-smi topo -m",
    IBV: "ibv_devinfo -v",
    LINKS: "ip -j -d link",
    NUMA: 'for d in /sys/bus/pci/devices/*; do echo "${d##*/} $(cat "$d/numa_node")"; done',
}
"""What to run on the node for each file; `numa.txt` only where `lspci` names no NUMA node."""
OPTIONAL = frozenset({NUMA})


_WHOLE, _REAL = re.compile(r"-?[0-9]{1,4}"), re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,4})?")


class Unreadable(ExpectedError, ValueError):
    """Output that is not what its tool prints; nothing follows from it."""


def whole(said: str) -> int:
    """A number without a fraction, as short as these tools print them. Raises Unreadable."""
    if not _WHOLE.fullmatch(said):
        raise Unreadable(f"{said[:40]!r} is no number")
    return int(said)


def real(said: str) -> float:
    """The same of a rate."""
    if not _REAL.fullmatch(said):
        raise Unreadable(f"{said[:40]!r} is no rate")
    return float(said)


@dataclass(frozen=True, slots=True)
class Nic:
    """One RDMA port of the node, from all that speaks of it; None where nothing does.

    `card` is the same for the ports of one card. `rate_gbps` is that of the active link, Gb/s.
    """

    device: str
    port: str | None = None
    pci: str | None = None
    numa: int | None = None
    rate_gbps: float | None = None
    card: str | None = None


@dataclass(frozen=True, slots=True)
class Gpu:
    """One GPU by its index of nvidia-smi."""

    index: int
    pci: str | None = None
    numa: int | None = None
