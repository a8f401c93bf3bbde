"""What a site loses when any one cable, switch, rack, power strip, feed or plane of it fails.

Parts that would do the same are asked once: switches and cables by `fabric.symmetry`, racks and
feeds where they hold as many switches of each such kind, of as many pods.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from inventory.plan import Plan
from validation.audit.network import Network
from validation.fabric.failures import Loss, Whole
from validation.fabric.symmetry import alike

from .parts import Part, parts


@dataclass(frozen=True, slots=True)
class SiteLoss:
    """What the failure of `name`, and of each of `count` parts like it, takes away.

    `kind` is what it is (`leaf`, `cable of a leaf and a spine`, `rack`); `switches` and `nodes` are
    how many are gone with it, `loss` what that does to all others.
    """

    kind: str
    name: str
    count: int
    switches: int
    nodes: int
    loss: Loss


def losses(plan: Plan, network: Network) -> tuple[SiteLoss, ...]:
    """Each kind of part, from cables to planes; what hurts most first within its kind."""
    whole = Whole(network)
    kinds = alike(whole.routes)
    found = [*_alone(plan, whole, kinds), *_together(plan, whole, kinds)]
    return tuple(sorted(found, key=_order))


_KINDS = ("cable", "leaf", "spine", "superspine", "rack", "pdu", "feed", "plane")


def _order(one: SiteLoss) -> tuple[int, str, int, str]:
    first = one.kind.split()[0]
    at = _KINDS.index(first) if first in _KINDS else len(_KINDS)
    return at, one.kind, -one.loss.lost, one.name


def _alone(plan: Plan, whole: Whole, kinds: tuple[tuple[str, ...], ...]) -> Iterator[SiteLoss]:
    far = whole.made.network.far_end
    for kind in kinds:
        name = kind[0]
        box, _, port = name.partition(":")
        other = far.get((box, port))
        if port:
            ends = {_tier(plan, box), _tier(plan, other.box.name) if other else "?"}
            word = f"cable {' - '.join(sorted(ends, key=_TIERS.index))}"
        else:
            word = _tier(plan, box)
        below = _nodes_below(plan, name)
        yield SiteLoss(word, name, len(kind), 0 if port else 1, below, whole.loss(name, {name}))


_TIERS = ("leaf", "spine", "superspine", "access", "?")


def _tier(plan: Plan, name: str) -> str:
    return plan.switch[name].tier if name in plan.switch else "?"


def _nodes_below(plan: Plan, name: str) -> int:
    """How many nodes lose a NIC with a switch; 0 for a cable."""
    if name not in plan.switch:
        return 0
    return len({port.peer.device for port in plan.switch[name].ports} & plan.node.keys())


def _together(plan: Plan, whole: Whole, kinds: tuple[tuple[str, ...], ...]) -> Iterator[SiteLoss]:
    kind_of = {name: at for at, kind in enumerate(kinds) for name in kind}
    same: dict[object, list[Part]] = defaultdict(list)
    for part in parts(plan):
        same[part.kind, _signature(plan, part, kind_of)].append(part)
    for alike_parts in same.values():
        first = alike_parts[0]
        gone = [name for name in first.devices if name in plan.switch]
        nodes = len(first.devices) - len(gone)
        loss = whole.loss(first.name, gone)
        yield SiteLoss(first.kind, first.name, len(alike_parts), len(gone), nodes, loss)


def _signature(plan: Plan, part: Part, kind_of: Mapping[str, int]) -> object:
    """How many switches of each kind it holds of each pod, pods in any order; planes by name."""
    of_pod: dict[int | None, Counter[int]] = defaultdict(Counter)
    for name in part.devices:
        if name in plan.switch:
            of_pod[plan.switch[name].pod][kind_of.get(name, -1)] += 1
    nodes = sum(name in plan.node for name in part.devices)
    held = tuple(sorted(tuple(sorted(one.items())) for one in of_pod.values()))
    return held, nodes, part.name if part.kind == "plane" else ""
