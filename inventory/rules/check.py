"""Rules across objects: one small function each, its docstring is the rule's reason.

A rule that needs addresses runs only when the pools hold them (`check_overrides`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from inventory.engines.choice import engine_groups_agree, engine_groups_are_known
from inventory.load.yaml_positions import Path
from inventory.model import Fabric
from inventory.problems import Problem
from inventory.software.packages import versions_fit
from inventory.topology import addressing

from .access.accounts import ACCOUNT_RULES
from .access.acls import ACL_RULES
from .access.credentials import CREDENTIAL_RULES
from .access.flows import FLOW_RULES
from .fabric.absent import ABSENT_RULES
from .fabric.asbuilt import devices_are_known, serials_are_unique
from .fabric.autoneg import AUTONEG_RULES
from .fabric.dialects import DIALECT_RULES
from .fabric.lossless import LOSSLESS_RULES
from .fabric.names import NAME_RULES
from .fabric.overrides import OVERRIDE_RULES
from .fabric.planes import PLANE_RULES
from .fabric.pools import POOL_RULES
from .fabric.ports import PORT_RULES
from .fabric.racks import RACK_RULES
from .fabric.rates import RATE_RULES
from .nodes.acceptance import ACCEPTANCE_RULES
from .nodes.gpu import GPU_RULES
from .nodes.host_devices import HOST_DEVICE_RULES
from .nodes.nic_stack import NIC_STACK_RULES
from .nodes.profiles import PROFILE_RULES
from .nodes.role_variables import ROLE_VARIABLE_RULES
from .nodes.versions import VERSION_RULES

# RFC 6996, section 5.
_LAST_PRIVATE_ASN = 4_294_967_294
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
    problems = [problem for rule in RULES for problem in rule(fabric)]
    pools = [problem for rule in POOL_RULES for problem in rule(fabric)]
    problems += pools
    if not pools:
        problems += [problem for rule in OVERRIDE_RULES for problem in rule(fabric)]
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
    before: list[tuple[str, range]] = []
    for one in fabric.fabrics:
        prefix = "" if one.plane == "compute" else f"{one.plane} "
        for word, own in addressing.asn_ranges(one).items():
            path, what = (*one.path, "asn", word), f"{prefix}{word}"
            if not own:
                continue
            if own[-1] > _LAST_PRIVATE_ASN:
                most = _LAST_PRIVATE_ASN - len(own) + 1
                expected = f"at most {most}, so that {len(own)} {what} fit"
                yield fabric.problem(path, str(own[0]), expected, "RFC 6996")
            for whose, other in before:
                if own[0] <= other[-1] and other[0] <= own[-1]:
                    range_of = f"{other[0]} to {other[-1]}"
                    expected = f"a number outside the {whose}' range {range_of}"
                    yield fabric.problem(path, str(own[0]), expected)
            before.append((what, own))


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
    timers_are_sane,
    *LOSSLESS_RULES,
    *NAME_RULES,
    *ABSENT_RULES,
    kinds_have_their_keys,
    *PLANE_RULES,
    *ACCEPTANCE_RULES,
    *ACL_RULES,
    *RACK_RULES,
    engine_groups_are_known,
    engine_groups_agree,
    devices_are_known,
    serials_are_unique,
    versions_fit,
    *PROFILE_RULES,
    *HOST_DEVICE_RULES,
    *VERSION_RULES,
    *NIC_STACK_RULES,
    *GPU_RULES,
    *FLOW_RULES,
    *DIALECT_RULES,
    *ACCOUNT_RULES,
    *RATE_RULES,
    *AUTONEG_RULES,
    *CREDENTIAL_RULES,
    *ROLE_VARIABLE_RULES,
)
