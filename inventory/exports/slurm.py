"""Slurm's view of the compute fabric: `topology.conf` and `topology.yaml`, both as a tree.

Slurm allows a node one switch (topology.conf(5)), yet a rail-optimized node hangs on a leaf for
each rail. So what Slurm calls a switch is here a group of switches: the leaves that the same
nodes hang on, then the spines over the same leaves, then the superspines. The groups are read
from the cables, so they hold for every topology.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

from ..plan import Plan, Tier
from .hostlist import hostlist
from .view import ExportError, natural

_TIERS: tuple[Tier, ...] = ("leaf", "spine", "superspine")
_UNEVEN = re.compile(r"(-[a-z]?)?\d*$")


@dataclass(frozen=True, slots=True)
class Group:
    """Switches that Slurm sees as one, over nodes or over other groups, named by what is same."""

    name: str
    nodes: tuple[str, ...]
    groups: tuple[str, ...]


def topology_conf(plan: Plan) -> str:
    """The text of `topology.conf` (topology.conf(5), plugin topology/tree)."""
    lines = [f"# {plan.site}: what is close in the compute fabric (TopologyPlugin=topology/tree)"]
    for group in groups(plan):
        what = f"Nodes={hostlist(group.nodes)}" if group.nodes else _over(group)
        lines.append(f"SwitchName={group.name} {what}")
    return "\n".join([*lines, ""])


def _over(group: Group) -> str:
    return f"Switches={hostlist(group.groups)}"


def topology_yaml(plan: Plan) -> str:
    """The text of `topology.yaml` (topology.yaml(5), from Slurm 25.05 on)."""
    lines = [
        f"# {plan.site}: what is close in the compute fabric",
        "---",
        f"- topology: {plan.site}",
        "  cluster_default: true",
        "  tree:",
        "    switches:",
    ]
    for group in groups(plan):
        key, inside = ("nodes", group.nodes) if group.nodes else ("children", group.groups)
        lines += [f"      - switch: {group.name}", f'        {key}: "{hostlist(inside)}"']
    return "\n".join([*lines, ""])


def groups(plan: Plan) -> tuple[Group, ...]:
    """The groups of every tier, from the leaves up; a tier that joins nothing is left out."""
    inside = {node.name: [node.name] for node in plan.nodes if node.rails}
    if not inside:
        raise ExportError(f"{plan.site} has no nodes with rails, so Slurm has nothing to place")
    out: list[Group] = []
    for tier in _TIERS:
        joined = _join(plan, tier, inside)
        if out and len(joined) == len(inside):
            inside = {members[0]: switches for switches, members in joined}
        elif joined:
            made = _named(joined, over_nodes=not out)
            inside = {one.name: switches for one, (switches, _) in zip(made, joined, strict=True)}
            out += made
    return tuple(out)


def _join(
    plan: Plan, tier: Tier, inside: dict[str, list[str]]
) -> list[tuple[list[str], list[str]]]:
    """Members that share a switch of `tier`, with those switches; sorted by name."""
    above = _above(plan, tier)
    leader = {name: name for name in inside}

    def find(name: str) -> str:
        while leader[name] != name:
            leader[name] = leader[leader[name]]
            name = leader[name]
        return name

    over: dict[str, set[str]] = {
        name: {up for device in devices for up in above[device]} for name, devices in inside.items()
    }
    first: dict[str, str] = {}
    for name, switches in over.items():
        for switch in switches:
            leader[find(name)] = find(first.setdefault(switch, name))
    members: dict[str, list[str]] = defaultdict(list)
    for name in inside:
        members[find(name)].append(name)
    joined = [
        (sorted({up for one in them for up in over[one]}, key=natural), sorted(them, key=natural))
        for them in members.values()
    ]
    return sorted((one for one in joined if one[0]), key=lambda one: natural(one[0][0]))


def _above(plan: Plan, tier: Tier) -> dict[str, set[str]]:
    """The compute switches of `tier` that a device is cabled to."""
    of_tier = {switch.name for switch in plan.switches if switch.tier == tier}
    above: dict[str, set[str]] = defaultdict(set)
    for cable in plan.cables:
        if cable.plane != "compute":
            continue
        for low, up in ((cable.a, cable.b), (cable.b, cable.a)):
            if up.device in of_tier and low.device not in of_tier:
                above[low.device].add(up.device)
    return above


def _named(joined: list[tuple[list[str], list[str]]], over_nodes: bool) -> list[Group]:
    """Groups by what their switches' names share, or by the first switch where that is taken."""
    names = [shared_name(switches) for switches, _ in joined]
    out = []
    for name, (switches, members) in zip(names, joined, strict=True):
        own = name if names.count(name) == 1 else switches[0]
        below = tuple(members)
        out.append(Group(own, below, ()) if over_nodes else Group(own, (), below))
    return out


def shared_name(switches: list[str]) -> str:
    """What the names of switches have in common: leaf-p1 for leaf-p1-r0 and leaf-p1-r1."""
    if len(switches) == 1:
        return switches[0]
    shortest = min(map(len, switches))
    same = next(
        (at for at in range(shortest) if len({name[at] for name in switches}) > 1), shortest
    )
    return _UNEVEN.sub("", switches[0][:same]) or switches[0]
