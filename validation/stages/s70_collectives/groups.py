"""Who takes part: groups of 1, 2, 4 ... all nodes, from the plan alone. Pure.

Nodes stand in the order of the fabric, so a small group stays below one leaf and a larger one
crosses to its neighbours first. Every node is in a group of every size: where a size does not
divide the nodes, the last group reaches back over the one before, and runs after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inventory.plan import Node, Plan
from validation.routing.paths import Ports, ports_towards

from .terms import ranks_of, terms_of, tool_of

Group = tuple[str, ...]


def classes(plan: Plan) -> tuple[tuple[Node, ...], ...]:
    """The nodes with rails that can be deployed, by profile, each in the order of the fabric.

    Nodes of two profiles never meet: they have other devices, and another environment.
    """
    absent, found = set(plan.undeployable), dict[str, list[Node]]()
    for node in plan.nodes:
        if node.rails and node.name not in absent:
            found.setdefault(node.profile, []).append(node)
    return tuple(tuple(sorted(found[name], key=_place)) for name in sorted(found))


def _place(node: Node) -> tuple[int, str, int, str]:
    return node.pod, node.rails[0].leaf.device, node.position, node.name


def counts(nodes: Sequence[Node]) -> tuple[int, ...]:
    """How many nodes take part: powers of two, and all. One only where one has something to do."""
    first = terms_of(tool_of(nodes[0])).first if ranks_of(nodes[0]) > 1 else 2
    powers = [2**power for power in range(len(nodes).bit_length()) if 2**power < len(nodes)]
    return tuple(one for one in (*powers, len(nodes)) if one >= first)


def groups(nodes: Sequence[Node], count: int) -> tuple[tuple[Group, ...], ...]:
    """Groups of `count` nodes, in rounds: those of a round share no node."""
    names = [node.name for node in nodes]
    whole = [tuple(names[at : at + count]) for at in range(0, len(names) - count + 1, count)]
    if len(names) % count:
        return tuple(whole), (tuple(names[-count:]),)
    return (tuple(whole),)


def halves(nodes: Sequence[Node]) -> tuple[Group, ...]:
    """Two jobs at once: every second node each, so that both use the same leaves and uplinks."""
    names = [node.name for node in nodes]
    found = tuple(names[0::2]), tuple(names[1::2])
    return found if len(names) >= 4 else ()


class Connected:
    """Whether all nodes of a group reach each other over what is configured."""

    def __init__(self, plan: Plan, configured: frozenset[str]) -> None:
        self._plan, self._configured = plan, configured
        self._towards: dict[str, Ports] = {}

    def __call__(self, group: Group) -> bool:
        """Each rail: every node, its leaf, and a way from the first leaf to every other."""
        if not set(group) <= self._configured:
            return False
        return all(self._meet(sorted(leaves)) for leaves in self._leaves(group))

    def _leaves(self, group: Group) -> Iterator[set[str]]:
        found: dict[int, set[str]] = {}
        for name in group:
            for nic in self._plan.node[name].rails:
                found.setdefault(nic.index, set()).add(nic.leaf.device)
        yield from found.values()

    def _meet(self, leaves: list[str]) -> bool:
        if not set(leaves) <= self._configured:
            return False
        first = leaves[0]
        if len(leaves) > 1 and first not in self._towards:
            self._towards[first] = ports_towards(self._plan, first, self._configured)
        return all(leaf in self._towards[first] for leaf in leaves[1:])
