"""Rules for the storage and business planes: how nodes hang on them, and what they share."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from inventory.model import Fabric
from inventory.problems import Problem
from inventory.topology.fabrics import DEFAULT_VRF

# linux/if.h, IFNAMSIZ without its final zero: in Linux a VRF is a network device.
_TABLE_NAME_BYTES = 15
_TABLES_OF_SWITCHES = ("mgmt", "management", "main", "local", "global")


def storage_attaches_one_way(fabric: Fabric) -> Iterator[Problem]:
    """A bond is in a VLAN; a routed NIC in none: anything else has no meaning."""
    storage = fabric.intent.storage
    if storage is None:
        return
    if storage.attach == "lacp" and storage.vlan is None:
        hint = "with `attach: lacp` all bonds are in this VLAN"
        yield fabric.problem(("storage", "vlan"), "nothing", "the key `vlan`", hint)
    if storage.attach == "l3" and storage.vlan is not None:
        hint = "with `attach: l3` each NIC has a /31 of its own"
        yield fabric.problem(("storage", "vlan"), str(storage.vlan), "no VLAN", hint)


def vlans_are_apart(fabric: Fabric) -> Iterator[Problem]:
    """A VLAN number or name used twice on one switch joins what must be apart."""
    business, storage = fabric.intent.business, fabric.intent.storage
    if business is None:
        return
    ids: dict[int, str] = {}
    names: set[str] = set()
    if storage is not None and storage.vlan is not None and business.switches == "storage":
        ids[storage.vlan] = "the storage plane"
    for at, vlan in enumerate(business.vlans):
        path = ("business", "vlans", at)
        if vlan.id in ids:
            found, hint = f"VLAN {vlan.id} again", f"{ids[vlan.id]} has it"
            yield fabric.problem((*path, "id"), found, "each VLAN once", hint)
        if vlan.name in names:
            yield fabric.problem((*path, "name"), f"`{vlan.name}` again", "each name once")
        ids.setdefault(vlan.id, f"`{vlan.name}`")
        names.add(vlan.name)


def single_nics_have_one_vlan(fabric: Fabric) -> Iterator[Problem]:
    """Without a bond there is one NIC on one leaf: its pair must not share its VLANs' traffic."""
    business = fabric.intent.business
    if business is None or business.attach != "single":
        return
    for one in fabric.fabrics:
        mine = any(service.plane == "business" for service in one.services)
        if mine and len(one.clos.slots) > 1:
            found = f"`single` on {len(one.clos.slots)} leaves a block"
            hint = "one NIC leaves the second leaf unused: `leaves_per_block: 1`, or a bond"
            yield fabric.problem(("business", "attach"), found, "`lacp`", hint)


def tables_have_links(fabric: Fabric) -> Iterator[Problem]:
    """Each routing table has sessions of its own on each link; /31s exist for one table only."""
    for one in fabric.fabrics:
        tables = {vlan.vrf for each in one.services for vlan in each.vlans if vlan.vrf}
        if one.numbered and tables:
            found = f"`numbered` with the routing table {', '.join(sorted(tables))}"
            expected = f"`unnumbered`, or `vrf: {DEFAULT_VRF}` for every VLAN"
            yield fabric.problem((*one.path, "fabric_links"), found, expected)


def shared_switches_keep_planes_apart(fabric: Fabric) -> Iterator[Problem]:
    """On shared switches, only a routing table of its own keeps users out of storage."""
    business = fabric.intent.business
    if business is None or business.switches != "storage":
        return
    for at, vlan in enumerate(business.vlans):
        if vlan.vrf == DEFAULT_VRF:
            path = ("business", "vlans", at, "vrf")
            hint = "storage has the default table of these switches"
            yield fabric.problem(path, f"`{DEFAULT_VRF}`", "a table of its own", hint)


def acls_name_ports_of_protocols(fabric: Fabric) -> Iterator[Problem]:
    """Only TCP and UDP have ports; on others a switch would refuse the line or ignore it."""
    business = fabric.intent.business
    for at, vlan in enumerate(business.vlans if business else ()):
        for number, rule in enumerate(vlan.acl):
            if rule.port is not None and rule.protocol not in ("tcp", "udp"):
                path = ("business", "vlans", at, "acl", number, "port")
                yield fabric.problem(path, f"a port of {rule.protocol}", "tcp or udp")


def planes_reach_somebody(fabric: Fabric) -> Iterator[Problem]:
    """A plane that no NIC of any node is in has switches for nothing, or a profile lacks NICs."""
    for one in fabric.fabrics[1:]:
        for service in one.services:
            if not any(service.landings.values()):
                hint = f"give a node profile `{service.plane}` NICs, or leave the plane out"
                path = (service.plane,)
                yield fabric.marked.key_problem(path, "no NIC of any node", "a NIC in it", hint)


def nics_fit_the_maxima(fabric: Fabric) -> Iterator[Problem]:
    """Ports and pools are split by the most NICs of a node: more would move everybody's."""
    for one in fabric.fabrics[1:]:
        for service in one.services:
            worst = max(service.landings.items(), key=lambda item: len(item[1]), default=("", ()))
            if len(worst[1]) > service.nic_count:
                path = (*one.path, "maxima", "nics_per_node")
                expected = f"at least {len(worst[1])}, as {worst[0]} has in `{service.plane}`"
                yield fabric.problem(path, str(service.nic_count), expected)


def nics_reach_every_leaf(fabric: Fabric) -> Iterator[Problem]:
    """NICs are spread over all leaves of a block: with fewer NICs a leaf would have no nodes."""
    topology = fabric.intent.topology
    rails = len(fabric.node_profile.rails)
    if topology.kind == "two-tier" and 0 < rails < topology.homes:
        found = f"{topology.homes}, and {fabric.intent.compute.node_profile} has {rails} rail NIC"
        yield fabric.problem(("topology", "homes"), found, "1", "a leaf would have no nodes")
    for one in fabric.fabrics[1:]:
        leaves = len(one.clos.slots)
        for service in one.services:
            short = [
                name for name, landings in service.landings.items() if 0 < len(landings) < leaves
            ]
            if short and (service.bonded or service.routed):
                nics = f"{len(service.landings[short[0]])} NIC in `{service.plane}`"
                found = f"{leaves}, and {short[0]} has {nics}"
                path = (*one.path, "leaves_per_block")
                yield fabric.problem(path, found, "1", "a NIC for each leaf, or one leaf a block")


def table_names_work(fabric: Fabric) -> Iterator[Problem]:
    """A routing table is an interface on a switch: 15 characters, and none of its own tables."""
    business = fabric.intent.business
    for at, vlan in enumerate(business.vlans if business else ()):
        path = ("business", "vlans", at, "vrf")
        if vlan.vrf in _TABLES_OF_SWITCHES:
            hint = "switches have a table of that name for themselves"
            yield fabric.problem(path, f"`{vlan.vrf}`", "another name", hint)
        elif len(vlan.vrf) > _TABLE_NAME_BYTES:
            expected = f"at most {_TABLE_NAME_BYTES} characters"
            yield fabric.problem(path, f"`{vlan.vrf}`", expected, "linux/if.h, IFNAMSIZ")


def one_lock_for_all(fabric: Fabric) -> Iterator[Problem]:
    """All servers of a site get their packages from one lock: one OS, one architecture."""
    own = fabric.node_profile
    for name, group in fabric.intent.servers.items():
        other = fabric.node_profiles[group.profile]
        if (other.os, other.arch) != (own.os, own.arch):
            found = f"`{group.profile}`, {other.os} {other.arch}"
            expected = f"{own.os} {own.arch}, as the nodes have"
            yield fabric.problem(("servers", name, "profile"), found, expected)


PLANE_RULES: tuple[Callable[[Fabric], Iterator[Problem]], ...] = (
    storage_attaches_one_way,
    vlans_are_apart,
    single_nics_have_one_vlan,
    tables_have_links,
    shared_switches_keep_planes_apart,
    acls_name_ports_of_protocols,
    planes_reach_somebody,
    nics_fit_the_maxima,
    nics_reach_every_leaf,
    table_names_work,
    one_lock_for_all,
)
