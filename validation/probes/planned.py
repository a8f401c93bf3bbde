"""Probes: the traffic that a plan asks for, as data. Running them is not done here.

Paths under ECMP cannot be chosen, so each probe varies its UDP source port often enough
that every equal path is very likely hit. ICMP has no ports and is asked besides.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address
from math import ceil, log

from inventory.plan import Node, Plan, RailNic
from validation.routing.paths import ports_towards

FIRST_SOURCE_PORT = 49152  # the first dynamic port (RFC 6335)
RESPONDER_PORT = 47910
LEAST_SOURCE_PORTS = 16
MISSED_UPLINK_CHANCE = 1e-4


@dataclass(frozen=True, slots=True, order=True)
class Probe:
    """Packets of exactly `ip_bytes`, DF set, from one NIC to another of the same rail.

    `leaves` are the sender's and the receiver's. The frame of its result lies with the
    sender, under `command`, which holds all that was asked.
    """

    id: str
    rail: int
    leaves: tuple[str, str]
    sender: str
    sender_port: str
    source: IPv4Address
    receiver: str
    receiver_port: str
    target: IPv4Address
    ip_bytes: int
    tos: int
    source_ports: int

    @property
    def command(self) -> str:
        """The name of the evidence frame; it changes with everything that is asked."""
        return (
            f"probe df {self.id} {self.source}>{self.target} bytes={self.ip_bytes} "
            f"tos={self.tos} ports={FIRST_SOURCE_PORT}+{self.source_ports}"
        )


def source_ports_for(width: int) -> int:
    """How many source ports miss one of `width` equal paths with a chance below 1e-4.

    Union bound over the paths: width * (1 - 1/width)**n.
    """
    if width < 2:
        return LEAST_SOURCE_PORTS
    needed = log(MISSED_UPLINK_CHANCE / width) / log(1 - 1 / width)
    return max(LEAST_SOURCE_PORTS, ceil(needed))


def probes(plan: Plan, configured: frozenset[str]) -> tuple[Probe, ...]:
    """Every probe that can be asked once `configured` is in place, sorted.

    Per rail: each leaf's nodes in a ring, so that every NIC sends and receives, and each
    ordered pair of leaves once, with members taken in turn.
    """
    rails = sorted({nic.index for node in plan.nodes for nic in node.rails})
    made = [probe for rail in rails for probe in _of_rail(plan, rail, configured)]
    return tuple(sorted(made))


Member = tuple[Node, RailNic]


def _members(plan: Plan, rail: int, configured: frozenset[str]) -> dict[str, list[Member]]:
    found: dict[str, list[Member]] = {}
    for node in sorted(plan.nodes, key=lambda one: (one.pod, one.position)):
        for nic in node.rails:
            leaf = nic.leaf.device
            if nic.index == rail and {node.name, leaf} <= configured:
                found.setdefault(leaf, []).append((node, nic))
    return dict(sorted(found.items()))


def _of_rail(plan: Plan, rail: int, configured: frozenset[str]) -> Iterator[Probe]:
    members = _members(plan, rail, configured)
    for leaf, mine in members.items():
        for index, member in enumerate(mine if len(mine) > 1 else []):
            peer = mine[(index + 1) % len(mine)]
            name = f"rail{rail}:{leaf}:{member[0].name}>{peer[0].name}"
            yield _probe(plan, name, (leaf, leaf), member, peer, 1)
    for column, (target, theirs) in enumerate(members.items()):
        towards = ports_towards(plan, target, configured)
        for row, (leaf, mine) in enumerate(members.items()):
            if leaf == target or leaf not in towards:
                continue
            sender, receiver = mine[column % len(mine)], theirs[row % len(theirs)]
            name = f"rail{rail}:{leaf}>{target}"
            width = len(towards[leaf])
            yield _probe(plan, name, (leaf, target), sender, receiver, width)


def _probe(
    plan: Plan, name: str, leaves: tuple[str, str], sender: Member, receiver: Member, width: int
) -> Probe:
    return Probe(
        id=name,
        rail=sender[1].rail,
        leaves=leaves,
        sender=sender[0].name,
        sender_port=sender[1].port,
        source=sender[1].address.ip,
        receiver=receiver[0].name,
        receiver_port=receiver[1].port,
        target=receiver[1].address.ip,
        ip_bytes=plan.lossless.host_ip_mtu_bytes,
        tos=plan.lossless.tos,
        source_ports=source_ports_for(width),
    )
