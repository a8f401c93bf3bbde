"""Routing in FRR's words (docs.frrouting.org, "BGP"), whatever system it was said in.

What a system does unless told otherwise and FRR does not is written out: paths over different ASNs
are shared or not, communities are sent or not, routes without a policy go both ways or none.
Tables beside the default one are not routed: Linux may have no VRF.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# FRR's own times it does not say: told them, `frr-reload.py` would end each session's BFD anew.
_BFD_TIMES = "3 300 300"
_HEAD = """\
frr defaults traditional
log syslog informational
no zebra nexthop kernel enable
service integrated-vtysh-config
!"""


@dataclass(frozen=True, slots=True)
class Peer:
    """A session without a group: what is inherited is written out, for FRR orders groups anew.

    `key` is an address, or the port of an unnumbered one. `bfd`: None for none, "" for FRR's own
    times.
    """

    key: str
    asn: str
    description: str
    bfd: str | None
    lines: tuple[str, ...]
    connect_s: int
    is_active: bool
    sends_community: bool
    limit: str
    policies: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bgp:
    """The process of the default table."""

    asn: str
    router_id: str
    needs_policy: bool
    is_relaxed: bool
    networks: tuple[str, ...]
    paths: str
    peers: tuple[Peer, ...]
    is_leaving: bool = False


@dataclass(frozen=True, slots=True)
class Routing:
    """All that FRR is asked; `lists` and the lines of policies are in its words."""

    hostname: str
    statics: tuple[str, ...]
    bgp: tuple[Bgp, ...]
    lists: tuple[str, ...]
    policies: tuple[tuple[str, tuple[str, ...]], ...]


def frr_text(asked: Routing) -> str:
    """`frr.conf`, in the order in which FRR itself writes it."""
    lines = [*_HEAD.splitlines(), f"hostname {asked.hostname}"]
    lines += [f"ip route {one}" for one in asked.statics]
    for one in asked.bgp:
        lines += [f"router bgp {one.asn}", *_bgp(one), "exit"]
    lines += asked.lists
    for head, below in asked.policies:
        lines += [f"route-map {head}", *(f" {one}" for one in below), "exit"]
    return "\n".join([*lines, ""])


def _bgp(one: Bgp) -> Iterator[str]:
    if one.router_id:
        yield f" bgp router-id {one.router_id}"
    yield " bgp log-neighbor-changes"
    if not one.needs_policy:
        yield " no bgp ebgp-requires-policy"
    yield " no bgp default ipv4-unicast"
    if one.is_leaving:
        yield " bgp graceful-shutdown"
    if one.is_relaxed:
        yield " bgp bestpath as-path multipath-relax"
    for peer in one.peers:
        yield from _session(peer)
    yield " address-family ipv4 unicast"
    for network in one.networks:
        yield f"  network {network}"
    for peer in one.peers:
        yield from _activated(peer)
    yield f"  maximum-paths {one.paths}"
    yield " exit-address-family"


def _session(peer: Peer) -> Iterator[str]:
    key = peer.key
    way = "" if key[0].isdigit() else "interface "
    yield f" neighbor {key} {way}remote-as {peer.asn}"
    if peer.description:
        yield f" neighbor {key} description {peer.description}"
    if peer.bfd is not None:
        yield f" neighbor {key} bfd {peer.bfd.replace(_BFD_TIMES, '')}".rstrip()
    for line in peer.lines:
        yield f" neighbor {key} {line}"
    yield f" neighbor {key} timers connect {peer.connect_s}"


def _activated(peer: Peer) -> Iterator[str]:
    key = peer.key
    if not peer.is_active:
        return
    yield f"  neighbor {key} activate"
    if not peer.sends_community:
        yield f"  no neighbor {key} send-community all"
    if peer.limit:
        yield f"  neighbor {key} maximum-prefix {peer.limit}"
    for policy in peer.policies:
        yield f"  neighbor {key} route-map {policy}"


def prefixes(name: str, entry: str) -> str:
    """A line of a prefix list; FRR has no `eq`."""
    exact = re.sub(r"\beq (\d+)", r"ge \1 le \1", entry)
    return f"ip prefix-list {name} {exact}"


def communities(words: str, names: dict[str, str]) -> str:
    """Communities by FRR's names."""
    return " ".join(names.get(one, one) for one in words.split())
