"""Sections of `fabric.yml` that speak of one fabric: topology, compute, storage, business."""

from __future__ import annotations

from collections import Counter, defaultdict
from ipaddress import IPv4Network
from typing import Any

from inventory.plan import Plane as PlaneWord
from inventory.schema import NodeProfile
from inventory.topology.addressing import LOOPBACK_SPLIT_BITS, bits_for
from switch_configs.readback.facts import VlanFacts

from .guess import Notes
from .hosts import plain_key
from .maxima import Maxima
from .networks import address, network_of
from .people import People
from .plane import Seen, host_networks, numbered_links, routed_pools
from .planes import Fabrics
from .space import Space, around, cover
from .sums import cable_metres, timers

Section = dict[str, Any]
# RFC 6996, section 5; what railbed's own sites begin with.
_PRIVATE = range(4_200_000_000, 4_294_967_295)
_FIRST_ASN = {"compute": 4_200_000_000, "storage": 4_200_100_000, "business": 4_200_200_000}
_METRES = {"node_leaf": 30.0, "leaf_spine": 40.0, "spine_superspine": 100.0}
_ACCESS_NICS = 2
_LINK_BITS = 31


def topology(found: Fabrics, people: People, node: NodeProfile, notes: Notes) -> Section:
    """What is built, and what it may grow to."""
    one, most = found.by_plane["compute"], found.most["compute"]
    places = one.places
    kind = "two-tier"
    if is_by_rail(found, people, node):
        kind = f"rail-optimized-{'three' if places.three_tier else 'two'}-tier"
    notes.say("topology.kind", kind, "likely", f"a node's NICs are on {places.slots} leaves")
    per_pod = max(people.per_unit * places.units, people.nodes_per_pod)
    out: Section = {
        "kind": kind,
        "pods": places.pods,
        "nodes_per_pod": people.nodes_per_pod,
        "spines": one.spines,
        "uplinks_per_spine": one.uplinks,
        "fabric_links": "numbered" if numbered_links(one) else "unnumbered",
        "breakout": dict(zip(("nodes", "fabric", "top"), one.ways, strict=True)),
        "maxima": {"pods": most.pods, "nodes_per_pod": per_pod, "spines": most.spines},
    }
    if places.units > 1:
        out["maxima"]["nodes_per_unit"] = people.per_unit
    if places.three_tier:
        out |= {"superspines": one.superspines, "uplinks_per_superspine": one.top_uplinks}
        out["maxima"]["superspines"] = most.superspines
    if kind == "two-tier":
        out["homes"] = min(places.slots, 2)
        if places.slots > 2:
            notes.unsaid.append(f"a host's NICs are on {places.slots} leaves that are no rails")
    return out


def is_by_rail(found: Fabrics, people: People, node: NodeProfile) -> bool:
    """Whether each NIC of a node has a leaf of its own; three tiers have no other way."""
    places = found.by_plane["compute"].places
    alike = places.slots == len(node.rails) and (places.slots > 1 or not people.nodes)
    return places.three_tier or alike


def compute(
    found: Fabrics, people: People, node: NodeProfile, space: Space, notes: Notes
) -> Section:
    """The section `compute`."""
    one, most = found.by_plane["compute"], found.most["compute"]
    units = most.pods * one.places.units
    slots = len(node.rails) if is_by_rail(found, people, node) else min(one.places.slots, 2)
    adaptive = [
        port.adaptive_routing
        for _, facts in one.leaf_facts
        for port in facts.ports
        if port.addresses
    ]
    out: Section = {
        "node_profile": found.node_profile,
        "leaf_profile": one.leaf_profile,
        "spine_profile": one.spine_profile,
        "pools": {
            **_switch_pools("compute", one, most, slots, space, notes),
            "rails": str(
                _nic_pool(
                    "compute.pools.rails",
                    one,
                    len(node.rails),
                    units,
                    people.per_unit,
                    space,
                    notes,
                )
            ),
        },
        "asn": _asn("compute", one, notes),
        "cable_m": _metres("compute", one, notes),
        "timers": timers(one, notes, "compute"),
    }
    if one.places.three_tier:
        out["superspine_profile"] = one.top_profile
    if any(adaptive):
        out["adaptive_routing"] = True
    return out


def access(word: PlaneWord, found: Fabrics, people: People, space: Space, notes: Notes) -> Section:
    """The part `switches` of a plane beside compute."""
    one, most = found.by_plane[word], found.most[word]
    out: Section = {
        "leaf_profile": one.leaf_profile,
        "spine_profile": one.spine_profile,
        "spines": one.spines,
        "uplinks_per_spine": one.uplinks,
        "leaves_per_block": one.places.slots,
        "pods_per_block": people.pods_per_block[word],
        "fabric_links": "numbered" if numbered_links(one) else "unnumbered",
        "breakout": dict(zip(("nodes", "fabric"), one.ways[:2], strict=True)),
        "pools": _switch_pools(word, one, most, one.places.slots, space, notes),
        "asn": _asn(word, one, notes),
        "cable_m": _metres(word, one, notes),
        "timers": timers(one, notes, f"{word}.switches"),
        "maxima": {"spines": most.spines},
    }
    return out


def storage(found: Fabrics, people: People, space: Space, notes: Notes) -> Section:
    """The section `storage`: routed NICs."""
    one, most = found.by_plane["storage"], found.most["storage"]
    routed = [end.port for end in one.group.hosts if end.port.addresses]
    lossless = any(port.qos and port.qos.pfc_priorities for port in routed)
    pool = _nic_pool(
        "storage.addresses", one, _ACCESS_NICS, most.pods, one.nodes_per_unit, space, notes
    )
    return {
        "transport": "roce" if lossless else "tcp",
        "attach": "l3",
        "addresses": str(pool),
        "ip_mtu_bytes": mtu("storage", one, notes, 9000, routed=True),
        "switches": access("storage", found, people, space, notes),
    }


def business(found: Fabrics, people: People, space: Space, notes: Notes) -> Section:
    """The section `business`: VLANs on pairs of leaves, its own or those of storage."""
    word: PlaneWord = "storage" if found.shared else "business"
    one = found.by_plane[word]
    vlans: dict[int, list[tuple[str, VlanFacts]]] = defaultdict(list)
    for name, facts in one.leaf_facts:
        for vlan in facts.vlans:
            if vlan.gateway and vlan.address:
                vlans[vlan.id].append((name, vlan))
            else:
                notes.unsaid.append(f"{name}: VLAN {vlan.id}, which has no gateway there")
    if not vlans:
        return {}
    permits = (p.prefix for _, f in one.leaf_facts for q in f.policies for p in q.permits)
    if "0.0.0.0/0" in permits:
        notes.unsaid.append(
            "the way out that leaves may hear (0.0.0.0/0): `business.default_route` needs"
            " `boundary`, which no switch says"
        )
    bonded = any(end.port.bond is not None for end in one.group.hosts)
    switches: Any = "storage"
    if not found.shared:
        switches = access("business", found, people, space, notes)
    return {
        "attach": "lacp" if bonded else "single",
        "ip_mtu_bytes": mtu(word, one, notes, 1500, routed=False),
        "vlans": [
            _vlan(one, found.most[word], id_, seen, space, notes) for id_, seen in vlans.items()
        ],
        "switches": switches,
    }


def _vlan(
    one: Seen,
    most: Maxima,
    id_: int,
    seen: list[tuple[str, VlanFacts]],
    space: Space,
    notes: Notes,
) -> Section:
    first = seen[0][1]
    name = next((vlan.name for _, vlan in seen if vlan.name), "") or f"vlan{id_}"
    subnets = [net for _, vlan in seen if (net := network_of(vlan.address or ""))]
    bits = subnets[0].prefixlen
    permitted = [net for net, (length, _) in routed_pools(one).items() if length == bits]
    pool = next((net for net in permitted if all(one.subnet_of(net) for one in subnets)), None)
    if pool is None:
        pool = _widened(cover(subnets), bits - bits_for(most.pods))
        notes.say(f"business.vlans.{id_}.addresses", pool, "guess", "subnets of leaves")
    acl = notes.most(f"business.vlans.{id_}.acl", ((n, vlan.acl) for n, vlan in seen), (), "ACLs")
    rules = [
        {
            "action": rule.action,
            "protocol": rule.protocol,
            "source": rule.source,
            "destination": rule.destination,
            **({} if rule.port is None else {"port": rule.port}),
        }
        for rule in acl
    ]
    out: Section = {
        "id": id_,
        "name": plain_key(name),
        "vrf": plain_key(first.vrf) if first.vrf else "default",
    }
    out["addresses"] = str(space.take(pool))
    return {**out, "acl": rules} if rules else out


def mtu(word: str, one: Seen, notes: Notes, hosts: int, *, routed: bool) -> Section:
    """IP MTU: of hosts nothing in a switch says it, of switches their ports towards hosts do."""
    ports = [
        (f"{end.box}:{end.port.name}", end.port.ip_mtu_bytes)
        for end in one.group.hosts
        if bool(end.port.addresses) == routed or not end.port.vlans
    ]
    found = notes.most(f"{word}.ip_mtu_bytes.switches", ports, 9214, "ports towards hosts")
    notes.say(f"{word}.ip_mtu_bytes.hosts", min(hosts, found), "guess", "hosts are not seen here")
    return {"hosts": min(hosts, found), "switches": found}


def _metres(word: str, one: Seen, notes: Notes) -> Section:
    said: dict[str, list[tuple[str, float | None]]] = defaultdict(list)
    for who, kind, metres in cable_metres(one):
        said[kind].append((who, metres))
    kinds = list(_METRES) if one.places.three_tier else list(_METRES)[:2]
    return {
        kind: float(notes.most(f"{word}.cable_m.{kind}", said[kind], _METRES[kind], "ports"))
        for kind in kinds
    }


def _asn(word: str, one: Seen, notes: Notes) -> Section:
    """First AS numbers: what is left of each when its place is taken off."""
    leaf, spine, tops = one.places.leaf, one.places.spine, one.places.superspine
    bases: dict[str, list[tuple[str, int | None]]] = {
        "spines": [(n, _less(one.facts[n].asn, max(at[0], 1) - 1)) for n, at in spine.items()],
        "leaves": [(n, _less(one.facts[n].asn, index)) for n, index in leaf.items()],
    }
    if one.places.three_tier:
        bases["superspines"] = [(name, one.facts[name].asn) for name in tops]
    out: Section = {}
    for at, (key, seen) in enumerate(bases.items()):
        path, usual = f"{word}.asn.{key}", _FIRST_ASN[word] + 10_000 * at
        fitting = [(name, base) for name, base in seen if base is None or base in _PRIVATE]
        others = [f"{name} has {one.facts[name].asn}" for name, base in {*seen} - {*fitting}]
        out[key] = notes.most(path, fitting, usual, "AS numbers less places")
        if others:
            some = ", ".join(sorted(others)[:3])
            notes.unsaid.append(
                f"{word}: {len(others)} AS numbers of {key} ({some}): a site's are 4-byte private"
            )
    return out


def _less(asn: int | None, place: int) -> int | None:
    return None if asn is None else asn - place


def _switch_pools(
    word: str, one: Seen, most: Maxima, slots: int, space: Space, notes: Notes
) -> Section:
    """Loopbacks and links of a fabric."""
    places = one.places
    max_leaves = most.pods * places.units * slots
    spines = (most.pods if places.three_tier else 1) * one.nic_planes * most.spines
    tops = one.nic_planes * most.spines * most.superspines if places.three_tier else 0
    loopbacks = one.loopbacks
    least = 32 - LOOPBACK_SPLIT_BITS - bits_for(max(max_leaves, spines, tops) + 1)
    if loopbacks is None:
        seen = [address(facts.router_id) for facts in one.facts.values() if facts.router_id]
        loopbacks = _widened(around(seen), least)
        notes.say(f"{word}: loopbacks", loopbacks, "guess", "router IDs")
    else:
        notes.say(f"{word}: loopbacks", loopbacks, "sure", "policies")
    if loopbacks.prefixlen > least or not space.fits(loopbacks):
        notes.unsaid.append(f"{word}: the pool of loopbacks {loopbacks}: too small, or not apart")
        loopbacks = _widened(loopbacks, least)
        loopbacks = loopbacks if space.fits(loopbacks) else space.free(least)
    space.take(loopbacks)
    max_links = max_leaves * most.spines * one.uplinks + spines * most.superspines * one.top_uplinks
    room = _LINK_BITS - bits_for(max_links)
    nets = numbered_links(one)
    if not nets:
        links = space.free(min(room, 24))
        notes.say(
            f"{word}: links", links, "guess", "links are unnumbered: a free network, not used"
        )
    else:
        links = _links_pool(one, most, room, nets)
        if not space.fits(links):
            notes.unsaid.append(f"{word}: addresses of links, {links}: not apart from other pools")
            links = space.free(room)
        space.take(links)
        notes.say(f"{word}: links", links, "likely", f"{len(nets)} numbered links")
    return {"loopbacks": str(loopbacks), "links": str(links)}


def _links_pool(
    one: Seen, most: Maxima, room: int, nets: dict[tuple[str, str], IPv4Network]
) -> IPv4Network:
    """The pool that link 0 of most leaves begins."""
    votes: Counter[int] = Counter()
    seen: Counter[tuple[int, int]] = Counter()
    for wire in sorted(one.group.wires, key=lambda w: int(nets[w.low][0]) if w.low in nets else 0):
        leaf, spine = one.places.leaf.get(wire.low[0]), one.places.spine.get(wire.high[0])
        if leaf is None or spine is None or wire.low not in nets:
            continue
        link = seen[leaf, spine[2]]
        seen[leaf, spine[2]] += 1
        index = leaf * most.spines * one.uplinks + (spine[2] - 1) * one.uplinks + link
        votes[int(nets[wire.low][0]) - 2 * index] += 1
    start = max(votes.most_common(1)[0][0], 0) if votes else int(min(nets.values())[0])
    exact = IPv4Network((start, room), strict=False)
    every = cover([exact, *nets.values()])
    return exact if int(exact[0]) == start or every is None else _widened(every, room)


def _nic_pool(
    path: str, one: Seen, nics: int, units: int, per_unit: int, space: Space, notes: Notes
) -> IPv4Network:
    """The pool of NICs' links: what policies let pass, else what holds all that leaves announce."""
    own = host_networks(one)
    permitted = routed_pools(one)
    best = max(
        permitted, key=lambda net: (len(permitted[net][1]), sum(o.subnet_of(net) for o in own)),
        default=None,
    )  # fmt: skip
    if best is not None and space.fits(best) and any(net.subnet_of(best) for net in own):
        notes.say(path, best, "sure", f"policies of {len(permitted[best][1])} switches")
        return space.take(best)
    room = _LINK_BITS - bits_for(per_unit) - bits_for(nics) - bits_for(units)
    ends = [net for e in one.group.hosts for text in e.port.addresses if (net := network_of(text))]
    seen = cover([*own, *ends]) if own or ends else None
    pool = _widened(seen, room) if seen else space.free(room)
    if seen and not space.fits(pool):
        notes.unsaid.append(f"{path}: {seen} around what leaves announce: not apart from others")
        pool, seen = space.free(room), None
    notes.say(path, pool, "guess", "prefixes of leaves" if seen else "no prefix of hosts is known")
    return space.take(pool)


def _widened(net: IPv4Network | None, prefixlen: int) -> IPv4Network:
    """The network, made wider until it is as short as `prefixlen`."""
    found = net or IPv4Network("10.0.0.0/8")
    return found if found.prefixlen <= prefixlen else found.supernet(new_prefix=max(prefixlen, 8))
