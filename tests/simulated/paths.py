"""Paths through a planned fabric as switches choose them: by hashing, with seeds nobody is told.

Routing is valley-free over shortest paths, as eBGP gives it (RFC 7938). A hop is an egress port:
one direction of one cable. Hops are numbers (`Fabric.ports` names them), because a large site
takes a million of them a round. Of ours only the plan's types are imported.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass

from inventory.plan import Plan, PortRef, SwitchPort

ROCE_PORT = 4791  # RoCEv2 over UDP (IANA); its source port carries the entropy
_UDP = 17
_KEY = struct.Struct("!IIBHH")
_TIERS = {"leaf": 0, "spine": 1, "superspine": 2}
Path = tuple[int, ...]
Way = tuple[int, str]  # egress port, the device behind it
Hash = Callable[[int, int, int], int]


def crc_bits(crc: int, seed: int, tier: int) -> int:
    """CRC-32 of the packet, XORed with the switch's seed; each tier reads other bits of it.

    Linear: flows that met at one switch stay correlated at the next, as on simple ASICs.
    """
    return (crc ^ seed) >> (9 * tier)


def mixed(crc: int, seed: int, tier: int) -> int:
    """CRC-32 mixed with the seed by a multiplication: hops choose independently."""
    return (((crc ^ seed) * 0x9E3779B1 + tier) & 0xFFFFFFFF) >> 13


def same_bits(crc: int, seed: int, tier: int) -> int:
    """The same bits on every tier with another seed: the polarised fabric that seeds must avert."""
    return crc ^ seed


HASHES: dict[str, Hash] = {"crc": crc_bits, "mixed": mixed, "polarised": same_bits}


@dataclass(frozen=True, slots=True)
class Flow:
    """What one NIC sends to another: a stream for each UDP source port, together `gbps`."""

    sender: PortRef
    receiver: PortRef
    udp_ports: tuple[int, ...]
    gbps: float


class Fabric:
    """The rails' fabric of a plan: which way each stream goes.

    `down` are ports (either end of a dead cable) that routing no longer uses. One fabric serves
    many seeds: `reseeded` keeps what does not depend on them.
    """

    def __init__(
        self, plan: Plan, seed: int, hashing: str = "mixed", down: Iterable[PortRef] = ()
    ) -> None:
        self.plan, dead = plan, frozenset(down)
        self.rates = _rates(plan)
        self.ports = tuple(self.rates)
        self.number = {one: number for number, one in enumerate(self.ports)}
        self._switches = sorted({one.device for one in self.ports} & set(plan.switch))
        known = frozenset(self._switches)
        self._ups = {one: self._facing(one, "up", known, dead) for one in known}
        self._downs = {one: self._facing(one, "down", known, dead) for one in known}
        self._nics = {
            PortRef(node.name, nic.port): (
                self.number[PortRef(node.name, nic.port)],
                int(nic.address.ip),
                nic.leaf.device,
                self.number[nic.leaf],
            )
            for node in plan.nodes
            for nic in node.rails
        }
        self._ways: dict[tuple[str, str], tuple[Way, ...]] = {}
        self._far: dict[tuple[str, frozenset[str]], tuple[Way, ...]] = {}
        self._cones: dict[frozenset[str], dict[str, int]] = {}
        self._entries = {one: frozenset(peer for _, peer in ups) for one, ups in self._ups.items()}
        self._seed_all(seed, hashing)

    def reseeded(self, seed: int, hashing: str = "mixed") -> Fabric:
        """The same fabric with other secrets."""
        other = copy(self)
        other._seed_all(seed, hashing)
        return other

    def paths(self, flow: Flow) -> tuple[Path, ...]:
        """The path of each stream, from the sender's NIC port to the receiver's leaf port.

        Inside a leaf all take one way. Empty where there is no way.
        """
        first, source, here, _ = self._nics[flow.sender]
        _, target, leaf, last = self._nics[flow.receiver]
        if here == leaf:
            return ((first, last),) * len(flow.udp_ports)
        keys = (_KEY.pack(source, target, _UDP, one, ROCE_PORT) for one in flow.udp_ports)
        return tuple(self._path(zlib.crc32(key), here, leaf, [first], last) for key in keys)

    def named(self, path: Path) -> tuple[PortRef, ...]:
        """A path's egress ports by name."""
        return tuple(self.ports[one] for one in path)

    def ways(self, switch: str, leaf: str) -> tuple[Way, ...]:
        """The equal ways of a switch towards a leaf: egress port, next device."""
        if (switch, leaf) not in self._ways:
            straight = tuple(one for one in self._downs[switch] if one[1] == leaf)
            self._ways[switch, leaf] = straight or self._towards(switch, self._entries[leaf])
        return self._ways[switch, leaf]

    def _path(self, crc: int, here: str, leaf: str, hops: list[int], last: int) -> Path:
        known, choose, seeds = self._ways, self._hash, self._seeds
        while here != leaf:
            ways = known.get((here, leaf)) or self.ways(here, leaf)
            if not ways:
                return ()
            seed, tier = seeds[here]
            port, here = ways[choose(crc, seed, tier) % len(ways)]
            hops.append(port)
        return (*hops, last)

    def _towards(self, switch: str, entries: frozenset[str]) -> tuple[Way, ...]:
        """The ways to a leaf that hangs on these switches, from one that is not among them."""
        if (switch, entries) not in self._far:
            cone = self._cone(entries)
            below = cone.get(switch, 0) - 1
            chosen = [one for one in self._downs[switch] if cone.get(one[1]) == below]
            if switch not in cone:
                ups = self._ups[switch]
                near = [one for one in ups if one[1] in cone]
                chosen = near or [one for one in ups if self._towards(one[1], entries)]
            self._far[switch, entries] = tuple(chosen)
        return self._far[switch, entries]

    def _cone(self, entries: frozenset[str]) -> dict[str, int]:
        """Every switch from which the leaf lies straight below, with its height."""
        if entries not in self._cones:
            cone = dict[str, int]()
            level, height = entries, 1
            while level:
                cone.update(dict.fromkeys(level, height))
                above = {peer for name in level for _, peer in self._ups[name]}
                level, height = frozenset(above - set(cone)), height + 1
            self._cones[entries] = cone
        return self._cones[entries]

    def _facing(
        self, switch: str, direction: str, known: frozenset[str], dead: frozenset[PortRef]
    ) -> tuple[Way, ...]:
        return tuple(
            (self.number[PortRef(switch, one.name)], one.peer.device)
            for one in self.plan.switch[switch].ports
            if one.direction == direction
            and one.peer.device in known
            and not {PortRef(switch, one.name), one.peer} & dead
        )

    def _seed_all(self, seed: int, hashing: str) -> None:
        self._hash = HASHES[hashing]
        tiers = {one: _TIERS[self.plan.switch[one].tier] for one in self._switches}
        self._seeds = {one: (_seed(seed, one), tier) for one, tier in tiers.items()}


def _is_up(port: SwitchPort) -> bool:
    return port.direction == "up"


def _seed(seed: int, name: str) -> int:
    drawn = zlib.crc32(f"{seed}/{name}".encode())
    return (drawn * 0x85EBCA6B & 0xFFFFFFFF) ^ drawn >> 7


def _rates(plan: Plan) -> dict[PortRef, float]:
    """Every port that can carry rail traffic, with its planned rate in Gb/s."""
    nics = [(PortRef(n.name, nic.port), nic.leaf) for n in plan.nodes for nic in n.rails]
    rates = {
        PortRef(name, port.name): port.rate_gbps
        for name in sorted(_connected(plan, {leaf.device for _, leaf in nics}))
        for port in plan.switch[name].ports
    }
    return {**rates, **{nic: rates[leaf] for nic, leaf in nics}}


def _connected(plan: Plan, leaves: set[str]) -> set[str]:
    """The leaves and every switch above them."""
    found, todo = set(leaves), sorted(leaves)
    while todo:
        ups = {port.peer.device for one in todo for port in plan.switch[one].ports if _is_up(port)}
        todo = sorted(ups & set(plan.switch) - found)
        found.update(todo)
    return found
