"""A golden node's saved outputs to a profile: what they say, what they leave open, what is wrong.

Pure: text in, text out. What no output says is named, never guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from typing import TypeVar

from inventory.load.refused import why_refused

from .evidence import COMMANDS, IBV, LINKS, LSPCI, NUMA, OPTIONAL, TOPO, Gpu, Nic, Unreadable
from .ibv import RdmaDevice, parse_ibv
from .links import Link, parse_links, parse_numa
from .lspci import PciDevice, parse_lspci
from .pairs import Pairs, Rail, pair
from .topo import GpuRow, parse_topo
from .write import Golden, to_yaml

__all__ = ["COMMANDS", "Golden", "golden_node", "to_yaml"]

Read = TypeVar("Read")


def golden_node(
    texts: Mapping[str, str], name: str, origin: str, management_port: str = ""
) -> Golden:
    """Return what the outputs of one node say; `texts` maps file names (`COMMANDS`) to contents.

    `origin` says whose outputs these are, for the profile's source.
    """
    unknown: list[str] = []
    pci = _read(texts, LSPCI, parse_lspci, unknown) or ()
    rows = _read(texts, TOPO, parse_topo, unknown) or ()
    rdma = _read(texts, IBV, parse_ibv, unknown) or ()
    links = _read(texts, LINKS, parse_links, unknown) or ()
    numa = {device.address: device.numa for device in pci if device.numa is not None}
    numa |= _read(texts, NUMA, parse_numa, unknown) or {}
    gpus, odd = _gpus([device for device in pci if device.kind == "gpu"], rows, numa)
    nics = {nic.device: nic for nic in _nics(rdma, rows, links, numa)}
    pairs = pair(rows, gpus, nics)
    unknown += [*_open(pairs, gpus, nics), *_unasked(management_port)]
    others = tuple(nic for nic in nics.values() if nic not in [rail.nic for rail in pairs.rails])
    refused = [why for device in pci if (why := why_refused(device.name))][:1]
    wrong = (*refused, *odd, *pairs.wrong)
    return Golden(name, origin, management_port, gpus, pairs.rails, others, tuple(unknown), wrong)


def _read(
    texts: Mapping[str, str], name: str, parse: Callable[[str], Read], unknown: list[str]
) -> Read | None:
    if name not in texts:
        if name not in OPTIONAL:
            unknown.append(f"what `{COMMANDS[name]}` says: there is no {name}")
        return None
    try:
        return parse(texts[name])
    except Unreadable as error:
        unknown.append(f"what `{COMMANDS[name]}` says: {name}: {error}")
        return None


def _gpus(
    found: list[PciDevice], rows: tuple[GpuRow, ...], numa: Mapping[str, int]
) -> tuple[tuple[Gpu, ...], list[str]]:
    """GPUs by index. nvidia-smi counts them in the order of their PCI addresses."""
    if found and rows and len(found) != len(rows):
        odd = f"lspci shows {len(found)} GPUs and nvidia-smi {len(rows)}: one is lost to its driver"
        return tuple(Gpu(row.index, None, row.numa) for row in rows), [odd]
    said = {row.index: row.numa for row in rows}
    wrong: list[str] = []
    gpus: list[Gpu] = []
    for index in range(len(found) or len(rows)):
        address = found[index].address if found else None
        node, other = said.get(index), numa.get(address or "")
        if node is not None and other is not None and node != other:
            wrong.append(f"GPU {index} ({address}) is on NUMA node {other}, nvidia-smi says {node}")
        gpus.append(Gpu(index, address, other if node is None else node))
    return tuple(gpus), wrong


def _nics(
    rdma: tuple[RdmaDevice, ...],
    rows: tuple[GpuRow, ...],
    links: tuple[Link, ...],
    numa: Mapping[str, int],
) -> Iterator[Nic]:
    """RDMA devices of ibv_devinfo, and those that only nvidia-smi names."""
    for one in rdma:
        link = next((link for link in links if one.mac in link.macs), None)
        nic = Nic(one.name, rate_gbps=one.rate_gbps, card=one.card)
        if link:
            nic = replace(nic, port=link.name, pci=link.pci, numa=numa.get(link.pci or ""))
        yield nic
    known = {device.name for device in rdma}
    yield from (Nic(name) for row in rows[:1] for name, _ in row.nics if name not in known)


def _open(pairs: Pairs, gpus: tuple[Gpu, ...], nics: Mapping[str, Nic]) -> Iterator[str]:
    yield from pairs.unknown
    if gpus and not pairs.rails and not pairs.unknown and not pairs.wrong:
        yield "the rails: nothing says which NIC is near which GPU"
    if gpus and not nics:
        yield "the NICs: no RDMA device is named"
    for gpu in gpus:
        if gpu.pci is None or gpu.numa is None:
            yield f"the {'PCI address' if gpu.pci is None else 'NUMA node'} of GPU {gpu.index}"
    for device, rails in groupby(pairs.rails, key=lambda one: one.nic.device):
        yield from _open_fields(device, next(rails))


def _open_fields(device: str, rail: Rail) -> Iterator[str]:
    nic = rail.nic
    if nic.port is None:
        yield f"the port of {device}: no interface has the MAC in its GUID"
    elif nic.pci is None:
        yield f"the PCI address of {device}: `ip -j -d link` has no parentdev (iproute2 5.14)"
    elif nic.numa is None:
        yield f"the NUMA node of {device}: neither `lspci -v` nor {NUMA} says it"
    if nic.rate_gbps is None:
        yield f"the rate of {device}: `ibv_devinfo -v` of an active port says it"


def _unasked(management_port: str) -> Iterator[str]:
    if not management_port:
        yield "the management port: say it by --management-port"
