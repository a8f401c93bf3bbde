"""`router` and `vrf`: BGP, policies, discard routes, hashing of equal paths.

Sources: NVIDIA Cumulus Linux 5.14, Basic and Optional BGP Configuration, BFD, Route Filtering
and Redistribution, Static Routing (blackhole), Equal Cost Multipath; NVUE Command Reference, BGP
and Router Policy; 5.15 New and Changed Commands. Graceful restart stays as it is by default:
helper only. NVUE has no word for RFC 8212, so every session has both policies.
"""

from __future__ import annotations

from inventory.plan import BgpSession, RoutingTable
from switch_configs.policies import GRACEFUL_SHUTDOWN, Policy, policies, policy_name

from .. import values
from ..tree import Tree, put
from ..words import Words
from .base import Base

_BFD = "fabric"
_FROM_ABOVE, _DRAINED = "from-above", "graceful-shutdown"
_MOST_PATHS = {"spectrum4": 128}
_MOST_PATHS_ELSE = 64
_HASHED = ("destination-ip", "destination-port", "ip-protocol", "source-ip", "source-port")


def routing(base: Base, tree: Tree) -> None:
    """All routing of a data switch."""
    switch, words = base.intent.switch, base.words
    put(tree, "router", "bgp", "autonomous-system", value=switch.asn)
    put(tree, "router", "bgp", "router-id", value=str(switch.loopback))
    _enable(tree, "router", "bgp", words=words)
    _bfd_profile(base, tree)
    if switch.adaptive_routing:
        _enable(tree, "router", "adaptive-routing", words=words)
    if switch.vlans:
        _enable(tree, "router", "vrr", words=words)
    for policy in policies(switch, drained=base.intent.drained):
        _policy(policy, tree)
    for table in switch.tables:
        _table(base, table, tree)
    for field in _HASHED:
        put(tree, "system", "forwarding", "ecmp-hash", field, value=words.on)
    seed = values.within(base.device, "hash seed", switch.hash_seed, 0, 2**32 - 1)
    put(tree, "system", "forwarding", "hash-seed", value=seed)


def _enable(tree: Tree, *at: str, words: Words) -> None:
    for key, word in words.enable.items():
        put(tree, *at, key, value=word)


def _bfd_profile(base: Base, tree: Tree) -> None:
    if base.words.bfd_profiles:
        _enable(tree, "router", "bfd", words=base.words)
        timers = base.intent.switch.timers
        at = ("router", "bfd", "profile", _BFD)
        put(tree, *at, "detect-multiplier", value=timers.bfd_multiplier)
        put(tree, *at, "min-rx-interval", value=timers.bfd_interval_ms)
        put(tree, *at, "min-tx-interval", value=timers.bfd_interval_ms)


def _table(base: Base, table: RoutingTable, tree: Tree) -> None:
    vrf = values.table(base.device, table.vrf) if table.vrf else "default"
    at, words = ("vrf", vrf, "router"), base.words
    for prefix in table.aggregates:
        put(tree, *at, "static", prefix, "address-family", value="ipv4-unicast")
        put(tree, *at, "static", prefix, "via", "blackhole", "type", value="blackhole")
    family = (*at, "bgp", "address-family", "ipv4-unicast")
    _enable(tree, *at, "bgp", words=words)
    _enable(tree, *family, words=words)
    for prefix in table.originates:
        put(tree, *family, "network", prefix)
    put(tree, *family, "multipaths", "ebgp", value=_width(base))
    relax = (*at, "bgp", "path-selection", "multipath", "aspath-ignore")
    put(tree, *relax, value=words.on)
    sessions = [one for one in base.intent.switch.sessions if one.vrf == table.vrf]
    for direction in sorted({one.direction for one in sessions}):
        _group(base, (*at, "bgp"), table.vrf, direction, tree)
    for session in sessions:
        _neighbour((*at, "bgp"), session, tree)


def _width(base: Base) -> int:
    switch = base.intent.switch
    most = _MOST_PATHS.get(switch.hardware.asic, _MOST_PATHS_ELSE)
    return values.within(base.device, "ECMP width", switch.ecmp_width, 1, most)


def _group(base: Base, bgp: tuple[str, ...], vrf: str, direction: str, tree: Tree) -> None:
    timers, words = base.intent.switch.timers, base.words
    at = (*bgp, "peer-group", direction)
    for key, seconds, least in (
        ("keepalive", timers.bgp_keepalive_s, 1),
        ("hold", timers.bgp_hold_s, 3),
        ("connection-retry", timers.bgp_connect_s, 1),
    ):
        put(tree, *at, "timers", key, value=values.within(base.device, key, seconds, least, 65535))
    _bfd(base, at, tree)
    family = (*at, "address-family", "ipv4-unicast")
    _enable(tree, *family, words=words)
    # The names that `policies` gives: by direction, and by table where it is not the default.
    name_in = policy_name(vrf, direction, is_in=True)  # type: ignore[arg-type]
    name_out = policy_name(vrf, direction, is_in=False)  # type: ignore[arg-type]
    put(tree, *family, "policy", "inbound", "route-map", value=name_in)
    put(tree, *family, "policy", "outbound", "route-map", value=name_out)
    most = base.intent.switch.maximum_prefix
    put(tree, *family, "prefix-limits", "inbound", "maximum", value=most)
    put(tree, *family, "prefix-limits", "inbound", "warning-only", value=words.on)
    put(tree, *family, "community-advertise", "regular", value=words.on)


def _bfd(base: Base, at: tuple[str, ...], tree: Tree) -> None:
    if base.words.bfd_profiles:
        put(tree, *at, "bfd", "profile", value=_BFD)
        return
    timers, device = base.intent.switch.timers, base.device
    put(tree, *at, "bfd", "enable", value="on")
    many = values.within(device, "BFD multiplier", timers.bfd_multiplier, 2, 255)
    put(tree, *at, "bfd", "detect-multiplier", value=many)
    every = values.within(device, "BFD interval", timers.bfd_interval_ms, 50, 60000)
    put(tree, *at, "bfd", "min-rx-interval", value=every)
    put(tree, *at, "bfd", "min-tx-interval", value=every)


def _neighbour(bgp: tuple[str, ...], session: BgpSession, tree: Tree) -> None:
    at = (*bgp, "neighbor", session.key)
    put(tree, *at, "peer-group", value=session.direction)
    put(tree, *at, "remote-as", value=session.peer_asn)
    put(tree, *at, "type", value="numbered" if session.peer_address else "unnumbered")
    put(tree, *at, "description", value=str(session.peer))


def _policy(policy: Policy, tree: Tree) -> None:
    """A route map: what is refused, what is used last, what passes; all else is dropped."""
    _prefixes(policy, tree)
    rules: list[tuple[dict[str, str], str, dict[str, int]]] = []
    for community in policy.refuses:
        _community_list(_FROM_ABOVE, community, tree)
        rules.append(({"community-list": _FROM_ABOVE}, "deny", {}))
    if policy.drained_last:
        _community_list(_DRAINED, GRACEFUL_SHUTDOWN, tree)
        last = {"ip-prefix-list": policy.name, "community-list": _DRAINED}
        rules.append((last, "permit", {"local-preference": 0}))
    rules.append(({"ip-prefix-list": policy.name}, "permit", {}))
    for number, (matches, action, sets) in enumerate(rules, start=1):
        at = ("router", "policy", "route-map", policy.name, "rule", str(10 * number))
        put(tree, *at, "action", action)
        put(tree, *at, "match", "type", value="ipv4")
        for key, word in matches.items():
            put(tree, *at, "match", key, value=word)
        for key, number_set in sets.items():
            put(tree, *at, "set", key, value=number_set)
        for community in policy.adds if action == "permit" else ():
            put(tree, *at, "set", "community", community)


def _prefixes(policy: Policy, tree: Tree) -> None:
    at = ("router", "policy", "prefix-list", policy.name)
    put(tree, *at, "type", value="ipv4")
    for number, (prefix, bits) in enumerate(sorted(policy.permits), start=1):
        rule = (*at, "rule", str(10 * number))
        put(tree, *rule, "action", value="permit")
        put(tree, *rule, "match", prefix)
        if bits != prefix.prefixlen:
            put(tree, *rule, "match", prefix, "min-prefix-len", value=bits)
            put(tree, *rule, "match", prefix, "max-prefix-len", value=bits)


def _community_list(name: str, community: str, tree: Tree) -> None:
    at = ("router", "policy", "community-list", name, "rule", "10")
    put(tree, *at, "action", value="permit")
    put(tree, *at, "community", community)
