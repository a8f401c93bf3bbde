"""Rules across objects: one small function each, its docstring is the rule's reason.

A rule that needs addresses runs only when the pools hold them (`check_overrides`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .check_asbuilt import devices_are_known, serials_are_unique
from .check_overrides import OVERRIDE_RULES
from .check_pools import POOL_RULES
from .check_versions import VERSION_RULES
from .engine_choice import engine_groups_agree, engine_groups_are_known
from .model import Fabric
from .packages import versions_fit
from .problems import Problem

# RFC 6996, section 5.
_LAST_PRIVATE_ASN = 4_294_967_294
# linux/if.h, IFNAMSIZ without its final zero.
_INTERFACE_NAME_BYTES = 15
_RESERVED_NAMES = ("all", "ungrouped", "localhost")
_GROWTH = {
    "pods": "growth beyond it re-splits pools.rails (every node and leaf is readdressed) and "
    "moves the spines' management cables to later ports of the OOB server",
    "spines": "growth beyond it needs free leaf ports after the last uplink, and with numbered "
    "links readdresses every leaf-spine link",
    "nodes_per_pod": "growth beyond it moves the uplinks of every leaf to later ports and the "
    "nodes' management cables to later ports of the OOB server",
}


def check(fabric: Fabric) -> tuple[Problem, ...]:
    """Return every rule's problems, sorted by place."""
    problems = [one for rule in (*RULES, *VERSION_RULES) for one in rule(fabric)]
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
        if built > most:
            expected = f"at most topology.maxima.{key}, {most}"
            yield fabric.problem(("topology", key), str(built), expected, hint)


def leaf_ports_suffice(fabric: Fabric) -> Iterator[Problem]:
    """A leaf needs a port for each possible node and uplink, or growth would move cables."""
    shape, count = fabric.shape, fabric.leaf_profile.ports.count
    needed = shape.max_nodes_per_pod + shape.max_spines * shape.uplinks
    if needed > count:
        sums = f"{shape.max_nodes_per_pod} nodes + {shape.max_spines} spines x {shape.uplinks}"
        found = f"{count} ports ({fabric.intent.compute.leaf_profile})"
        expected = f"at least {needed} ports: {sums}"
        yield fabric.problem(
            ("compute", "leaf_profile"),
            found,
            expected,
            "lower topology.maxima or take a larger leaf",
        )


def spine_ports_suffice(fabric: Fabric) -> Iterator[Problem]:
    """A spine needs a port for each uplink of each possible leaf."""
    shape, count = fabric.shape, fabric.spine_profile.ports.count
    needed = shape.max_leaves * shape.uplinks
    if needed > count:
        sums = f"{shape.max_pods} pods x {shape.rails} rails x {shape.uplinks}"
        found = f"{count} ports ({fabric.intent.compute.spine_profile})"
        expected = f"at least {needed} ports: {sums}"
        yield fabric.problem(
            ("compute", "spine_profile"),
            found,
            expected,
            "lower topology.maxima or take a larger spine",
        )


def switch_port_names_work(fabric: Fabric) -> Iterator[Problem]:
    """A data port that is named like the management port, or too long, cannot exist."""
    compute = fabric.intent.compute
    profiles = {"leaf_profile": fabric.leaf_profile, "spine_profile": fabric.spine_profile}
    for key, profile in profiles.items():
        name = getattr(compute, key)
        path = ("compute", key)
        if profile.management_port in profile.port_names:
            found = f"{name}, whose data ports include its management port"
            yield fabric.problem(path, found, "a management port apart from the data ports")
        longest = profile.ports.name.format(n=profile.ports.count)
        if len(longest) > _INTERFACE_NAME_BYTES:
            found = f"{name}, with a port {longest}"
            yield fabric.problem(
                path, found, f"names of {_INTERFACE_NAME_BYTES} characters at most"
            )


def node_ports_are_distinct(fabric: Fabric) -> Iterator[Problem]:
    """Two rails on one NIC, or a rail on the management port, would join what must be apart."""
    profile = fabric.node_profile
    names = [profile.management_port, *(nic.port for nic in profile.rails)]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        found = f"{fabric.intent.compute.node_profile}, which uses {', '.join(twice)} twice"
        yield fabric.problem(("compute", "node_profile"), found, "one port for each rail")


def asns_are_private_and_apart(fabric: Fabric) -> Iterator[Problem]:
    """A BGP speaker drops a route that carries its own ASN, so each leaf has its own.

    All must stay in the private 4-byte range (RFC 6996, section 5), also after growth.
    """
    asn, leaves = fabric.intent.compute.asn, fabric.shape.max_leaves
    last = asn.leaves + leaves - 1
    if last > _LAST_PRIVATE_ASN:
        expected = f"at most {_LAST_PRIVATE_ASN - leaves + 1}, so that {leaves} leaves fit"
        yield fabric.problem(("compute", "asn", "leaves"), str(asn.leaves), expected, "RFC 6996")
    if asn.leaves <= asn.spines <= last:
        expected = f"a number outside the leaves' range {asn.leaves} to {last}"
        yield fabric.problem(("compute", "asn", "spines"), str(asn.spines), expected)


def mtu_grows_inwards(fabric: Fabric) -> Iterator[Problem]:
    """Every hop must carry the hosts' largest packet; equal is enough, larger is common."""
    mtu = fabric.intent.lossless.ip_mtu_bytes
    if mtu.hosts > mtu.switches:
        expected = f"at most the switches' IP MTU, {mtu.switches}"
        yield fabric.problem(("lossless", "ip_mtu_bytes", "hosts"), str(mtu.hosts), expected)


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
    timers = fabric.intent.compute.timers
    if timers.bgp_hold_s < 3 * timers.bgp_keepalive_s:
        expected = f"at least three keepalives, {3 * timers.bgp_keepalive_s} s"
        path = ("compute", "timers", "bgp_hold_s")
        yield fabric.problem(path, f"{timers.bgp_hold_s} s", expected, "RFC 4271, section 4.4")
    detect_ms = timers.bfd_interval_ms * timers.bfd_multiplier
    if detect_ms >= 1000 * timers.bgp_hold_s:
        found = f"{detect_ms} ms until BFD says down"
        path = ("compute", "timers", "bfd_interval_ms")
        yield fabric.problem(path, found, f"less than bgp_hold_s, {timers.bgp_hold_s} s")


def lossless_mode_is_possible(fabric: Fabric) -> Iterator[Problem]:
    """One switch without PFC and ECN makes the whole path lossy: it must be asked for by name."""
    compute, mode = fabric.intent.compute, fabric.intent.lossless.mode
    profiles = {
        compute.leaf_profile: fabric.leaf_profile,
        compute.spine_profile: fabric.spine_profile,
    }
    weak = [name for name, one in profiles.items() if one.lossless == "marking-only"]
    if mode == "full" and weak:
        found = f"`full` with {' and '.join(weak)}, which can only mark"
        hint = "say `mode: marking-only`: PFC, ECN and buffers are then not asked of this site"
        yield fabric.problem(
            ("lossless", "mode"), found, "switches with PFC, ECN and buffers", hint
        )


def oob_server_has_its_own_name(fabric: Fabric) -> Iterator[Problem]:
    """Names are identities in DNS, SSH and Ansible: none may mean two things, also later."""
    name, grown = fabric.intent.oob.server, fabric.shape.at_maxima
    if name in _RESERVED_NAMES:
        yield fabric.problem(("oob", "server"), f"`{name}`", "a name that Ansible leaves free")
    if name in grown.leaves or name in grown.spine_numbers or name in grown.nodes:
        hint = "a switch or node of this site has that name, now or after growth"
        yield fabric.problem(("oob", "server"), f"`{name}`", "a name of its own", hint)


RULES: tuple[Callable[[Fabric], Iterator[Problem]], ...] = (
    counts_within_maxima,
    leaf_ports_suffice,
    spine_ports_suffice,
    switch_port_names_work,
    node_ports_are_distinct,
    asns_are_private_and_apart,
    mtu_grows_inwards,
    classes_are_apart,
    timers_are_sane,
    lossless_mode_is_possible,
    oob_server_has_its_own_name,
    engine_groups_are_known,
    engine_groups_agree,
    devices_are_known,
    serials_are_unique,
    versions_fit,
)
