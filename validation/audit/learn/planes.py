"""Which fabric is which plane, what hangs on it, and what it may grow to."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Interface, IPv4Network

from inventory.plan import Plane as PlaneWord
from inventory.schema import NodeProfile
from inventory.schema.node_profile import NicPort
from inventory.topology.addressing import bits_for
from switch_configs.readback.facts import SwitchFacts
from validation.audit.network import Network

from .guess import Notes, Shelf
from .hosts import Hosts, hosts, leaves_of_host, nic_profile
from .maxima import Evidence, Maxima, management_number, maxima
from .networks import address, quarter_indexes
from .plane import Seen, maximum_prefixes, numbered_links, routed_pools, seen
from .seen import Group, HostEnd


@dataclass(frozen=True)
class Fabrics:
    """The fabrics of a site by plane, who is below them, and the kind of their nodes.

    `shared` says that users are on the switches of storage. `most` are the maxima by plane.
    """

    by_plane: Mapping[PlaneWord, Seen]
    shared: bool
    hosts: Mapping[PlaneWord, frozenset[str]]
    ends: Hosts
    node_profile: str
    most: Mapping[PlaneWord, Maxima]
    netmgmt: IPv4Network | None


def words(
    groups: Sequence[Group], facts: Mapping[str, SwitchFacts], rails: frozenset[str], notes: Notes
) -> dict[PlaneWord, Group]:
    """Which group is compute, storage and business; what a site has no word for is said.

    `rails` are names of NICs that some profile has on rails and none beside them.
    """

    def routed(one: Group) -> bool:
        return any(end.port.addresses for end in one.hosts)

    def nics(one: Group) -> int:
        return max(Counter(end.host for end in one.hosts if end.host).values(), default=0)

    def by_rail(one: Group) -> bool:
        return bool(rails & {end.nic for end in one.hosts})

    def rank(one: Group) -> tuple[bool, bool, int, int, int]:
        return routed(one), by_rail(one), nics(one), len(one.hosts), len(one.wires)

    left = sorted(groups, key=rank, reverse=True)
    out: dict[PlaneWord, Group] = {"compute": left.pop(0)}
    notes.say(
        "compute", f"{len(out['compute'].names)} switches", "likely", "most routed NICs of a host"
    )
    for one in left:
        tables = any(each.vrf for name in one.names for each in facts[name].sessions)
        bridged = tables or any(end.port.vlans for end in one.hosts)
        word: PlaneWord = "business" if bridged and not routed(one) else "storage"
        if word in out or not (one.spines or one.ghosts):
            some = ", ".join(one.names[:3])
            notes.unsaid.append(f"a further fabric of {len(one.names)} switches ({some})")
            continue
        by = "hosts in VLANs" if word == "business" else "routed hosts, fewer NICs than compute"
        notes.say(word, f"{len(one.names)} switches", "likely", by)
        out[word] = one
    return out


def fabrics(network: Network, groups: Sequence[Group], shelf: Shelf, notes: Notes) -> Fabrics:
    """Everything that is read off the graph."""
    facts = {box.name: box.facts for box in network.boxes}
    named = words(groups, facts, _only_rails(shelf), notes)
    order = list(named)
    ends = hosts(named.values())
    in_plane = {word: frozenset(ends.of(at)) for at, word in enumerate(order)}
    shared = "business" not in named and any(
        end.port.vlans for end in (named["storage"].hosts if "storage" in named else ())
    )
    name, by = nic_profile(
        _ends_of_nodes(named, in_plane["compute"], shared=shared),
        {name: one for name, one in shelf.nodes.items() if one.rails},
    )
    notes.say("compute.node_profile", name, "likely" if in_plane["compute"] else "guess", by)
    profile = shelf.nodes[name]
    by_plane = {
        word: _seen(network, word, group, shelf, profile, notes, shared=shared)
        for word, group in named.items()
    }
    netmgmt = _netmgmt(network)
    most = {word: _maxima(word, one, profile, netmgmt, notes) for word, one in by_plane.items()}
    return Fabrics(by_plane, shared, in_plane, ends, name, most, netmgmt)


def _only_rails(shelf: Shelf) -> frozenset[str]:
    kinds = shelf.nodes.values()
    rails = {nic.port for one in kinds for nic in one.rails}
    return frozenset(rails - {nic.port for one in kinds for nic in (*one.storage, *one.business)})


def _ends_of_nodes(
    named: Mapping[PlaneWord, Group], nodes: frozenset[str], *, shared: bool
) -> dict[str, list[HostEnd]]:
    found: dict[str, list[HostEnd]] = defaultdict(list)
    for word, group in named.items():
        for end in group.hosts:
            if end.host in nodes or not nodes:
                plane = "business" if shared and word == "storage" and end.port.vlans else word
                found[plane].append(end)
    return found


def _nics(word: PlaneWord, profile: NodeProfile, *, shared: bool) -> list[list[NicPort]]:
    """The NICs of a node on a fabric, one list for each service that it carries."""
    if word == "compute":
        return [list(profile.rails)]
    if word == "business":
        return [profile.business]
    return [profile.storage, profile.business] if shared else [profile.storage]


def _seen(
    network: Network,
    word: PlaneWord,
    group: Group,
    shelf: Shelf,
    profile: NodeProfile,
    notes: Notes,
    *,
    shared: bool,
) -> Seen:
    nics = _nics(word, profile, shared=shared)
    spread = leaves_of_host(group)
    by = "leaves that a host's NICs are spread over" if spread else "no host is known"
    if word == "compute":
        slots = spread or (2 if group.peers else 1)
        sets = [len(profile.rails)]
        if _is_by_rail(group, profile):
            slots, by = len(profile.rails), "each NIC of a node by its name has a leaf of its own"
    else:
        paired = group.peers or any(network.box[name].facts.pair for name in group.leaves)
        apart = _homes(group, [nic.port for one in nics for nic in one])
        slots = 2 if paired else min(max(spread, apart) or 2, 2)
        sets = [max(len(one), 2) for one in nics]
    notes.say(
        f"{word}: leaves of a unit", slots, "likely" if spread else "guess",
        by,
    )  # fmt: skip
    per_slot = sum(-(-count // slots) for count in sets)
    at = {nic.port: number for one in nics for number, nic in enumerate(one)}
    order: dict[str, int] = {}
    for leaf, mine in group.at.items():
        votes = Counter(at[end.nic] % slots for end in mine if end.nic in at)
        order[leaf] = votes.most_common(1)[0][0] if votes else 0
    return seen(network, word, group, shelf, slots, per_slot, order, notes)


def _is_by_rail(group: Group, profile: NodeProfile) -> bool:
    """Whether every leaf has one NIC of nodes, by its name; some leaves may not have been read."""
    rails = {nic.port for nic in profile.rails}
    nics = [{end.nic for end in mine} for mine in group.at.values()]
    apart = all(len(one) == 1 and one <= rails for one in nics)
    return apart and len({nic for one in nics for nic in one}) > 1


def _homes(group: Group, names: Sequence[str]) -> int:
    """Leaves that NICs of these names need, by how many of them one leaf has; 0 is not known."""
    known = Counter((end.box, end.host) for end in group.hosts if end.host and end.nic in names)
    return -(-len(names) // max(known.values())) if known else 0


def _netmgmt(network: Network) -> IPv4Network | None:
    """The network that most management addresses are in."""
    votes: Counter[IPv4Network] = Counter()
    for box in network.boxes:
        said = box.facts.services.management_address
        if said and "/" in said and ":" not in said:
            votes[IPv4Interface(said).network] += 1
    return votes.most_common(1)[0][0] if votes else None


def _maxima(
    word: PlaneWord,
    one: Seen,
    profile: NodeProfile,
    netmgmt: IPv4Network | None,
    notes: Notes,
) -> Maxima:
    facts = _evidence(word, one, profile, netmgmt)
    best, fits, count = maxima(facts)
    share = f"{len(fits)} of {count} kinds of facts fit"
    sure = "sure" if count > 1 and len(fits) == count else "likely" if fits else "guess"
    text = f"{best.pods} pods or blocks, {best.spines} spines, {best.superspines} superspines"
    notes.say(
        f"{word}: maxima", text, sure,  # type: ignore[arg-type] # one of the words
        f"{share}: {', '.join(fits)}" if fits else "nothing shows room to grow",
    )  # fmt: skip
    return best


def _evidence(
    word: PlaneWord,
    one: Seen,
    profile: NodeProfile,
    netmgmt: IPv4Network | None,
) -> Evidence:
    limits = Counter(limit for _, limit in maximum_prefixes(one) if limit)
    tables: Counter[str] = Counter()
    for _, facts in one.leaf_facts[:1]:
        tables.update(vlan.vrf for vlan in facts.vlans if vlan.gateway)
    nic_count = len(profile.rails) if word == "compute" else 2
    pools = routed_pools(one) if word != "business" else {}
    slots, places = one.places.slots, one.places
    bits = [
        length - net.prefixlen - bits_for(nic_count)
        for net, (length, who) in sorted(pools.items(), key=lambda item: -len(item[1][1]))
    ]
    names = one.group
    users = max((count for vrf, count in tables.items() if vrf), default=0)
    return Evidence(
        slots=slots,
        units=places.units,
        nic_planes=one.nic_planes,
        three_tier=places.three_tier,
        built=Maxima(places.pods, one.spines, one.superspines),
        uplinks=one.uplinks,
        top_uplinks=one.top_uplinks,
        limit=limits.most_common(1)[0][0] if limits else None,
        own=(0 if word == "business" else -(-nic_count // slots)) + tables[""],
        users=users,
        unit_bits=bits[0] if bits and bits[0] >= 0 else None,
        spine=_by_place(places.spine, quarter_indexes_of(one, names.spines, 1)),
        superspine=_by_place(places.superspine, quarter_indexes_of(one, names.superspines, 2)),
        management=_management(one, netmgmt),
        links=_links(one),
    )


def quarter_indexes_of(one: Seen, names: Sequence[str], quarter: int) -> dict[str, int]:
    """Indexes by loopback of some of a fabric's switches."""
    rids = {name: one.facts[name].router_id for name in names}
    return quarter_indexes(rids, one.loopbacks, quarter)


def _by_place(
    places: Mapping[str, tuple[int, int, int]], indexes: Mapping[str, int]
) -> dict[tuple[int, int, int], int]:
    return {place: indexes[name] for name, place in places.items() if name in indexes}


def _management(
    one: Seen, netmgmt: IPv4Network | None
) -> tuple[dict[int, int], dict[tuple[int, int, int], int]]:
    if netmgmt is None:
        return {}, {}

    def number(name: str) -> int | None:
        said = address(one.facts[name].services.management_address)
        return management_number(int(said) - int(netmgmt[0])) if said in netmgmt else None

    leaves = {
        index: at for name, index in one.places.leaf.items() if (at := number(name)) is not None
    }
    spines = {
        place: at for name, place in one.places.spine.items() if (at := number(name)) is not None
    }
    return leaves, spines


def _links(one: Seen) -> dict[tuple[int, int, int], int]:
    """The number of each numbered leaf-spine link, halved, as its place among all links."""
    nets = numbered_links(one)
    rows: dict[tuple[int, int], list[int]] = defaultdict(list)
    for wire in one.group.wires:
        leaf, spine = one.places.leaf.get(wire.low[0]), one.places.spine.get(wire.high[0])
        if leaf is not None and spine is not None and wire.low in nets:
            rows[leaf, spine[2]].append(int(nets[wire.low].network_address) // 2)
    return {
        (leaf, spine, at): number
        for (leaf, spine), mine in rows.items()
        for at, number in enumerate(sorted(mine))
    }
