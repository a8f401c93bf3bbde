"""Rules across objects: one small function each, its docstring is the rule's reason.

A rule that needs addresses runs only when the pools hold them (`check_overrides`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from .check_acls import ACL_RULES
from .check_asbuilt import devices_are_known, serials_are_unique
from .check_flows import FLOW_RULES
from .check_lossless import LOSSLESS_RULES
from .check_overrides import OVERRIDE_RULES
from .check_planes import PLANE_RULES
from .check_pools import POOL_RULES
from .check_ports import PORT_RULES
from .check_profiles import PROFILE_RULES
from .check_racks import RACK_RULES
from .check_versions import VERSION_RULES
from .clos import Clos
from .engine_choice import engine_groups_agree, engine_groups_are_known
from .fabrics import SwitchFabric
from .flows import WORDS
from .marked import Path
from .model import Fabric
from .oob_switches import CORE
from .packages import versions_fit
from .population import GPU
from .problems import Problem, few_hints

# RFC 6996, section 5.
_LAST_PRIVATE_ASN = 4_294_967_294
_RESERVED_NAMES = ("all", "ungrouped", "localhost")
# Prefixes of the names of nodes of pods, switches, racks and PDUs.
_TAKEN = (
    *("node-", "leaf-", "spine", "superspine", "oob-", "rack-", "pdu-"),
    *("storage-leaf", "storage-spine", "business-leaf", "business-spine"),
)
_POD_OR_CORE = re.compile(r"p\d+|p\d+-.*|core")
# What a number and the word of a BMC leave of a DNS label.
_GROUP_NAME_BYTES = 50
_GROWTH = {
    "pods": "growth beyond it re-splits pools.rails (every node and leaf is readdressed) and "
    "moves the spines' management cables to later ports of the OOB server",
    "spines": "growth beyond it needs free leaf ports after the last uplink, and with numbered "
    "links readdresses every leaf-spine link",
    "nodes_per_pod": "growth beyond it moves the uplinks of every leaf to later ports and the "
    "nodes' management cables to later ports of the OOB server",
    "superspines": "growth beyond it needs free spine ports after the last uplink, and with "
    "numbered links readdresses every link of a spine",
}


def check(fabric: Fabric) -> tuple[Problem, ...]:
    """Return every rule's problems, sorted by place."""
    rules = (*RULES, *FLOW_RULES)
    problems = [one for rule in rules for one in rule(fabric)]
    pools = [one for rule in POOL_RULES for one in rule(fabric)]
    problems += pools
    if not pools:
        problems += [one for rule in OVERRIDE_RULES for one in rule(fabric)]
    return tuple(sorted(problems))


def counts_within_maxima(fabric: Fabric) -> Iterator[Problem]:
    """Positions are counted within the maxima, so what is built must fit inside them."""
    topology = fabric.intent.topology
    for key, hint in _GROWTH.items():
        built, most = getattr(topology, key), getattr(topology.maxima, key)
        if built is not None and most is not None and built > most:
            expected = f"at most topology.maxima.{key}, {most}"
            yield fabric.problem(("topology", key), str(built), expected, hint)
    for name, group in fabric.intent.servers.items():
        most = topology.maxima.servers_per_group
        if group.count > most:
            expected = f"at most topology.maxima.servers_per_group, {most}"
            yield fabric.problem(("servers", name, "count"), str(group.count), expected)
    for one in fabric.fabrics[1:]:
        if one.clos.spines > one.clos.max_spines:
            path = (*one.path, "spines")
            expected = f"at most {one.plane}.switches.maxima.spines, {one.clos.max_spines}"
            yield fabric.problem(path, str(one.clos.spines), expected, _GROWTH["spines"])


def asns_are_private_and_apart(fabric: Fabric) -> Iterator[Problem]:
    """A BGP speaker drops a route that carries its own ASN, so each leaf has its own.

    All must stay in the private 4-byte range (RFC 6996, section 5), also after growth.
    """
    ranges = [one for each in fabric.fabrics for one in _asn_ranges(each)]
    for number, (path, first, count, what) in enumerate(ranges):
        last = first + count - 1
        if last > _LAST_PRIVATE_ASN:
            expected = f"at most {_LAST_PRIVATE_ASN - count + 1}, so that {count} {what} fit"
            yield fabric.problem(path, str(first), expected, "RFC 6996")
        for _, other, others, whose in ranges[:number]:
            if first < other + others and other <= last:
                range_of = f"{other} to {other + others - 1}"
                expected = f"a number outside the {whose}' range {range_of}"
                yield fabric.problem(path, str(first), expected)


def _asn_ranges(fabric: SwitchFabric) -> list[tuple[tuple[str | int, ...], int, int, str]]:
    """Where, the first, how many, of what."""
    clos, asn, path = fabric.clos, fabric.asn, (*fabric.path, "asn")
    prefix = "" if fabric.plane == "compute" else f"{fabric.plane} "
    spines = clos.max_pods if clos.three_tier else 1
    out = [
        ((*path, "leaves"), asn.leaves, clos.max_leaves, f"{prefix}leaves"),
        ((*path, "spines"), asn.spines, spines, f"{prefix}spines"),
    ]
    if clos.three_tier and asn.superspines is not None:
        out.append(((*path, "superspines"), asn.superspines, 1, f"{prefix}superspines"))
    return out


def mtu_grows_inwards(fabric: Fabric) -> Iterator[Problem]:
    """Every hop must carry the hosts' largest packet; equal is enough, larger is common."""
    intent = fabric.intent
    sections = {
        "lossless": intent.lossless,
        "storage": intent.storage,
        "business": intent.business,
    }
    for name, section in sections.items():
        if section is not None and section.ip_mtu_bytes.hosts > section.ip_mtu_bytes.switches:
            mtu = section.ip_mtu_bytes
            expected = f"at most the switches' IP MTU, {mtu.switches}"
            yield fabric.problem((name, "ip_mtu_bytes", "hosts"), str(mtu.hosts), expected)


def classes_are_apart(fabric: Fabric) -> Iterator[Problem]:
    """CNPs in the lossless class would be paused by the very congestion they report.

    DSCP 0 and priority 0 are what unmarked traffic has: it must not become lossless.
    """
    said = fabric.intent.lossless
    for key in ("dscp", "priority"):
        data, cnp = getattr(said, key), getattr(said.cnp, key)
        if data == 0:
            hint = "0 is best effort: all that nobody marked would be lossless"
            yield fabric.problem(("lossless", key), "0", "a value of its own for RoCE data", hint)
        if data == cnp:
            expected = f"a {key} other than that of RoCE data"
            hint = "CNPs must get through when the lossless class is paused"
            yield fabric.problem(("lossless", "cnp", key), str(cnp), expected, hint)


def timers_are_sane(fabric: Fabric) -> Iterator[Problem]:
    """RFC 4271, section 4.4: keepalives at most a third of the hold time apart.

    BFD is there to be faster than BGP; slower, it would never act.
    """
    for one in fabric.fabrics:
        timers, where = one.timers, (*one.path, "timers")
        if timers.bgp_hold_s < 3 * timers.bgp_keepalive_s:
            expected = f"at least three keepalives, {3 * timers.bgp_keepalive_s} s"
            found, hint = f"{timers.bgp_hold_s} s", "RFC 4271, section 4.4"
            yield fabric.problem((*where, "bgp_hold_s"), found, expected, hint)
        detect_ms = timers.bfd_interval_ms * timers.bfd_multiplier
        if detect_ms >= 1000 * timers.bgp_hold_s:
            found = f"{detect_ms} ms until BFD says down"
            expected = f"less than bgp_hold_s, {timers.bgp_hold_s} s"
            yield fabric.problem((*where, "bfd_interval_ms"), found, expected)


def lossless_mode_is_possible(fabric: Fabric) -> Iterator[Problem]:
    """One switch without PFC and ECN makes the whole path lossy: it must be asked for by name."""
    weak = [
        name
        for one in fabric.fabrics
        if one.plane == "compute" or _carries_roce(fabric, one)
        for name in dict.fromkeys((one.leaf_profile, one.spine_profile, one.superspine_profile))
        if name and one.profiles[name].lossless == "marking-only"
    ]
    if fabric.intent.lossless.mode == "full" and weak:
        found = f"`full` with {' and '.join(dict.fromkeys(weak))}, which can only mark"
        hint = "say `mode: marking-only`: PFC, ECN and buffers are then not asked of this site"
        yield fabric.problem(
            ("lossless", "mode"), found, "switches with PFC, ECN and buffers", hint
        )


def _carries_roce(fabric: Fabric, one: SwitchFabric) -> bool:
    storage = fabric.intent.storage
    return one.plane == "storage" and storage is not None and storage.transport == "roce"


def oob_server_has_its_own_name(fabric: Fabric) -> Iterator[Problem]:
    """Names are identities in DNS, SSH and Ansible: none may mean two things, also later."""
    name = fabric.intent.oob.server
    if name in _RESERVED_NAMES:
        yield fabric.problem(("oob", "server"), f"`{name}`", "a name that Ansible leaves free")
    if name in _grown_names(fabric) or name.startswith(("oob-", "rack-", "pdu-")):
        hint = "a switch or node of this site has that name, now or after growth"
        yield fabric.problem(("oob", "server"), f"`{name}`", "a name of its own", hint)


def _grown_names(fabric: Fabric) -> set[str]:
    switches = {name for one in fabric.fabrics for name in one.at_maxima.clos.names}
    return {*switches, *fabric.population.at_maxima.nodes, CORE}


def groups_have_their_own_names(fabric: Fabric) -> Iterator[Problem]:
    """A server named like a switch or a node of a pod would be two devices in DNS and SSH."""
    for name in fabric.intent.servers:
        word = name.replace("_", "-")
        if name in WORDS or name == GPU:
            hint = "flows name planes, zones and groups: a word means one of them"
            path = ("servers", name)
            yield fabric.marked.key_problem(path, f"`{name}`", "another name for the group", hint)
        path = ("servers", name)
        if f"{word}-".startswith(_TAKEN) or _POD_OR_CORE.fullmatch(word):
            hint = "its servers or racks would be named like others of the site"
            yield fabric.marked.key_problem(path, f"`{name}`", "another name for the group", hint)
        elif len(word) > _GROUP_NAME_BYTES:
            expected, hint = f"at most {_GROUP_NAME_BYTES} characters", "RFC 1035, 2.3.4: 63 a name"
            yield fabric.marked.key_problem(path, f"{len(word)} characters", expected, hint)


def absent_devices_exist(fabric: Fabric) -> Iterator[Problem]:
    """What is not built must be somebody's place, and leaves stand while nodes hang on them."""
    said = fabric.intent.topology.absent
    if not said:
        return
    removable = set(fabric.population.at_maxima.nodes)
    leaves: set[str] = set()
    for one in fabric.fabrics:
        grown = one.at_maxima.clos
        removable |= {*grown.spine_places, *grown.superspine_places}
        leaves |= set(grown.leaves)
    seen: set[str] = set()
    close = few_hints()
    for at, name in enumerate(said):
        path = ("topology", "absent", at)
        if name in seen:
            yield fabric.problem(path, f"`{name}` again", "each name once")
        seen.add(name)
        if name in leaves:
            hint = "its nodes would have a NIC without a leaf: leave out the nodes, or the pod"
            yield fabric.problem(path, f"`{name}`", "a node, spine or superspine", hint)
        elif name not in removable:
            expected = "a node, spine or superspine of this site"
            yield fabric.problem(path, f"`{name}`", expected, close(name, removable))


def some_spines_are_left(fabric: Fabric) -> Iterator[Problem]:
    """Leaves without a spine, or spines without a superspine, cut pods off from each other."""
    if not fabric.intent.topology.absent:
        return
    for one in fabric.fabrics:
        built, full = _sets(one.clos), _sets(replace(one.clos, absent=frozenset()))
        for word in built:
            if full[word] - built[word]:
                found = f"every {word} of one set in `{one.plane}`"
                yield fabric.problem(("topology", "absent"), found, f"one {word} left at least")


def pods_keep_a_common_group(fabric: Fabric) -> Iterator[Problem]:
    """Pods meet in a group of superspines only: each two need a spine of the same number."""
    if not fabric.intent.topology.absent:
        return
    for one in fabric.fabrics:
        groups: dict[tuple[int, int], set[int]] = {}
        for at in one.clos.spine_places.values() if one.clos.three_tier else ():
            groups.setdefault((at.nic_plane, at.pod), set()).add(at.number)
        for (plane, pod), mine in sorted(groups.items()):
            apart = [
                other for (its_plane, other), theirs in sorted(groups.items())
                if its_plane == plane and other > pod and not mine & theirs
            ]  # fmt: skip
            if apart:
                found = f"no number of a spine that pods {pod} and {apart[0]} both have"
                expected = "spines of one number left in both"
                yield fabric.problem(("topology", "absent"), found, expected)
                return


def _sets(clos: Clos) -> dict[str, set[tuple[int, int]]]:
    """The sets of switches that have somebody: spines of a pod, superspines of a group."""
    return {
        "spine": {(at.pod, at.nic_plane) for at in clos.spine_places.values()},
        "superspine": {(at.nic_plane, at.group) for at in clos.superspine_places.values()},
    }


def kinds_have_their_keys(fabric: Fabric) -> Iterator[Problem]:
    """A key that this kind of topology does not read would be believed, and change nothing."""
    topology, compute = fabric.intent.topology, fabric.intent.compute
    three = topology.kind == "rail-optimized-three-tier"
    keys: dict[Path, object] = {
        ("topology", "superspines"): topology.superspines,
        ("topology", "maxima", "superspines"): topology.maxima.superspines,
        ("topology", "oversubscription", "spine"): topology.oversubscription.spine,
        ("compute", "superspine_profile"): compute.superspine_profile,
        ("compute", "asn", "superspines"): compute.asn.superspines,
        ("compute", "cable_m", "spine_superspine"): compute.cable_m.spine_superspine,
    }
    for path, value in keys.items():
        if not three and value is not None:
            yield fabric.problem(path, str(value), "no such key", "only three tiers have it")
    if topology.kind != "two-tier" and topology.homes != 1:
        hint = "only `two-tier` has it: each rail has a leaf of its own"
        yield fabric.problem(("topology", "homes"), str(topology.homes), "1", hint)


RULES: tuple[Callable[[Fabric], Iterator[Problem]], ...] = (
    counts_within_maxima,
    *PORT_RULES,
    asns_are_private_and_apart,
    mtu_grows_inwards,
    classes_are_apart,
    timers_are_sane,
    lossless_mode_is_possible,
    *LOSSLESS_RULES,
    oob_server_has_its_own_name,
    groups_have_their_own_names,
    absent_devices_exist,
    some_spines_are_left,
    pods_keep_a_common_group,
    kinds_have_their_keys,
    *PLANE_RULES,
    *ACL_RULES,
    *RACK_RULES,
    engine_groups_are_known,
    engine_groups_agree,
    devices_are_known,
    serials_are_unique,
    versions_fit,
    *PROFILE_RULES,
    *VERSION_RULES,
)
