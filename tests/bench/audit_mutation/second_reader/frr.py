"""FRR, by https://docs.frrouting.org/en/frr-8.4/ (BGP, BFD, Filtering, Route Maps, VTYSH).

Defaults used here: BGP of "traditional": keepalive 60, hold 180, connect 120 s, RFC 8212 on,
ipv4 unicast of every neighbour unless told; a BFD profile that says nothing, or is not there, is
3 x 300 ms, and naming one turns BFD on. `exit` and `!` only leave a mode, and a command that the
mode does not know is tried in the one above, so that a neighbour's words for ipv4 unicast work
without `address-family`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from . import policy
from .tree import Line, tree

# What is logged, what a person reads, and how vtysh keeps its files.
_DROPPED = re.compile(r"^(exit|end|frr defaults traditional$|(no )?service integrated)")
_LOGS = re.compile(r"^(no )?(log |hostname |bgp log-neighbor-changes$)")
# Commands of bgpd, bfdd, zebra and staticd that these files may have beside those read here.
_KNOWN = re.compile(
    r"^(no )?(fpm (use-next-hop-groups$|address)|zebra nexthop kernel enable$|frr |"
    r"log syslog|hostname |ip route \S+ (blackhole|Null0|[\d.]+)$|bgp )"
)
_PEER = (
    "ebgp-multihop",
    "next-hop-self",
    "password",
    "send-community",
    "shutdown",
    "soft-reconfiguration",
    "update-source",
)
_FAMILIES = ("ipv4 multicast", "ipv4 vpn", "ipv4 labeled-unicast", "ipv6 unicast", "l2vpn evpn")


def read(text: str) -> dict[tuple[object, ...], object]:
    """What one frr.conf does."""
    root = tree(text)
    found: dict[tuple[object, ...], object] = {}
    policies, profiles = _policies(root), _profiles(root)
    for name, block in root.blocks("router bgp"):
        asn, _, rest = name.partition(" ")
        vrf = rest.removeprefix("vrf ") or "default"
        found["routing", vrf, "asn"] = asn
        _table(vrf, [*_every(block)], policies, profiles, found)
    for line in root.below:
        done = ("router bgp", "ip prefix-list", "bgp community-list", "route-map", "bfd")
        known = _KNOWN.match(line.said) and not _DROPPED.match(line.said)
        if known and not line.said.startswith(done):
            logs = _LOGS.match(line.said)
            found["services/other" if logs else "routing", line.said] = True
    return found


def _every(block: Line) -> Iterator[Line]:
    for one in block.below:
        if one.said.removeprefix("address-family ") in _FAMILIES:
            continue
        yield one
        yield from _every(one)


def _profiles(root: Line) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for _, block in root.blocks("bfd"):
        for name, one in block.blocks("profile"):
            known = ("detect-multiplier", "receive-interval", "transmit-interval", "echo")
            found[name] = {line.words[0]: line.said for line in one.below if line.words[0] in known}
    return found


def _policies(root: Line) -> dict[str, object]:
    prefixes = policy.listed(root.after("ip prefix-list"))
    communities: dict[str, object] = {}
    for said in root.after("bgp community-list standard"):
        match = re.fullmatch(r"(\S+) seq \d+ (permit|deny) (\S+)", said)
        if match:
            communities[match[1]] = (match[2], policy.community(match[3]))
    entries: dict[str, policy.Entries] = {}
    for name, block in root.blocks("route-map"):
        words = name.split()
        if len(words) == 3 and words[1] in {"permit", "deny"} and words[2].isdigit():
            clauses = dict(
                policy.clause(one.said) for one in block.below if not _DROPPED.match(one.said)
            )
            known = entries.setdefault(words[0], {}).get(int(words[2]), ("", {}))[1]
            entries[words[0]][int(words[2])] = (words[1], {**known, **clauses})
    return {name: policy.route_map(one, prefixes, communities) for name, one in entries.items()}


def _table(
    vrf: str, lines: list[Line], policies: Mapping[str, object],
    profiles: Mapping[str, Mapping[str, str]], found: dict[tuple[object, ...], object],
) -> None:  # fmt: skip
    peers: dict[str, dict[str, object]] = {}
    for line in lines:
        said, words = line.said, line.words
        off = words[0] == "no"
        if said.startswith("neighbor") and len(words) > 2:
            peers.setdefault(words[1], {}).update(_setting(words[2:], policies, profiles))
        elif said.startswith("no neighbor") and len(words) > 3:
            kinds = _setting(words[3:], policies, profiles)
            for kind in kinds:
                peers.get(words[2], {}).pop(kind, None)
        elif words[0] in {"network", "maximum-paths"}:
            net = policy.prefix(" ".join(words[1:])) if words[0] == "network" else said
            if net:
                found["routing", vrf, words[0], net if words[0] == "network" else ""] = net
        elif _KNOWN.match(said) and not _DROPPED.match(said) and "bgp default" not in said:
            key = " ".join(words[1:4] if off else words[:3])
            key = "router-id" if "router-id" in said else key
            found["services/other" if _LOGS.match(said) else "routing", vrf, key] = said
    default = "no bgp default ipv4-unicast" not in {line.said for line in lines}
    for peer, settings in peers.items():
        if "remote-as" not in settings:
            continue
        settings.setdefault("timers", "60 180")
        settings.setdefault("connect", "120")
        if default:
            settings["activate"] = True
        active = settings.get("activate")
        for kind, value in settings.items():
            if active or kind == "remote-as":
                found["routing", vrf, peer, kind] = value


def _setting(
    rest: list[str], policies: Mapping[str, object], profiles: Mapping[str, Mapping[str, str]]
) -> dict[str, object]:
    said = " ".join(rest)
    match rest:
        case ["interface", "remote-as", asn] if asn.isdigit() or asn in {"external", "internal"}:
            return {"remote-as": asn}
        case ["remote-as", asn]:
            return {"remote-as": asn}
        case ["bfd"]:
            return {"bfd": frozenset()}
        case ["bfd", "profile", name]:
            return {"bfd": frozenset(profiles.get(name, {}).values())}
        case ["timers", "connect", seconds]:
            return {"connect": seconds}
        case ["timers", keep, hold] if keep.isdigit() and hold.isdigit():
            return {"timers": f"{keep} {hold}"}
        case ["route-map", name, ("in" | "out") as way]:
            return {f"route-map {way}": policies.get(name, "absent")}
        case ["description", *_]:
            return {}
        case ["activate"]:
            return {"activate": True}
        case ["maximum-prefix", *_]:
            return {"maximum-prefix": said}
    return {said: True} if rest and rest[0] in _PEER else {}
