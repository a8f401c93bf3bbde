"""The routing of a running configuration of NX-OS.

What NX-OS does unless told otherwise ("Configuring Basic BGP" and "Configuring Advanced BGP" of the
Cisco Nexus 9000 NX-OS Unicast Routing guide): paths over different ASNs are not shared, one path is
used, no community is sent, routes without a policy go both ways, it connects again after a minute,
a session is in no address family that it does not name. BFD asks for the interval of its port, of
the switch, or for 50 ms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..blocks import Block, tree
from ..frr import Bgp, Peer, Routing, communities, prefixes
from ..wanted import kernel_name
from .text import WORDS

_COMMUNITY = {"65535:0": "graceful-shutdown", "local-AS": "local-as"}
_CONNECT_S = 60
_BFD = r"bfd interval (\d+) min_rx (\d+) multiplier (\d+)"
_BFD_TIMES = "3 50 50"
_FAMILY = "address-family ipv4 unicast"


def routing(text: str) -> Routing:
    """What a text asks of FRR."""
    top = tree(text, WORDS)
    processes = top.heads(r"router bgp (\d+)") if top.has("feature bgp") else []
    return Routing(
        hostname=top.last(r"hostname (.+)") or "switch",
        statics=tuple(_statics(top)),
        bgp=tuple(_bgp(match[1], block, top) for match, block in processes),
        lists=tuple(_lists(top)),
        policies=tuple(
            (match[1], tuple(map(_policy, block.below)))
            for match, block in top.heads(r"route-map (\S+ \S+ \d+)")
        ),
    )


def _statics(top: Block) -> Iterator[str]:
    for match, _ in top.heads(r"ip route (\S+) (\S+)(?: name \S+)?(?: tag \d+)?( \d+)?"):
        hop = "blackhole" if match[2] == "Null0" else kernel_name(match[2])
        yield f"{match[1]} {hop}{match[3] or ''}"


def _bgp(asn: str, block: Block, top: Block) -> Bgp:
    family = _below(block, _FAMILY)
    return Bgp(
        asn=asn,
        router_id=block.last(r"router-id (\S+)"),
        needs_policy=False,
        is_relaxed=block.has("bestpath as-path multipath-relax"),
        networks=tuple(match[1] for match, _ in family.heads(r"network (\S+)")),
        paths=family.last(r"maximum-paths (\d+)") or "1",
        peers=tuple(_peers(block, top)),
        is_leaving=block.has("graceful-shutdown activate"),
    )


def _below(block: Block, head: str) -> Block:
    return next((one for _, one in block.heads(re.escape(head))), Block(""))


def _peers(block: Block, top: Block) -> Iterator[Peer]:
    """Each neighbour: what it says, and where it is silent what its template does."""
    connect_s = int(block.last(r"reconnect-interval (\d+)") or _CONNECT_S)
    for match, one in block.heads(r"neighbor (\S+)(?: remote-as (\d+))?"):
        mother = one.last(r"inherit peer (\S+)")
        template = _below(block, f"template peer {mother}")
        family = Block("", [*_below(template, _FAMILY).below, *_below(one, _FAMILY).below])
        both = Block("", [*template.below, *one.below])
        asn = both.last(r"remote-as (\d+)") or match[2]
        if not asn:
            continue
        policies = {found[2]: found[1] for found, _ in family.heads(r"route-map (\S+) (in|out)")}
        timers = both.last(r"timers (\d+ \d+)")
        yield Peer(
            key=kernel_name(match[1]),
            asn=asn,
            description=both.last(r"description (.+)"),
            bfd=_bfd(match[1], top) if both.has("bfd") else None,
            lines=(
                *([f"timers {timers}"] if timers else []),
                *(["shutdown"] if both.has("shutdown") else []),
            ),
            connect_s=connect_s,
            is_active=bool(template.heads(_FAMILY) or one.heads(_FAMILY)),
            sends_community=bool(family.heads(r"send-community.*")),
            limit=" ".join(family.last(r"maximum-prefix (\d+(?: warning-only)?)").split()),
            policies=tuple(f"{name} {way}" for way, name in sorted(policies.items())),
        )


def _bfd(port: str, top: Block) -> str | None:
    """Multiplier and intervals in FRR's order; without the feature there is none."""
    if not top.has("feature bfd"):
        return None
    for block in (_below(top, f"interface {port}"), top):
        if found := block.heads(_BFD):
            match, _ = found[-1]
            return f"{match[3]} {match[2]} {match[1]}"
    return _BFD_TIMES


def _lists(top: Block) -> Iterator[str]:
    for match, _ in top.heads(r"ip prefix-list (\S+) (.+)"):
        yield prefixes(match[1], match[2])
    for match, _ in top.heads(r"ip community-list standard (\S+ seq \d+ \S+) (.+)"):
        yield f"bgp community-list standard {match[1]} {communities(match[2], _COMMUNITY)}"


def _policy(entry: Block) -> str:
    match = re.fullmatch(r"set community (.+)", entry.line)
    return f"set community {communities(match[1], _COMMUNITY)}" if match else entry.line
