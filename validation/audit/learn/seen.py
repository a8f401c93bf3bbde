"""The graph that cables make: groups of switches, their tiers, and the hosts below them.

Tiers come from what a switch does: one with hosts, VLANs or prefixes of its own is a leaf, its
neighbours are spines, what is above these are superspines. Names count only where nothing else
tells them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from switch_configs.readback.facts import LOOPBACK, PortFacts
from validation.audit.box import Box
from validation.audit.network import Network

from .networks import loopback_pool, natural, network_of

End = tuple[str, str]
_LINKS = ("/30", "/31")
_TO_COLON = re.compile(r"(?:to\s+)?([A-Za-z0-9][\w.-]*)[:\s]+([A-Za-z][\w./-]*)", re.IGNORECASE)
_TO_SCORES = re.compile(r"(?:[A-Z0-9-]+_)+?([A-Za-z][\w.-]*)_([A-Za-z][\w./-]*)")
_LEAF, _ABOVE = (
    re.compile(r"leaf|tor|rack", re.IGNORECASE),
    re.compile(r"spine|core|agg", re.IGNORECASE),
)


@dataclass(frozen=True, slots=True)
class HostEnd:
    """A leaf's port with a host behind it; `nic` is "" where nothing names it."""

    box: str
    port: PortFacts
    host: str
    nic: str
    by: str


@dataclass(frozen=True, slots=True)
class Wire:
    """A cable between two switches, the lower one first."""

    low: End
    high: End
    by: str


@dataclass(frozen=True)
class Group:
    """Switches that cables join: one fabric. Names are in natural order.

    `ghosts` are cables to switches of which no configuration was read: sessions tell them.
    """

    leaves: tuple[str, ...]
    spines: tuple[str, ...]
    superspines: tuple[str, ...]
    wires: tuple[Wire, ...]
    peers: tuple[Wire, ...]
    hosts: tuple[HostEnd, ...]
    ghosts: tuple[Wire, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All of its switches."""
        return (*self.leaves, *self.spines, *self.superspines)

    @cached_property
    def up(self) -> Mapping[str, tuple[Wire, ...]]:
        """The wires up from each switch that has any."""
        found: dict[str, list[Wire]] = defaultdict(list)
        for wire in self.wires:
            found[wire.low[0]].append(wire)
        return {name: tuple(mine) for name, mine in found.items()}

    @cached_property
    def at(self) -> Mapping[str, tuple[HostEnd, ...]]:
        """The hosts' ends at each leaf that has any."""
        found: dict[str, list[HostEnd]] = defaultdict(list)
        for end in self.hosts:
            found[end.box].append(end)
        return {name: tuple(mine) for name, mine in found.items()}


def is_oob(box: Box) -> bool:
    """Whether it is a switch of the management plane: no routing, and ports kept apart."""
    facts = box.facts
    return facts.asn is None and not facts.originates and bool(facts.vlans or facts.isolated_ports)


def far_of(port: PortFacts | None) -> End | None:
    """The device and port that a description names."""
    text = port.description.strip() if port else ""
    for form in (_TO_COLON, _TO_SCORES):
        if said := form.fullmatch(text):
            return said[1], said[2]
    return None


def groups(network: Network, cables: Mapping[End, End]) -> tuple[Group, ...]:
    """Every fabric of routing switches, the one with most cables first.

    `cables` are ends that another source knows, both ways.
    """
    data = {box.name for box in network.boxes if box.facts.asn is not None}
    wires = {
        ((link.a.box.name, _base(link.a.port.name)), (link.b.box.name, _base(link.b.port.name))): (
            link.by
        )
        for link in network.links
        if {link.a.box.name, link.b.box.name} <= data
    }
    taken = {end for pair in wires for end in pair}
    ports = {(name, port.name) for name in data for port in network.box[name].facts.ports}
    for here in sorted(ports - taken):
        far = far_of(network.box[here[0]].port(here[1]))
        if far in ports and far[0] != here[0] and not {here, far} & taken:
            wires[here, far] = "description"
            taken |= {here, far}
    near: dict[str, set[str]] = {name: set() for name in data}
    for a, b in wires:
        near[a[0]].add(b[0])
        near[b[0]].add(a[0])
    hosts = [
        end
        for box in network.boxes
        if box.name in data
        for end in _hosts(box, taken, cables, near.keys())
    ]
    alike = _of_one_pool(network, _components(near))
    keys = {name: _session_keys(network.box[name]) for name in data}
    ghosts = [one for one in hosts if _has_session(keys[one.box], one.port)]
    haunted = {(one.box, one.port.name) for one in ghosts}
    hosts = [one for one in hosts if (one.box, one.port.name) not in haunted]
    found = [_group(network, names, wires, hosts, ghosts) for names in alike]
    return tuple(sorted(found, key=lambda one: (-len(one.wires) - len(one.hosts), one.names)))


def _session_keys(box: Box) -> frozenset[str]:
    """What sessions are called: ports, and the link that an address is in."""
    keys = {session.key for session in box.facts.sessions}
    nets = {str(net) for key in keys if (net := network_of(f"{key}/31"))}
    return frozenset(keys | nets | {str(net) for key in keys if (net := network_of(f"{key}/30"))})


def _has_session(keys: frozenset[str], port: PortFacts) -> bool:
    """Whether routes are told over a port: then a switch is behind it, and no host."""
    links = (str(net) for text in port.addresses if (net := network_of(text)))
    return port.name in keys or any(net in keys for net in links if net[-3:] in _LINKS)


def _base(port: str) -> str:
    """The port of a subinterface."""
    return port.partition(".")[0]


def _hosts(
    box: Box, taken: set[End], cables: Mapping[End, End], switches: Iterable[str]
) -> Iterator[HostEnd]:
    for port in box.facts.ports:
        here = (box.name, port.name)
        if port.name == LOOPBACK or "." in port.name or here in taken:
            continue
        sheet, said = cables.get(here), far_of(port)
        far = sheet or said
        if far and far[0] not in switches:
            yield HostEnd(box.name, port, *far, "a list of cables" if sheet else "description")
        elif far is None and (port.vlans or port.bond is not None):
            yield HostEnd(box.name, port, "", "", "VLANs")


def _components(near: Mapping[str, set[str]]) -> Iterator[frozenset[str]]:
    left = set(near)
    while left:
        found, todo = set(), [min(left)]
        while todo:
            name = todo.pop()
            if name not in found:
                found.add(name)
                todo += near[name]
        left -= found
        yield frozenset(found)


def _of_one_pool(
    network: Network, components: Iterable[frozenset[str]]
) -> tuple[frozenset[str], ...]:
    """Components that take loopbacks from one pool are one fabric: planes of dual-port NICs."""
    found: dict[object, frozenset[str]] = {}
    for names in components:
        pool = loopback_pool(network.box[name].facts for name in names)
        key = pool or min(names)
        found[key] = found.get(key, frozenset()) | names
    return tuple(found.values())


def _group(
    network: Network,
    names: frozenset[str],
    wires: Mapping[tuple[End, End], str],
    hosts: Iterable[HostEnd],
    ghosts: Iterable[HostEnd],
) -> Group:
    mine = tuple(end for end in hosts if end.box in names)
    own = {pair: by for pair, by in wires.items() if pair[0][0] in names}
    near: dict[str, set[str]] = defaultdict(set)
    for a, b in own:
        near[a[0]].add(b[0])
        near[b[0]].add(a[0])
    tier = _tiers(network, names, {end.box for end in mine}, near)
    up: list[Wire] = []
    peers: list[Wire] = []
    for (a, b), by in sorted(own.items()):
        wire = Wire(a, b, by) if tier[a[0]] <= tier[b[0]] else Wire(b, a, by)
        (peers if tier[a[0]] == tier[b[0]] else up).append(wire)
    leaves, spines, tops = (
        tuple(sorted((n for n in names if tier[n] == at), key=natural)) for at in range(3)
    )
    unread = tuple(
        Wire((end.box, end.port.name), (end.host, end.nic), end.by)
        for end in ghosts
        if end.box in names and end.host
    )
    leaf_hosts = tuple(end for end in mine if tier[end.box] == 0)
    return Group(leaves, spines, tops, tuple(up), tuple(peers), leaf_hosts, unread)


def _tiers(
    network: Network, names: frozenset[str], hosting: set[str], near: Mapping[str, set[str]]
) -> dict[str, int]:
    """0 for leaves, 1 for spines, 2 for superspines."""
    leaves = {name for name in names if name in hosting or _has_own(network.box[name])}
    if not leaves or (leaves == names and len(names) > 1):
        leaves = {name for name in names if _LEAF.search(name) and not _ABOVE.search(name)}
    if not leaves:  # the many hang on the few
        fewest = min(len(near[name]) for name in names)
        leaves = {name for name in names if len(near[name]) == fewest}
    spines = {far for name in leaves for far in near[name]} - leaves
    return {name: 0 if name in leaves else 1 if name in spines else 2 for name in names}


def _has_own(box: Box) -> bool:
    facts = box.facts
    wide = any(not one.endswith("/32") for one in facts.originates)
    return bool(wide or facts.bonds or facts.pair or any(vlan.gateway for vlan in facts.vlans))
