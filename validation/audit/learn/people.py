"""Nodes and groups of servers: how many, of which kind, in which pod or group, under which name."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from inventory.plan import Plane as PlaneWord
from inventory.schema import NodeProfile

from .guess import Notes
from .hosts import group_name, nic_profile
from .planes import Fabrics
from .seen import HostEnd

_USUAL_PER_GROUP = 64


@dataclass(frozen=True, slots=True)
class ServerGroup:
    """Servers of one block beside the pods."""

    name: str
    id: int
    profile: str
    count: int


@dataclass(frozen=True)
class People:
    """Who is below the leaves. `nodes` says pod and number (from 1) of each node.

    `pods_per_block` is by plane, `per_unit` and `per_pod` are the most nodes of a unit and a pod.
    """

    nodes: Mapping[str, tuple[int, int]]
    nodes_per_pod: int
    per_unit: int
    pods_per_block: Mapping[PlaneWord, int]
    groups: tuple[ServerGroup, ...]
    max_groups: int
    absent: tuple[tuple[int, int], ...]


def people(found: Fabrics, shelf: Mapping[str, NodeProfile], notes: Notes) -> People:
    """Nodes by the ports of compute leaves, servers by the blocks of other leaves."""
    compute = found.by_plane["compute"]
    votes: dict[str, Counter[tuple[int, int]]] = defaultdict(Counter)
    for end in compute.group.hosts:
        place = compute.place(end)
        if end.host and place:
            unit = compute.places.unit(end.box)
            number = (unit - 1) * compute.nodes_per_unit + place
            votes[end.host][compute.places.pod(end.box), number] += 1
    nodes = {host: seen.most_common(1)[0][0] for host, seen in votes.items()}
    for host, seen in votes.items():
        if len(seen) > 1:
            notes.unsaid.append(f"{host}: its NICs are on unlike ports, {sorted(seen)}")
    most = max((number for _, number in nodes.values()), default=0)
    seats = set(nodes.values())
    pods = {pod for pod, _ in seats}
    absent = tuple(
        (pod, number)
        for pod in sorted(pods)
        for number in range(1, most + 1)
        if (pod, number) not in seats
    )
    if not nodes:
        most = max(
            (len({e.port.name for e in mine}) for mine in compute.group.at.values()), default=1
        )
        most = max(most // compute.per_slot, 1)
        notes.say("topology.nodes_per_pod", most, "guess", "ports of a leaf: no host is named")
    else:
        by = f"ports of {len(nodes)} hosts"
        notes.say("topology.nodes_per_pod", most, "likely", by, *_few(absent))
    blocks = _blocks(found, nodes)
    groups, max_groups = _groups(found, nodes, blocks, shelf, notes)
    return People(nodes, most, _per_unit(found, blocks), blocks, groups, max_groups, absent)


def _per_unit(found: Fabrics, blocks: Mapping[PlaneWord, int]) -> int:
    """The most nodes of a unit: a cage may be split finer than they need, so all planes count."""
    compute = found.by_plane["compute"]
    most = compute.nodes_per_unit
    for word, one in found.by_plane.items():
        room = one.nodes_per_unit // blocks[word] // compute.places.units
        if word != "compute" and compute.least_per_unit <= room:
            most = min(most, room)
    return most


def _few(absent: tuple[tuple[int, int], ...]) -> list[str]:
    return [f"no node {number} in pod {pod}" for pod, number in absent[:5]]


def _blocks(found: Fabrics, nodes: Mapping[str, tuple[int, int]]) -> dict[PlaneWord, int]:
    """By plane: pods that share a set of leaves."""
    out: dict[PlaneWord, int] = {}
    for word, one in found.by_plane.items():
        pods: dict[int, set[int]] = defaultdict(set)
        for end in one.group.hosts:
            if end.host in nodes and word != "compute":
                pods[one.places.pod(end.box)].add(nodes[end.host][0])
        out[word] = max(map(len, pods.values()), default=1)
    return out


def _groups(
    found: Fabrics,
    nodes: Mapping[str, tuple[int, int]],
    blocks: Mapping[PlaneWord, int],
    shelf: Mapping[str, NodeProfile],
    notes: Notes,
) -> tuple[tuple[ServerGroup, ...], int]:
    """Servers beside the pods, and how many groups there is room for."""
    ends: dict[int, dict[str, list[HostEnd]]] = defaultdict(lambda: defaultdict(list))
    numbers: dict[int, int] = defaultdict(int)
    room = 0
    max_pods = found.most["compute"].pods
    for word, one in found.by_plane.items():
        if word == "compute":
            continue
        base = -(-max_pods // blocks[word])
        room = max(room, found.most[word].pods - base)
        for end in one.group.hosts:
            block = one.places.pod(end.box)
            if not end.host or end.host in nodes or block <= base:
                continue
            plane = "business" if found.shared and end.port.vlans else word
            ends[block - base][plane].append(end)
            numbers[block - base] = max(numbers[block - base], one.place(end))
    taken: set[str] = set()
    out = []
    for id_, planes in sorted(ends.items()):
        name = group_name({end.host for mine in planes.values() for end in mine})
        name = name if name not in taken else f"{name}_{id_}"
        taken.add(name)
        profile, by = nic_profile(planes, {n: p for n, p in shelf.items() if not p.rails})
        if not profile:
            notes.unsaid.append(f"servers {name}: no profile of a server has their NICs")
            continue
        notes.say(f"servers.{name}", f"{numbers[id_]} of {profile}", "likely", by)
        out.append(ServerGroup(name, id_, profile, max(numbers[id_], 1)))
    return tuple(out), max(room, max((one.id for one in out), default=0), 0)
