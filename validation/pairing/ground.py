"""What a schedule looks up of a plan, made once: rates, terms and neighbours. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address

from inventory.plan import Plan, PortRef

from .loads import Terms, kind_of, terms_of


@dataclass(frozen=True, slots=True)
class NicFacts:
    """A rail NIC: its RDMA device (or ""), address, rate in Gb/s, how it is loaded, and its GPU."""

    device: str
    address: IPv4Address
    rate_gbps: float
    terms: Terms
    gpu: int | None


@dataclass(frozen=True, slots=True)
class Uplinks:
    """The ports of a switch that lead up: their sum and their slowest in Gb/s, and where to."""

    gbps: float
    slowest_gbps: float
    shares: tuple[tuple[str, float], ...]


class Ground:
    """Lookups over one plan."""

    def __init__(self, plan: Plan) -> None:
        self.nic = {
            (node.name, nic.port): NicFacts(
                nic.rdma_device or "",
                nic.address.ip,
                plan.cable_at[PortRef(node.name, nic.port)].rate_gbps,
                terms_of(kind_of(plan, node.name, nic)),
                nic.gpu,
            )
            for node in plan.nodes
            for nic in node.rails
        }
        self.up = {switch.name: _uplinks(plan, switch.name) for switch in plan.switches}


def ground(plan: Plan) -> Ground:
    """The lookups of this plan; of the last few, the same ones."""
    return _ground(Same(plan))


class Same:
    """A plan by identity, for caches: to compare two whole plans would cost more than it saves."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.plan is other.plan

    def __hash__(self) -> int:
        return id(self.plan)


@lru_cache(maxsize=4)
def _ground(same: Same) -> Ground:
    return Ground(same.plan)


def _uplinks(plan: Plan, name: str) -> Uplinks:
    ups = [port for port in plan.switch[name].ports if port.direction == "up"]
    total = sum(port.rate_gbps for port in ups)
    towards: dict[str, float] = {}
    for port in ups:
        peer = port.peer.device
        towards[peer] = towards.get(peer, 0.0) + port.rate_gbps / total
    slowest = min((port.rate_gbps for port in ups), default=0.0)
    return Uplinks(total, slowest, tuple(sorted(towards.items())))
