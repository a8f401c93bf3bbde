"""Which NIC serves which GPU: only by what the evidence says, never by counting up.

A NIC serves a GPU that is behind the same PCIe switches (PIX, else PXB). GPUs that share their
nearest NICs form a group; as many NICs as GPUs are paired in the order of their addresses, and
two ports of one card for each GPU are the two planes of its rail.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .evidence import Gpu, Nic
from .topo import DISTANCES, GpuRow

_NEAR = ("PIX", "PXB")


@dataclass(frozen=True, slots=True)
class Rail:
    """A NIC port that serves a GPU; `nic_plane` is 1 for the second port of its card."""

    gpu: int
    nic: Nic
    nic_plane: int
    distance: str


@dataclass(frozen=True, slots=True)
class Pairs:
    """The rails in the order of the GPUs, what could not be told, and what is wrong."""

    rails: tuple[Rail, ...]
    unknown: tuple[str, ...]
    wrong: tuple[str, ...]


def pair(rows: Sequence[GpuRow], gpus: Sequence[Gpu], nics: dict[str, Nic]) -> Pairs:
    """Pair each GPU with its NIC."""
    near = {row.index: _nearest(row) for row in rows}
    rails: list[Rail] = []
    unknown: list[str] = []
    for group in _groups({gpu: found for gpu, (_, found) in near.items() if found}):
        members = _sorted({one for gpu in group for one in near[gpu][1]}, nics)
        shares = _shares(group, members)
        if shares is None:
            unknown.append(_ambiguous(group, members))
        for gpu, ports in shares or ():
            rails += [Rail(gpu, nic, at, near[gpu][0]) for at, nic in enumerate(ports)]
    wrong = [_far(row) for row in rows if row.nics and not near[row.index][1]]
    wrong += [line for rail in rails if (line := _crossing(rail, gpus))]
    ordered = sorted(rails, key=lambda one: (one.gpu, one.nic_plane))
    return Pairs(tuple(ordered), tuple(unknown), tuple(wrong))


def _nearest(row: GpuRow) -> tuple[str, tuple[str, ...]]:
    for distance in _NEAR:
        if found := tuple(nic for nic, at in row.nics if at == distance):
            return distance, found
    return "", ()


def _groups(near: dict[int, tuple[str, ...]]) -> list[list[int]]:
    """GPUs that share a nearest NIC, directly or by a third one."""
    users: dict[str, set[int]] = defaultdict(set)
    for gpu, nics in near.items():
        for nic in nics:
            users[nic].add(gpu)
    groups: list[list[int]] = []
    left = set(near)
    while left:
        group, border = set(), {min(left)}
        while border:
            group |= border
            border = {one for gpu in border for nic in near[gpu] for one in users[nic]} - group
        groups.append(sorted(group))
        left -= group
    return groups


def _sorted(names: Iterable[str], nics: dict[str, Nic]) -> list[Nic]:
    found = [nics.get(name, Nic(name)) for name in names]
    return sorted(found, key=lambda one: (one.pci or "", len(one.device), one.device))


def _shares(group: list[int], members: list[Nic]) -> list[tuple[int, tuple[Nic, ...]]] | None:
    """GPU to its ports, or None where the evidence leaves a choice."""
    if len(group) > 1 and not all(nic.pci for nic in members):
        return None
    if len(members) == len(group):
        return [(gpu, (nic,)) for gpu, nic in zip(group, members, strict=True)]
    cards: dict[str, list[Nic]] = defaultdict(list)
    for nic in members:
        cards[_card(nic)].append(nic)
    if len(cards) == len(group) and all(len(ports) == 2 for ports in cards.values()):
        return [(gpu, tuple(ports)) for gpu, ports in zip(group, cards.values(), strict=True)]
    return None


def _card(nic: Nic) -> str:
    """What the ports of one card share: the card's GUID, else their PCI slot."""
    return nic.card or (nic.pci.rpartition(".")[0] if nic.pci else nic.device)


def _ambiguous(group: list[int], members: list[Nic]) -> str:
    gpus = " and ".join(f"GPU {gpu}" for gpu in group)
    names = ", ".join(nic.device for nic in members)
    return f"the rails of {gpus}: {names} are equally near, and nothing says which serve them"


def _far(row: GpuRow) -> str:
    distance = min((at for _, at in row.nics), key=DISTANCES.index)
    names = ", ".join(nic for nic, at in row.nics if at == distance)
    what = "on another NUMA node" if distance == "SYS" else "not behind its PCIe switch"
    return f"GPU {row.index} has no NIC near it: {names} at {distance} are {what}"


def _crossing(rail: Rail, gpus: Sequence[Gpu]) -> str:
    gpu = next((one for one in gpus if one.index == rail.gpu), Gpu(rail.gpu))
    if gpu.numa is None or rail.nic.numa is None or gpu.numa == rail.nic.numa:
        return ""
    nic = f"{rail.nic.device} ({rail.nic.pci}) on NUMA node {rail.nic.numa}"
    return f"{nic} serves GPU {gpu.index} ({gpu.pci}) on NUMA node {gpu.numa}"
