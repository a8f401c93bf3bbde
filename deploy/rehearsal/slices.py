"""Which part of a site its twin is: fewer pods, nodes and spines, of every sort still some.

The maxima stay: names, addresses and AS numbers are counted with them (`topology.maxima`), so those
that stay have their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from deploy.errors import RailbedError

# Two of each show what one cannot: another rack, another way, what is shared.
_ENOUGH = 2
MOST_MACHINES = 45  # in some 3 GB


@dataclass(frozen=True, slots=True)
class Slice:
    """How many of each are built; None: as many as the site has."""

    pods: int | None = None
    nodes_per_pod: int | None = None
    spines: int | None = None
    servers_per_group: int | None = None


WHOLE = Slice()


def sizes(asked: Slice) -> Iterator[Slice]:
    """The slice that was asked for, then smaller and smaller ones, of what was not said."""
    yield asked
    nodes = asked.nodes_per_pod or _ENOUGH
    servers = asked.servers_per_group or 1
    for pods, spines in (
        (asked.pods, asked.spines),
        (asked.pods or _ENOUGH, asked.spines),
        (asked.pods or _ENOUGH, asked.spines or _ENOUGH),
        (asked.pods or 1, asked.spines or _ENOUGH),
    ):
        yield Slice(pods, nodes, spines, servers)
    yield Slice(asked.pods or 1, asked.nodes_per_pod or 1, asked.spines or 1, servers)


def sliced(fabric: Mapping[str, Any], of: Slice) -> dict[str, Any]:
    """A `fabric.yml` of the slice, or of all that the site has where that is less."""
    made = deepcopy(dict(fabric))
    for key, count in _counts(of).items():
        made["topology"][key] = min(count, made["topology"][key])
    for plane in ("storage", "business"):
        switches = (made.get(plane) or {}).get("switches") or {}
        if of.spines is not None and "spines" in switches:
            switches["spines"] = min(of.spines, switches["spines"])
    for group in (made.get("servers") or {}).values():
        if of.servers_per_group is not None:
            group["count"] = min(of.servers_per_group, group["count"])
    return made


def refuse_more(fabric: Mapping[str, Any], asked: Slice) -> None:
    """Raise RailbedError where a person asks for more than the site has."""
    for key, count in _counts(asked).items():
        if count > (built := fabric["topology"][key]):
            raise RailbedError(f"the site has {built} {key}, {count} are asked for")


def _counts(of: Slice) -> dict[str, int]:
    """What is said of each count of `topology`."""
    said = {"pods": of.pods, "nodes_per_pod": of.nodes_per_pod, "spines": of.spines}
    return {key: count for key, count in said.items() if count is not None}
