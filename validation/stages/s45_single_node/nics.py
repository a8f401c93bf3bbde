"""Every RDMA NIC of a node with every NUMA node and every GPU of it: the ways that PCIe leaves.

A NIC sends to itself: what it reads from memory, it writes there again. So slot, lanes, IOMMU and
the link between sockets are loaded, and no cable.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address

from inventory.plan import Node

MESSAGE_BYTES = 8 * 2**20  # of Azure's loopback check, whose shares are our limits
QPS = 2
FIRST_PORT = 21500  # behind those of the pairs, below Linux's ephemeral ones


@dataclass(frozen=True, slots=True, order=True)
class NicPath:
    """A NIC and one end of its transfers: NUMA node `numa`, or `gpu` on that NUMA node.

    `near`: both hang on one NUMA node; None where the profile does not tell the NIC's. `number`
    counts the ways of the node: each has a TCP port of its own.
    """

    number: int
    port: str
    device: str
    pci: str | None
    address: IPv4Address
    rate_gbps: float
    numa: int
    gpu: int | None
    near: bool | None

    @property
    def end(self) -> str:
        """`NUMA node 1`, or `GPU 3`."""
        return f"NUMA node {self.numa}" if self.gpu is None else f"GPU {self.gpu}"

    @property
    def id(self) -> str:
        """`mlx5_0:numa1`, or `mlx5_0:gpu3`."""
        return f"{self.device}:{'numa' if self.gpu is None else 'gpu'}{self._at}"

    @property
    def _at(self) -> int:
        return self.numa if self.gpu is None else self.gpu

    @property
    def tcp_port(self) -> int:
        """The port of its server."""
        return FIRST_PORT + self.number


@dataclass(frozen=True, slots=True)
class _Nic:
    port: str
    device: str
    pci: str | None
    address: IPv4Address
    rate_gbps: float
    numa: int | None


def paths(node: Node) -> tuple[NicPath, ...]:
    """Each RDMA NIC with an address: to each NUMA node that the profile names, and to each GPU."""
    ends = [(numa, None) for numa in node.numa] + [(gpu.numa, gpu.index) for gpu in node.gpus]
    found = [(nic, numa, gpu) for nic in _nics(node) for numa, gpu in ends]
    return tuple(
        NicPath(
            number=at,
            port=nic.port,
            device=nic.device,
            pci=nic.pci,
            address=nic.address,
            rate_gbps=nic.rate_gbps,
            numa=numa,
            gpu=gpu,
            near=None if nic.numa is None else nic.numa == numa,
        )
        for at, (nic, numa, gpu) in enumerate(found)
    )


def _nics(node: Node) -> Iterator[_Nic]:
    for rail in node.rails:
        if rail.rdma_device:
            yield _Nic(
                rail.port, rail.rdma_device, rail.pci, rail.address.ip, rail.rate_gbps, rail.numa
            )
    for nic in node.nics:
        if nic.rdma_device and nic.plane == "storage" and nic.address:
            yield _Nic(nic.port, nic.rdma_device, nic.pci, nic.address.ip, nic.rate_gbps, nic.numa)
