"""One cause for many: links that are bad together are a node, a rack's power, a leaf.

Bayes with round priors: a cause is rare, and what it stands for fails together where it is there;
without it each of them failed by itself, which is rarer still the more there are. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log

from inventory.plan import Plan, PortRef

from ..pairing.pairs import Way
from .ground import Ground
from .sure import Sure
from .suspect import Kind, Suspect
from .ways import Tally

# How likely one of a kind is bad on a new site: orders of magnitude, from failure statistics of
# large clusters (Llama 3, arXiv 2407.21783, table 5: hosts and GPUs before network parts).
PRIOR = {Kind.RAIL_LINK: 1e-3, Kind.FABRIC_LINK: 1e-3, Kind.NODE: 1e-3, Kind.POWER: 1e-4,
         Kind.LEAF: 1e-4, Kind.SPINE: 1e-4, Kind.BATCH: 1e-4}  # fmt: skip
ALIKE = 0.9  # how much of a node or a leaf is bad where it is the cause
_SAYS = {"sends": "what it sends", "receives": "what it receives"}


@dataclass(frozen=True, slots=True)
class _Cause:
    """A possible cause, its parts that are bad, and how many it has in all."""

    kind: Kind
    unit: str
    bad: tuple[Suspect, ...]
    size: int
    alike: float

    @property
    def gain(self) -> float:
        """In nats, against each of its parts being bad by itself."""
        count, kind = len(self.bad), self.bad[0].kind
        so = log(PRIOR[self.kind]) + count * log(self.alike)
        if count < self.size:
            so += (self.size - count) * log(1 - self.alike)
        return so - count * log(PRIOR[kind])


def link_suspects(ground: Ground, bad: Mapping[Way, Tally]) -> list[Suspect]:
    """A suspect for each rail link of which a way is bad."""
    by_link: dict[PortRef, list[tuple[Way, Tally]]] = {}
    for way, tally in bad.items():
        by_link.setdefault(_port(ground.plan, way), []).append((way, tally))
    return [_link(ground.plan, port, some) for port, some in sorted(by_link.items())]


def _port(plan: Plan, way: Way) -> PortRef:
    rail, node, _ = way
    return PortRef(node, next(nic.port for nic in plan.node[node].rails if nic.index == rail))


def _link(plan: Plan, port: PortRef, some: list[tuple[Way, Tally]]) -> Suspect:
    said = " and ".join(sorted(_SAYS[way[2]] for way, _ in some))
    partners = sorted({one for _, tally in some for one in tally.partners})
    slow = sum(tally.slow for _, tally in some)
    flows = slow + sum(tally.good for _, tally in some)
    most = ", ".join(partners[:3]) + (f" and {len(partners) - 3} more" if partners[3:] else "")
    are = "are" if partners[1:] else "is"
    found = f"{port}: {said} is slow with {most}, which {are} good with others"
    found += f" ({slow} of {flows} flows)"
    return Suspect(
        Kind.RAIL_LINK,
        (f"cable {plan.cable_at[port]}",),
        max(tally.sure for _, tally in some),
        found,
        "NIC, cable and leaf port are one suspect: compare the counters of both ends, swap one",
    )


def common(ground: Ground, links: Sequence[tuple[PortRef, Suspect]]) -> list[Suspect]:
    """The suspects left when links with one cause are taken together; largest gain first."""
    rails = [(port, one) for port, one in links if one.kind is Kind.RAIL_LINK]
    left = _taken(list(_nodes(ground.plan, rails)), [one for _, one in links])
    left = _taken(list(_leaves(ground, rails, left)), left)
    return sorted(_taken(list(_racks(ground, left)), left))


def nearer(ground: Ground, links: Sequence[tuple[PortRef, Suspect]]) -> float:
    """How much better nodes and leaves explain these links than each being bad by itself: nats."""
    rails = [(port, one) for port, one in links if one.kind is Kind.RAIL_LINK]
    left = _taken(list(_nodes(ground.plan, rails)), [one for _, one in links])
    left = _taken(list(_leaves(ground, rails, left)), left)
    return sum(suspect.sure.nats for suspect in left if suspect.kind in (Kind.NODE, Kind.LEAF))


def _taken(causes: list[_Cause], left: list[Suspect]) -> list[Suspect]:
    """Causes that explain better than their parts do, each part explained once."""
    for cause in sorted(causes, key=lambda one: (-one.gain, one.unit)):
        if cause.gain > 0 and all(suspect in left for suspect in cause.bad):
            left = [suspect for suspect in left if suspect not in cause.bad]
            left.append(_suspect(cause))
    return left


def _suspect(cause: _Cause) -> Suspect:
    covers = tuple(sorted(suspect.units[0] for suspect in cause.bad))
    what = "of its rail links" if cause.bad[0].kind is Kind.RAIL_LINK else "of its nodes"
    found = f"{len(covers)} of {cause.size} {what} are slow"
    return Suspect(cause.kind, (cause.unit,), Sure(cause.gain), found, _HINTS[cause.kind], covers)


_HINTS = {
    Kind.NODE: "what all its NICs share: CPU, memory, PCIe, power; run stage 45 on it",
    Kind.POWER: "what its nodes share: see the PDUs, power caps and temperatures of the rack",
    Kind.LEAF: "all NICs of the leaf: its configuration, buffers, ASIC",
}


def _grouped(
    links: Iterable[tuple[PortRef, Suspect]], key: Callable[[PortRef], str]
) -> dict[str, list[Suspect]]:
    found: dict[str, list[Suspect]] = {}
    for port, one in links:
        if name := key(port):
            found.setdefault(name, []).append(one)
    return found


def _nodes(plan: Plan, links: Sequence[tuple[PortRef, Suspect]]) -> Iterable[_Cause]:
    for name, some in _grouped(links, lambda port: port.device).items():
        if len(some) > 2:
            size = len(plan.node[name].rails)
            yield _Cause(Kind.NODE, f"device {name}", tuple(some), size, ALIKE)


def _leaves(
    ground: Ground, links: Sequence[tuple[PortRef, Suspect]], left: list[Suspect]
) -> Iterable[_Cause]:
    mine = [(port, one) for port, one in links if one in left]
    for name, some in _grouped(mine, lambda port: ground.far(port).device).items():
        ports = ground.plan.switch[name].ports
        size = sum(port.peer.device in ground.plan.node for port in ports)
        # What works through a leaf speaks for it: but for one in ten, all its links must be bad.
        if len(some) > 2 and len(some) >= ALIKE * size:
            yield _Cause(Kind.LEAF, f"device {name}", tuple(some), size, ALIKE)


def _racks(ground: Ground, left: list[Suspect]) -> Iterable[_Cause]:
    nodes = {f"device {name}": name for name in ground.plan.node}
    found: dict[str, list[Suspect]] = {}
    for suspect in left:
        rack = ground.rack.get(nodes.get(suspect.units[0], ""), "")
        if suspect.kind is Kind.NODE and rack:
            found.setdefault(rack, []).append(suspect)
    sizes = Counter(ground.rack.get(node.name, "") for node in ground.plan.nodes if node.rails)
    for rack, some in found.items():
        if len(some) > 1:
            share = max(0.7, len(some) / sizes[rack] - 1e-6)
            yield _Cause(Kind.POWER, f"power of {rack}", tuple(some), sizes[rack], share)
