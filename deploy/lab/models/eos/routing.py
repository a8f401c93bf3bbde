"""The routing of a running configuration of EOS.

What EOS does unless told otherwise ("Border Gateway Protocol" of the Arista EOS User Manual): paths
over different ASNs are shared, no community is sent, routes without a policy go both ways. How
often EOS tries to connect again is not published: here it is each second.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..blocks import Block, tree
from ..frr import Bgp, Peer, Routing, communities, prefixes
from ..wanted import kernel_name
from .text import WORDS

_COMMUNITY = {"GSHUT": "graceful-shutdown"}
_CONNECT_S = 1


def routing(text: str) -> Routing:
    """What a text asks of FRR."""
    top = tree(text, WORDS)
    return Routing(
        hostname=top.last(r"hostname (.+)") or "localhost",
        statics=tuple(_statics(top)),
        bgp=tuple(_bgp(match[1], block) for match, block in top.heads(r"router bgp (\d+)")),
        lists=tuple(_lists(top)),
        policies=tuple(
            (match[1], tuple(map(_policy, block.below)))
            for match, block in top.heads(r"route-map (\S+ \S+ \d+)")
        ),
    )


def _statics(top: Block) -> Iterator[str]:
    for match, _ in top.heads(r"ip route (?!vrf )(\S+) (\S+)( \d+)?"):
        hop = "blackhole" if match[2] == "Null0" else kernel_name(match[2])
        yield f"{match[1]} {hop}{match[3] or ''}"


def _bgp(asn: str, block: Block) -> Bgp:
    family = next((one for _, one in block.heads("address-family ipv4")), Block(""))
    networks = [*block.heads(r"network (\S+)"), *family.heads(r"network (\S+)")]
    is_default = not block.has("no bgp default ipv4-unicast")
    return Bgp(
        asn=asn,
        router_id=block.last(r"router-id (\S+)"),
        needs_policy=all(
            block.has(f"bgp missing-policy direction {way} action deny") for way in ("in", "out")
        ),
        is_relaxed=not block.has("no bgp bestpath as-path multipath-relax"),
        networks=tuple(match[1] for match, _ in networks),
        paths=block.last(r"maximum-paths (.+?)( ecmp .+)?") or "1",
        peers=tuple(_peer(block, family, *one, is_default) for one in _peers(block)),
    )


def _peers(block: Block) -> Iterator[tuple[str, str, str]]:
    """Each neighbour: its key in FRR, its group, its ASN."""
    for match, _ in block.heads(r"neighbor interface (\S+) peer-group (\S+) remote-as (\d+)"):
        yield kernel_name(match[1]), match[2], match[3]
    for match, _ in block.heads(r"neighbor (\d\S+) remote-as (\d+)"):
        group = block.last(rf"neighbor {re.escape(match[1])} peer group (\S+)")
        yield match[1], group, match[2]


def _peer(block: Block, family: Block, key: str, group: str, asn: str, is_default: bool) -> Peer:
    names = [name for name in (group, key) if name]
    said = [one for name in names for one in _of(block, name)]
    inside = [one for name in names for one in [*_of(block, name), *_of(family, name)]]
    found = (re.fullmatch(r"bfd interval (\d+) min-rx (\d+) multiplier (\d+)", s) for s in said)
    times = next((f"{m[3]} {m[2]} {m[1]}" for m in found if m), "")
    limits = [re.fullmatch(r"maximum-routes (\d+)( warning-only)?", one) for one in inside]
    is_numbered = key[0].isdigit()
    return Peer(
        key=key,
        asn=asn,
        description=next((s.partition(" ")[2] for s in said if s.startswith("description ")), ""),
        bfd=times if "bfd" in said else None,
        lines=tuple(s for s in said if s.startswith("timers ") or s == "shutdown"),
        connect_s=_CONNECT_S,
        is_active=(is_default or "activate" in inside)
        and (is_numbered or "next-hop address-family ipv6 originate" in inside),
        sends_community=any(one.startswith("send-community") for one in inside),
        limit=next((f"{one[1]}{one[2] or ''}" for one in limits if one), ""),
        policies=tuple(s.partition(" ")[2] for s in inside if s.startswith("route-map ")),
    )


def _of(block: Block, name: str) -> list[str]:
    return [str(m[1]) for m, _ in block.heads(rf"neighbor {re.escape(name)} (.+)")]


def _lists(top: Block) -> Iterator[str]:
    for match, block in top.heads(r"ip prefix-list (\S+)"):
        for entry in block.below:
            yield prefixes(match[1], entry.line)
    seen: dict[str, int] = {}
    for match, _ in top.heads(r"ip community-list (\S+) (permit|deny) (.+)"):
        seen[match[1]] = seen.get(match[1], 0) + 5
        head = f"bgp community-list standard {match[1]} seq {seen[match[1]]}"
        yield f"{head} {match[2]} {communities(match[3], _COMMUNITY)}"


def _policy(entry: Block) -> str:
    match = re.fullmatch(r"set community (.+)", entry.line)
    return f"set community {communities(match[1], _COMMUNITY)}" if match else entry.line
