"""Which engine changes which node: the site's, or that of a group the node is in."""

from __future__ import annotations

from collections.abc import Iterator

from inventory.model import Fabric
from inventory.nodes.groups import node_groups
from inventory.plan import Engine
from inventory.problems import Problem, close_to
from inventory.topology.population import NodeAt


def engine_at(fabric: Fabric, at: NodeAt) -> Engine:
    """The engine of the node at this place, of a fabric that `check` found no problem in."""
    chosen = _choices(fabric, at)
    return next(iter(chosen.values()), fabric.intent.engine)


def engine_groups_are_known(fabric: Fabric) -> Iterator[Problem]:
    """A group without nodes would choose nothing, and nobody would notice."""
    if not fabric.intent.engine_groups:
        return
    known = {name for at in fabric.population.nodes.values() for name in groups_at(fabric, at)}
    for group in fabric.intent.engine_groups:
        if group not in known:
            path = ("engine_groups", group)
            hint = close_to(group, known) or "groups of nodes: " + ", ".join(sorted(known)[:12])
            yield fabric.problem(path, f"`{group}`", "a group that has nodes", hint)


def engine_groups_agree(fabric: Fabric) -> Iterator[Problem]:
    """A node has one owner: two groups of it that name two engines would leave it to chance."""
    if not fabric.intent.engine_groups:
        return
    told: set[str] = set()
    for name, at in fabric.population.nodes.items():
        chosen = _choices(fabric, at)
        last = next(reversed(chosen), "")
        if len(set(chosen.values())) > 1 and last not in told:
            told.add(last)
            others = ", ".join(f"`{group}`" for group in chosen if group != last)
            found = f"another engine than {others} of the same node {name}"
            yield fabric.problem(("engine_groups", last), found, "one engine for each node")


def _choices(fabric: Fabric, at: NodeAt) -> dict[str, Engine]:
    if not fabric.intent.engine_groups:
        return {}
    mine = set(groups_at(fabric, at))
    return {group: engine for group, engine in fabric.intent.engine_groups.items() if group in mine}


def groups_at(fabric: Fabric, at: NodeAt) -> tuple[str, ...]:
    """Every group of the node at this place."""
    population = fabric.population
    profile = population.profile_of(at)
    rails = sorted(
        {landing.rail for landing in fabric.compute.services[0].landings.get(profile, ())}
    )
    return node_groups(at.pod, population.rack(at), profile, rails, population.kind_of(at))
