"""The routing of an NVUE configuration.

What NVUE does unless told otherwise (Cumulus Linux 5.14, Basic and Optional BGP Configuration;
FRR's `datacenter` profile, which its FRR has): sessions are kept alive every 3 s, held for 9 and
tried again after 10; 64 paths are shared, over other ASNs only with `aspath-ignore`; communities
are sent; routes without a policy go both ways; a neighbour is in IPv4; BFD asks for 3 x 300 ms. BGP
is on where both `router bgp` and that of the VRF are. A neighbour says what its group does not.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..frr import Bgp, Peer, Routing, communities
from ..trees import Tree
from .tree import read
from .wanted import MANAGEMENT, below

_COMMUNITY = {"65535:0": "graceful-shutdown", "65535:65281": "no-export", "local-as": "local-AS"}
_KEEPALIVE, _HOLD, _RETRY_S = "3", "9", 10
_PATHS = "64"
_BFD = ("3", "300", "300")
_FAMILY = "ipv4-unicast"


def routing(text: str) -> Routing:
    """What a text asks of FRR."""
    tree = below(read(text), "set")
    mine, process = below(tree, "router", "bgp"), below(tree, "vrf", "default", "router", "bgp")
    is_on = mine.get("enable") == process.get("enable") == "on"
    policy = below(tree, "router", "policy")
    return Routing(
        hostname=str(below(tree, "system").get("hostname", "cumulus")),
        statics=tuple(_statics(tree)),
        bgp=(_bgp({**mine, **process}),) if is_on else (),
        lists=tuple(_lists(policy)),
        policies=tuple(_policies(policy)),
    )


def _statics(tree: Tree) -> Iterator[str]:
    port = below(tree, "interface", MANAGEMENT, "ip")
    if "vrf" not in port:
        yield from (f"0.0.0.0/0 {one}" for one in below(port, "gateway"))
    for prefix, one in below(tree, "vrf", "default", "router", "static").items():
        for via in below(one, "via") if ":" not in prefix else ():
            yield f"{prefix} {via}"


def _bgp(said: Tree) -> Bgp:
    family = below(said, "address-family", _FAMILY)
    relaxed = below(said, "path-selection", "multipath").get("aspath-ignore")
    return Bgp(
        asn=str(said["autonomous-system"]),
        router_id=str(said.get("router-id", "")),
        needs_policy=False,
        is_relaxed=relaxed == "on",
        networks=tuple(below(family, "network")) if _is_on(family) else (),
        paths=str(below(family, "multipaths").get("ebgp", _PATHS)),
        peers=tuple(_peers(said)),
        is_leaving=said.get("graceful-shutdown") == "on",
    )


def _is_on(said: Tree) -> bool:
    return bool(said.get("enable", "on") == "on")


def _peers(said: Tree) -> Iterator[Peer]:
    for key, alone in below(said, "neighbor").items():
        one = _over(below(said, "peer-group", str(alone.get("peer-group", ""))), alone)
        family, timers = below(one, "address-family", _FAMILY), below(one, "timers")
        if "remote-as" not in one or not _is_on(one):
            continue
        kept = (timers.get("keepalive", _KEEPALIVE), timers.get("hold", _HOLD))
        limits = below(family, "prefix-limits", "inbound")
        ways = below(family, "policy")
        yield Peer(
            key=key,
            asn=str(one["remote-as"]),
            description=str(one.get("description", "")),
            bfd=_bfd(below(one, "bfd")),
            lines=(
                f"timers {kept[0]} {kept[1]}",
                *(["shutdown"] if one.get("shutdown") == "on" else []),
                *(["graceful-shutdown"] if one.get("graceful-shutdown") == "on" else []),
            ),
            connect_s=int(timers.get("connection-retry", _RETRY_S)),
            is_active=_is_on(family),
            sends_community=below(family, "community-advertise").get("regular", "on") == "on",
            limit=_limit(limits),
            policies=tuple(
                f"{below(ways, way)['route-map']} {way.removesuffix('bound')}"
                for way in ("inbound", "outbound")
                if "route-map" in below(ways, way)
            ),
        )


def _over(group: Tree, alone: Tree) -> Tree:
    """What a neighbour says, and where it is silent what its group does."""
    both = dict(group)
    for key, value in alone.items():
        is_deep = isinstance(value, dict)
        both[key] = _over(below(group, key), value) if is_deep else value
    return both


def _bfd(said: Tree) -> str | None:
    """Multiplier and intervals in FRR's order; None where it is not on."""
    if said.get("enable") != "on":
        return None
    names = ("detect-multiplier", "min-rx-interval", "min-tx-interval")
    return " ".join(str(said.get(*both)) for both in zip(names, _BFD, strict=True))


def _limit(said: Tree) -> str:
    if "maximum" not in said:
        return ""
    threshold = [str(said["warning-threshold"])] if "warning-threshold" in said else []
    only = ["warning-only"] if said.get("warning-only") == "on" else []
    return " ".join([str(said["maximum"]), *threshold, *only])


def _by_number(rules: Tree) -> list[tuple[str, Tree]]:
    return sorted(rules.items(), key=lambda one: int(one[0]))


def _lists(policy: Tree) -> Iterator[str]:
    for name, one in below(policy, "prefix-list").items():
        for number, rule in _by_number(below(one, "rule")) if one.get("type") != "ipv6" else ():
            for prefix, lengths in below(rule, "match").items():
                words = [f"ip prefix-list {name} seq {number} {_action(rule)} {prefix}"]
                for key, word in (("min-prefix-len", "ge"), ("max-prefix-len", "le")):
                    words += [f"{word} {lengths[key]}"] if key in lengths else []
                yield " ".join(words)
    for name, one in below(policy, "community-list").items():
        for number, rule in _by_number(below(one, "rule")):
            held = communities(" ".join(below(rule, "community")), _COMMUNITY)
            yield f"bgp community-list standard {name} seq {number} {_action(rule)} {held}"


def _action(rule: Tree) -> str:
    action = rule["action"]
    return str(next(iter(action)) if isinstance(action, dict) else action)


def _policies(policy: Tree) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, one in below(policy, "route-map").items():
        for number, rule in _by_number(below(one, "rule")):
            yield f"{name} {_action(rule)} {number}", (*_matches(rule), *_sets(rule))


def _matches(rule: Tree) -> Iterator[str]:
    words = {"ip-prefix-list": "ip address prefix-list", "community-list": "community",
             "as-path-list": "as-path", "interface": "interface", "tag": "tag"}  # fmt: skip
    match = below(rule, "match")
    yield from (f"match {word} {match[key]}" for key, word in words.items() if key in match)


def _sets(rule: Tree) -> Iterator[str]:
    held = below(rule, "set")
    for key in ("local-preference", "metric", "weight", "tag"):
        if key in held:
            yield f"set {key} {held[key]}"
    if added := below(held, "community"):
        yield f"set community {communities(' '.join(added), _COMMUNITY)}"
