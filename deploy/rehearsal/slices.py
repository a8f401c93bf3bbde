"""Which part of a site its twin is: fewer pods, nodes and spines, of every sort still some.

The maxima stay: names, addresses and AS numbers are counted with them (`topology.maxima`), so those
that stay have their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from deploy.errors import RailbedError

from .kept import Kept, built_pods, narrow
from .twin import LeftOut

# Two of each show what one cannot: another rack, another way, what is shared.
_ENOUGH = 2
MOST_MACHINES = 45  # in some 3 GB


@dataclass(frozen=True, slots=True)
class Slice:
    """How many of each are built; None: as many as the site has.

    `keep` names pods, racks or nodes of pods of which alone it is; empty: from the first pod on.
    """

    pods: int | None = None
    nodes_per_pod: int | None = None
    spines: int | None = None
    servers_per_group: int | None = None
    keep: tuple[str, ...] = ()


WHOLE = Slice()


def sizes(asked: Slice) -> Iterator[Slice]:
    """The slice that was asked for, then smaller and smaller ones, of what was not said."""
    yield asked
    nodes = asked.nodes_per_pod or _ENOUGH
    servers = asked.servers_per_group or 1
    named = bool(asked.keep)  # pods that a person names all stay
    for pods, spines in (
        (asked.pods, asked.spines),
        (asked.pods if named else asked.pods or _ENOUGH, asked.spines),
        (asked.pods if named else asked.pods or _ENOUGH, asked.spines or _ENOUGH),
        (asked.pods if named else asked.pods or 1, asked.spines or _ENOUGH),
    ):
        yield replace(
            asked, pods=pods, nodes_per_pod=nodes, spines=spines, servers_per_group=servers
        )
    yield replace(
        asked,
        pods=asked.pods if named else asked.pods or 1,
        nodes_per_pod=asked.nodes_per_pod or 1,
        spines=asked.spines or 1,
        servers_per_group=servers,
    )


def unlimited(fabric: Mapping[str, Any], of: Slice) -> tuple[LeftOut, ...]:
    """What a slice of fewer spines is not held to, though its site is."""
    asked = [fabric["topology"]]
    asked += [(fabric.get(plane) or {}).get("switches") for plane in ("storage", "business")]
    said = any(isinstance(one, Mapping) and one.get("oversubscription") for one in asked)
    why = "a slice has fewer spines, and not fewer ports below"
    return (LeftOut("limits of oversubscription", why),) if said and of.spines else ()


def sliced(fabric: Mapping[str, Any], of: Slice, kept: Kept | None = None) -> dict[str, Any]:
    """A `fabric.yml` of the slice, or of all that the site has where that is less.

    `kept` is what the names of the slice mean.
    """
    made = deepcopy(dict(fabric))
    topology = made["topology"]
    pods = kept.pods if kept else built_pods(topology)
    narrow(topology, pods[: of.pods], kept, of.nodes_per_pod or topology["nodes_per_pod"])
    if of.spines is not None:
        topology["spines"] = min(of.spines, topology["spines"])
        topology.pop("oversubscription", None)
    for plane in ("storage", "business"):
        switches = (made.get(plane) or {}).get("switches") or {}
        if of.spines is not None and "spines" in switches:
            switches["spines"] = min(of.spines, switches["spines"])
            switches.pop("oversubscription", None)
    for group in (made.get("servers") or {}).values():
        if of.servers_per_group is not None:
            group["count"] = min(of.servers_per_group, group["count"])
    return made


def refuse_more(fabric: Mapping[str, Any], asked: Slice) -> None:
    """Raise RailbedError where a person asks for more than the site has."""
    topology = fabric["topology"]
    for key, built, count in (
        ("pods", len(built_pods(topology)), asked.pods),
        ("nodes_per_pod", topology["nodes_per_pod"], asked.nodes_per_pod),
        ("spines", topology["spines"], asked.spines),
    ):
        if count is not None and count > built:
            raise RailbedError(f"the site has {built} {key}, {count} are asked for")
