"""One fabric in numbers: counts, splits of cages, pools, AS numbers and where its hosts stand."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network

from inventory.plan import Plane as PlaneWord
from inventory.schema import SwitchProfile
from switch_configs.readback.facts import SwitchFacts
from validation.audit.box import Box
from validation.audit.network import Network

from .guess import Notes, Shelf
from .networks import loopback_pool, network_of
from .places import Places, places
from .ports import Seat, best_profile, names_of
from .seen import End, Group, HostEnd

_HOST_BITS = 32
_LONGEST = 62
_SLUG = re.compile(r"[^a-z0-9]+")
_LINK_BITS = (30, 31)


@dataclass(frozen=True)
class Seen:
    """A fabric with the kinds of its switches, the seats of its ports and its places."""

    word: PlaneWord
    group: Group
    facts: Mapping[str, SwitchFacts]
    leaf_profile: str
    spine_profile: str
    top_profile: str
    places: Places
    loopbacks: IPv4Network | None
    ways: tuple[int, int, int]
    node_seats: Mapping[End, Seat]
    node_cages: int
    uplinks: int
    top_uplinks: int
    per_slot: int

    @property
    def leaf_facts(self) -> list[tuple[str, SwitchFacts]]:
        """The facts of leaves, with their names."""
        return [(name, self.facts[name]) for name in self.group.leaves]

    @property
    def spines(self) -> int:
        """Spines of a pod and a plane of NICs, up to the last one seen."""
        return self.places.spines

    @property
    def superspines(self) -> int:
        """Superspines of a group."""
        return max((number for _, _, number in self.places.superspine.values()), default=0)

    @property
    def nic_planes(self) -> int:
        """1, or 2 where NICs have ports to two planes of spines."""
        return 1 + max((plane for _, plane, _ in self.places.spine.values()), default=0)

    @property
    def nodes_per_unit(self) -> int:
        """Nodes for which a leaf has ports before its first uplink."""
        return max(self.node_cages * self.ways[0] // self.per_slot, 1)

    @property
    def least_per_unit(self) -> int:
        """The fewest nodes that need as many cages as face them."""
        return (self.node_cages - 1) * self.ways[0] // self.per_slot + 1

    def place(self, end: HostEnd) -> int:
        """The place of a host in its unit, from 1."""
        seat = self.node_seats.get((end.box, end.port.name))
        return seat.index // self.per_slot + 1 if seat else 0


def seen(
    network: Network,
    word: PlaneWord,
    group: Group,
    shelf: Shelf,
    slots: int,
    per_slot: int,
    order: Mapping[str, int],
    notes: Notes,
) -> Seen:
    """Read a group's numbers; `order` is the slot of each leaf as its hosts' NICs say it."""
    facts = {name: network.box[name].facts for name in group.names}
    tiers = (group.leaves, group.spines, group.superspines)
    kinds = []
    for tier, names in zip(("leaf", "spine", "superspine"), tiers, strict=True):
        boxes = [network.box[name] for name in names] or [network.box[one] for one in group.names]
        name, by = best_profile(boxes, shelf.switches)
        if names and name:
            name = _as_released(name, boxes, shelf, notes)
        kinds.append(name)
        if names:
            others = [f"{box.name} runs {box.system}" for box in boxes if _other(box, name, shelf)]
            notes.say(f"{word}: {tier}_profile", name, "likely", by, *others)
    pool = loopback_pool(facts.values())
    found = places(network, group, pool, slots, order)
    notes.say(f"{word}: places of leaves", f"{len(found.leaf)} of them", "likely", found.leaf_by)
    sources = Counter(wire.by.partition(" of ")[0] for wire in (*group.wires, *group.peers))
    sources.update(end.by for end in group.hosts)
    by = ", ".join(f"{count} by {source}" for source, count in sorted(sources.items()))
    notes.say(f"{word}: cables", sources.total(), "sure" if len(sources) == 1 else "likely", by)
    profile = shelf.switches[kinds[0]]
    node_ways, seats = _node_seats(group, profile)
    ways, first_up = _fabric_ways(network, group, shelf, kinds)
    last = max((seat.cage for seat in seats.values()), default=0)
    cages = first_up - 1 if first_up > last else last
    return Seen(
        word, group, facts, kinds[0], kinds[1], kinds[2], found, pool,
        (node_ways, *ways), seats, max(cages, 1),
        _parallel(group, group.leaves), _parallel(group, group.spines), max(per_slot, 1),
    )  # fmt: skip


def _as_released(name: str, boxes: Iterable[Box], shelf: Shelf, notes: Notes) -> str:
    """The profile with the release that most boxes run: ours, or one of the site's own."""
    runs = Counter(box.facts.release for box in boxes if box.facts.release)
    profile = shelf.switches[name]
    release = runs.most_common(1)[0][0] if runs else profile.release
    if release == profile.release or not shelf.may_add:
        return name
    own = f"{name}-{_SLUG.sub('-', release.lower()).strip('-')}"[:_LONGEST].rstrip("-")
    source = f"{name}, with the release that configurations say"
    shelf.switches[own] = profile.model_copy(update={"release": release, "source": source})
    notes.profiles[own] = name, shelf.switches[own]
    return own


def _other(box: object, profile: str, shelf: Shelf) -> bool:
    return getattr(box, "system", "") != shelf.switches[profile].dialect


def _parallel(group: Group, lower: tuple[str, ...]) -> int:
    """Links between most pairs of switches of two tiers."""
    wires = (*group.wires, *group.ghosts)
    pairs = Counter((w.low[0], w.high[0]) for w in wires if w.low[0] in lower)
    return Counter(pairs.values()).most_common(1)[0][0] if pairs else 1


def _node_seats(group: Group, profile: SwitchProfile) -> tuple[int, dict[End, Seat]]:
    """In how many ports a cage towards hosts is split, and each host port's seat."""
    known = names_of(profile)
    found: dict[End, Seat] = {}
    for leaf, ends in group.at.items():
        ports = [(end.port.name, end.port.rate_gbps) for end in ends]
        found |= {(leaf, name): seat for name, seat in known.seats(ports).items()}
    ways = Counter(seat.ways for seat in found.values()).most_common(1)
    most = ways[0][0] if ways else 1
    return most, {end: seat for end, seat in found.items() if seat.ways == most}


def _fabric_ways(
    network: Network, group: Group, shelf: Shelf, kinds: list[str]
) -> tuple[tuple[int, int], int]:
    """Splits of cages between leaves and spines, and above; the cage of a leaf's first uplink."""
    splits: list[Counter[int]] = [Counter(), Counter()]
    first: Counter[int] = Counter()
    for at, tier in enumerate((group.leaves, group.spines)):
        known = names_of(shelf.switches[kinds[at]])
        for name in tier:
            ports = [wire.low[1] for wire in group.up.get(name, ())]
            ports += [wire.low[1] for wire in group.ghosts if at == 0 and wire.low[0] == name]
            rates = {one.name: one.rate_gbps for one in network.box[name].facts.ports}
            seats = known.seats([(port, rates.get(port)) for port in ports])
            splits[at].update(seat.ways for seat in seats.values())
            if at == 0 and seats:
                first[min(seat.cage for seat in seats.values())] += 1
    fabric, top = (one.most_common(1)[0][0] if one else 1 for one in splits)
    return (fabric, top), first.most_common(1)[0][0] if first else 0


def routed_pools(one: Seen) -> dict[IPv4Network, tuple[int, tuple[str, ...]]]:
    """Prefixes that policies of the default table let pass, the bits of what is in them, by whom.

    Loopbacks and the default route are left out.
    """
    found: dict[tuple[IPv4Network, int], list[str]] = defaultdict(list)
    for name, facts in one.facts.items():
        for policy in facts.policies:
            for permit in policy.permits:
                net = network_of(permit.prefix)
                if net and net.prefixlen and permit.shortest_bits < _HOST_BITS:
                    found[net, permit.shortest_bits].append(name)
    wide = {key: who for key, who in found.items() if key[0].prefixlen < key[1]}
    return {net: (bits, tuple(who)) for (net, bits), who in wide.items()}


def host_networks(one: Seen) -> list[IPv4Network]:
    """What leaves originate beside their loopbacks."""
    return [
        net
        for _, facts in one.leaf_facts
        for text in facts.originates
        if (net := network_of(text)) and net.prefixlen < _HOST_BITS
    ]


def numbered_links(one: Seen) -> dict[End, IPv4Network]:
    """The network of each link that has one, by its lower end."""
    found: dict[End, IPv4Network] = {}
    for wire in one.group.wires:
        for port in one.facts[wire.low[0]].ports:
            if port.name == wire.low[1]:
                nets = (net for text in port.addresses if (net := network_of(text)))
                links = [net for net in nets if net.prefixlen in _LINK_BITS]
                if links:
                    found[wire.low] = links[0]
    return found


def maximum_prefixes(one: Seen) -> Iterator[tuple[str, int | None]]:
    """The limit of each session."""
    for name, facts in one.facts.items():
        yield from ((name, session.maximum_prefix) for session in facts.sessions)
