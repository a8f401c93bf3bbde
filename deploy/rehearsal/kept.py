"""Which part of a site a person names: pods, racks or nodes, by their names in its inventory."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deploy.errors import RailbedError
from inventory.nodes.hostvars import groups
from inventory.plan import Node, Plan
from inventory.problems import close_to

_SHOWN = 32


@dataclass(frozen=True, slots=True)
class Kept:
    """The nodes of pods that stay, by pod and in order, and those of the same pods that do not."""

    stay: Mapping[int, tuple[str, ...]]
    go: frozenset[str]
    highest: int

    @property
    def pods(self) -> tuple[int, ...]:
        """The pods of which some node stays, ascending."""
        return tuple(sorted(self.stay))


def as_names(asked: Sequence[str], pods: int | None = None) -> tuple[str, ...]:
    """`--slice pod_1 --slice pod_3` and `--slice pod_1,pod_3` alike, each name once.

    RailbedError where none is named, or `pods` are counted, too.
    """
    parts = (name.strip() for one in asked for name in one.split(","))
    names = tuple(dict.fromkeys(name for name in parts if name))
    if asked and not names:
        raise RailbedError("--slice names nothing", hint="like --slice pod_1,pod_3")
    if names and pods is not None:
        raise RailbedError("--slice names pods and --pods counts them", hint="leave out one")
    return names


def kept(plan: Plan, names: Sequence[str], site: str) -> Kept:
    """What stays by these names; RailbedError for one that means no node of a pod.

    `site` is what people typed for it.
    """
    nodes = {one.name: one for one in plan.nodes if one.pod}
    known = _known(plan, nodes)
    chosen: set[str] = set()
    for name in names:
        if name not in known:
            raise _unknown(site, name, known)
        chosen |= {*known[name]}
    stay: dict[int, tuple[str, ...]] = {}
    for node in nodes.values():
        if node.name in chosen:
            stay[node.pod] = (*stay.get(node.pod, ()), node.name)
    go = {one.name for one in nodes.values() if one.pod in stay} - chosen
    return Kept(stay, frozenset(go), max(nodes[name].position for name in chosen))


def _known(plan: Plan, nodes: Mapping[str, Node]) -> dict[str, tuple[str, ...]]:
    """Nodes by every name that may stand for them: `pod_3`, `rack_p3_1`, and their own."""
    known = {
        name: here
        for name, members in groups(plan).items()
        if name.startswith(("pod_", "rack_"))
        and (here := tuple(one for one in members if one in nodes))
    }
    return known | {name: (name,) for name in nodes}


def _unknown(site: str, name: str, known: Collection[str]) -> RailbedError:
    """It says which names there are: the pods, then how the others look."""
    pods = sorted((one for one in known if one.startswith("pod_")), key=lambda one: int(one[4:]))
    more = f" and {len(pods) - _SHOWN} more" if len(pods) > _SHOWN else ""
    others = [next((one for one in sorted(known) if one.startswith(word)), "")
              for word in ("rack_", "node-")]  # fmt: skip
    parts = [f"{', '.join(pods[:_SHOWN])}{more}", *filter(None, others)]
    hint = f"there are {parts[0]}; also racks and nodes, like {' or '.join(parts[1:])}"
    said = f"--slice {name}: no pod, rack or node of a pod of {site}"
    close = close_to(name, known)
    return RailbedError(said, hint=f"{close} {hint}" if close.startswith("did you mean") else hint)


def built_pods(topology: Mapping[str, Any]) -> tuple[int, ...]:
    """The pods that a `topology` of fabric.yml builds."""
    return tuple(sorted(topology.get("only_pods") or range(1, topology["pods"] + 1)))


def narrow(topology: dict[str, Any], pods: tuple[int, ...], of: Kept | None, most: int) -> None:
    """Leave these pods in a `topology`, and of nodes those that stay, at most so many of each."""
    if pods == tuple(range(1, len(pods) + 1)):
        topology.pop("only_pods", None)
        topology["pods"] = len(pods)
    else:
        topology["only_pods"] = list(pods)
    if of is None or not of.go:
        topology["nodes_per_pod"] = min(most, topology["nodes_per_pod"])
        return
    more = {name for pod in pods for name in of.stay[pod][most:]}
    topology["nodes_per_pod"] = of.highest
    topology["absent"] = sorted({*topology.get("absent", ()), *of.go, *more})
