"""Versions that are equal on all nodes of a profile: what each node runs, and who is the odd one.

A fleet that is half upgraded behaves as neither half does, and no node alone shows it. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from inventory.plan import Node
from inventory.reading.fields import Unreadable
from inventory.software.locked import names_of

from .facts import HostFacts, Unread, fact, known
from .wanted import roce_nics

Versions = Mapping[str, str | Unread]


def asks_versions(node: Node) -> bool:
    """Whether the node runs anything whose version the fleet shares."""
    return bool(roce_nics(node)) or node.software.gpu is not None


def versions(node: Node, found: HostFacts) -> dict[str, str | Unread]:
    """What the node runs of all that its profile asks for, by component."""
    return {name: fact(read) for name, read in _readers(node, found)}


def _readers(node: Node, found: HostFacts) -> Iterator[tuple[str, Callable[[], str]]]:
    yield "kernel", lambda: known(found.release)
    if node.software.gpu is not None:
        yield "GPU driver", lambda: known(found.gpu.module)[0]
        if node.software.gpu.nvswitch:
            yield "fabric manager", lambda: known(found.gpu.fabric_manager)
    if roce_nics(node):
        yield "OFED", lambda: _ofed(found)
        for nic in roce_nics(node):
            yield f"firmware of {nic.port}", partial(_firmware, found, nic.port)
    if node.software.collectives:
        yield "NCCL", lambda: _package(found, names_of(node.software.os)["nccl"][0])


def _ofed(found: HostFacts) -> str:
    ofed = known(found.ofed)
    return ofed.version if ofed else "none"


def _firmware(found: HostFacts, port: str) -> str:
    nic = found.nic(port)
    if nic is None:
        raise Unreadable(f"there is no {port}")
    return known(nic.firmware)


def _package(found: HostFacts, name: str) -> str:
    return known(found.packages).get(name, "none")


def odd(mine: Versions, fleet: Mapping[str, Versions]) -> tuple[list[str], list[str]]:
    """What of a node's versions differs from most of its fleet, and what cannot be told.

    `fleet` are the nodes of its profile that could be read, itself among them.
    """
    differs, unknown = [], []
    for name, value in mine.items():
        if isinstance(value, Unread):
            unknown.append(f"{name} is not known: {value}")
            continue
        told = [mapping[name] for mapping in fleet.values() if isinstance(mapping.get(name), str)]
        usual, many = Counter(map(str, told)).most_common(1)[0]
        if value == usual and 2 * many > len(told):
            continue
        if 2 * many <= len(told):
            halves = sorted(Counter(map(str, told)).items())
            unknown.append(f"{name} has no usual version: " + _counts(halves))
        else:
            differs.append(f"{name} is {value}, {usual} on {many} of {len(told)} nodes")
    return differs, unknown


def _counts(some: list[tuple[str, int]]) -> str:
    return ", ".join(f"{value} on {many}" for value, many in some[:4])
