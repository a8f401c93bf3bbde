"""Faults of a fabric, drawn by seed, and who is to blame for each: what no locator is told.

A culprit's `units` are the smallest set that could be named: a cable with all that hangs on it
is one, because loads alone cannot look into it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random

from inventory.plan import Plan, PortRef

from .paths import Fabric
from .traffic import Faults

BATCH_SIZE = 48  # optics of one batch, spread over the fabric


@dataclass(frozen=True)
class Culprit:
    """One fault: its kind, the unit that is right to name, what it touches, and how."""

    kind: str
    unit: str
    touches: frozenset[str]
    faults: Faults


class Drawer:
    """Draws culprits of a planned fabric."""

    def __init__(self, fabric: Fabric, seed: int) -> None:
        self.plan, self.fabric, self._dice = fabric.plan, fabric, Random(f"faults/{seed}")
        plan = self.plan
        self._nodes = [node for node in plan.nodes if node.rails]
        inside = {one.device for one in fabric.ports} & set(plan.switch)
        self._between = [c for c in plan.cables if {c.a.device, c.b.device} <= inside]
        self._upper = sorted(one for one in inside if plan.switch[one].tier != "leaf")
        self._racks = [
            [one.device for one in rack.devices if one.device in plan.node] for rack in plan.racks
        ]
        self._names = {tuple(one): rack.name for one, rack in zip(self._racks, plan.racks)}  # noqa: B905
        self._racks = [one for one in self._racks if len(one) > 2 and plan.node[one[0]].rails]
        self.batches = self._draw_batches()
        self._kinds: dict[str, Callable[[], Culprit]] = {
            "NIC sends": lambda: self._rail(True, False),
            "NIC receives": lambda: self._rail(False, True),
            "GPU or PCIe": lambda: self._rail(True, True),
            "rail cable": self._rail_cable,
            "leaf port": lambda: self._rail(False, True),
            "uplink slow": self._uplink_slow,
            "uplink lossy": self._uplink_lossy,
            "switch above": self._switch,
            "node": self._node,
            "power": self._power,
            "optic batch": self._batch,
        }

    @property
    def kinds(self) -> tuple[str, ...]:
        """All kinds of fault."""
        return tuple(self._kinds)

    def draw(self, count: int, kind: str = "") -> list[Culprit]:
        """So many culprits that touch nothing in common, of one kind or of any."""
        found: list[Culprit] = []
        while len(found) < count:
            one = self._kinds[kind or self._dice.choice(self.kinds)]()
            if not any(one.touches & other.touches for other in found):
                found.append(one)
        return found

    def _draw_batches(self) -> dict[PortRef, str]:
        ports = [nic.leaf for node in self._nodes for nic in node.rails]
        self._dice.shuffle(ports)
        return {port: f"optic batch B{at // BATCH_SIZE:03}" for at, port in enumerate(ports)}

    def _share(self, least: float = 0.1, most: float = 0.8) -> float:
        return self._dice.uniform(least, most)

    def _ends(self, node: str, rail: int) -> tuple[PortRef, PortRef]:
        nic = self.plan.node[node].rails[rail]
        return PortRef(node, nic.port), nic.leaf

    def _any_rail(self) -> tuple[PortRef, PortRef]:
        node = self._dice.choice(self._nodes)
        return self._ends(node.name, self._dice.randrange(len(node.rails)))

    def _rail(self, sends: bool, receives: bool) -> Culprit:
        nic, leaf = self._any_rail()
        share = self._share()
        slow = {nic: share} if sends else {}
        slow |= {leaf: share} if receives else {}
        unit = f"cable {self.plan.cable_at[nic]}"
        return Culprit("rail link", unit, frozenset((unit, nic.device)), Faults(capacity=slow))

    def _rail_cable(self) -> Culprit:
        nic, leaf = self._any_rail()
        unit = f"cable {self.plan.cable_at[nic]}"
        drag = {nic: self._share(), leaf: self._share()}
        return Culprit("rail cable", unit, frozenset((unit, nic.device)), Faults(drag=drag))

    def _uplink_slow(self) -> Culprit:
        """The link came up at a lower rate: an eighth or a quarter of the planned one."""
        cable, share = self._dice.choice(self._between), self._dice.choice((0.125, 0.25))
        return self._cable("uplink slow", str(cable), capacity={cable.a: share, cable.b: share})

    def _uplink_lossy(self) -> Culprit:
        cable = self._dice.choice(self._between)
        ends = self._dice.choice(((cable.a,), (cable.b,), (cable.a, cable.b)))
        return self._cable(
            "uplink lossy", str(cable), drag={e: self._share(0.1, 0.6) for e in ends}
        )

    def _cable(self, kind: str, cable: str, **how: dict[PortRef, float]) -> Culprit:
        touches = {f"cable {cable}", *(end.split(":")[0] for end in cable.split(" -- "))}
        return Culprit(kind, f"cable {cable}", frozenset(touches), Faults(**how))

    def _switch(self) -> Culprit:
        name, share = self._dice.choice(self._upper), self._share(0.2, 0.6)
        ports = [port for port in self.fabric.ports if port.device == name]
        drag = dict.fromkeys(ports, share)
        return Culprit("switch above", f"device {name}", frozenset((name,)), Faults(drag=drag))

    def _node(self) -> Culprit:
        name = self._dice.choice(self._nodes).name
        slow = self._slow_nodes([name])
        return Culprit("node", f"device {name}", frozenset((name,)), Faults(capacity=slow))

    def _slow_nodes(self, names: Iterable[str]) -> dict[PortRef, float]:
        share = self._share(0.2, 0.8)
        rails = [(name, at) for name in names for at in range(len(self.plan.node[name].rails))]
        return {port: share for name, at in rails for port in self._ends(name, at)}

    def _power(self) -> Culprit:
        nodes = self._dice.choice(self._racks)
        some = self._dice.sample(
            nodes, self._dice.randrange(max(2, len(nodes) - 1), len(nodes) + 1)
        )
        unit = f"power of {self._names[tuple(nodes)]}"
        slow = Faults(capacity=self._slow_nodes(some))
        return Culprit("power", unit, frozenset(nodes), slow)

    def _batch(self) -> Culprit:
        name = self._dice.choice(sorted(set(self.batches.values())))
        ports = [port for port, one in self.batches.items() if one == name]
        some = self._dice.sample(ports, self._dice.randrange(5, 13))
        touches = {self.plan.cable_at[port].a.device for port in some}
        touches |= {self.plan.cable_at[port].b.device for port in some if "node" in str(port)}
        cables = {f"cable {self.plan.cable_at[port]}" for port in some}
        nodes = {end.device for port in some for end in _both(self.plan, port)} & set(
            self.plan.node
        )
        drag = {end: self._share() for port in some for end in _both(self.plan, port)}
        return Culprit("optic batch", name, frozenset(cables | nodes), Faults(drag=drag))


def _both(plan: Plan, port: PortRef) -> tuple[PortRef, PortRef]:
    cable = plan.cable_at[port]
    return cable.a, cable.b


def together(culprits: Sequence[Culprit]) -> Faults:
    """All their faults at once."""
    capacity: dict[PortRef, float] = {}
    drag: dict[PortRef, float] = {}
    for one in culprits:
        capacity |= one.faults.capacity
        drag |= one.faults.drag
    return Faults(capacity, drag)
