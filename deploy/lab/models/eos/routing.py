"""The routing of a running configuration of EOS, in FRR's words.

What EOS does unless told otherwise, and FRR does not, is said ("Border Gateway Protocol" of the
Arista EOS User Manual; docs.frrouting.org, "BGP"): paths over different ASNs are shared, no
community is sent, routes without a policy go both ways. How often EOS tries to connect again is not
published: here it is each second. Tables beside the default one are not routed: Linux may have no
VRF.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .wanted import Block, kernel_name, tree

_HEAD = """\
frr defaults traditional
log syslog informational
no zebra nexthop kernel enable
service integrated-vtysh-config
!"""
_COMMUNITY = {"GSHUT": "graceful-shutdown"}


def frr_text(text: str) -> str:
    """`frr.conf`, in the order in which FRR itself writes it."""
    top = tree(text)
    lines = [*_HEAD.splitlines(), f"hostname {top.last(r'hostname (.+)') or 'localhost'}"]
    for match, _ in top.heads(r"ip route (?!vrf )(\S+) (\S+)( \d+)?"):
        hop = "blackhole" if match[2] == "Null0" else kernel_name(match[2])
        lines.append(f"ip route {match[1]} {hop}{match[3] or ''}")
    for match, block in top.heads(r"router bgp (\d+)"):
        lines += [f"router bgp {match[1]}", *_bgp(block), "exit"]
    lines += _lists(top)
    for match, block in top.heads(r"route-map (\S+ \S+ \d+)"):
        lines += [f"route-map {match[1]}", *map(_policy, block.below), "exit"]
    return "\n".join([*lines, ""])


def _bgp(block: Block) -> Iterator[str]:
    if router := block.last(r"router-id (\S+)"):
        yield f" bgp router-id {router}"
    yield " bgp log-neighbor-changes"
    asks = all(
        block.has(f"bgp missing-policy direction {way} action deny") for way in ("in", "out")
    )
    if not asks:
        yield " no bgp ebgp-requires-policy"
    yield " no bgp default ipv4-unicast"
    if not block.has("no bgp bestpath as-path multipath-relax"):
        yield " bgp bestpath as-path multipath-relax"
    peers = list(_peers(block))
    for peer in peers:
        yield from _session(block, *peer)
    family = next((one for _, one in block.heads("address-family ipv4")), Block(""))
    yield " address-family ipv4 unicast"
    for match, _ in [*block.heads(r"network (\S+)"), *family.heads(r"network (\S+)")]:
        yield f"  network {match[1]}"
    is_default = not block.has("no bgp default ipv4-unicast")
    for key, group, _ in peers:
        yield from _activated(block, family, key, group, is_default)
    yield f"  maximum-paths {block.last(r'maximum-paths (.+?)( ecmp .+)?') or 1}"
    yield " exit-address-family"


def _peers(block: Block) -> Iterator[tuple[str, str, str]]:
    """Each neighbour: its key in FRR, its group, its ASN."""
    for match, _ in block.heads(r"neighbor interface (\S+) peer-group (\S+) remote-as (\d+)"):
        yield kernel_name(match[1]), match[2], match[3]
    for match, _ in block.heads(r"neighbor (\d\S+) remote-as (\d+)"):
        group = block.last(rf"neighbor {re.escape(match[1])} peer group (\S+)")
        yield match[1], group, match[2]


def _session(block: Block, key: str, group: str, asn: str) -> Iterator[str]:
    """A session without a group: what EOS inherits is written out, for FRR orders groups anew."""
    is_unnumbered = not key[0].isdigit()
    yield f" neighbor {key} {'interface ' if is_unnumbered else ''}remote-as {asn}"
    said = [one for name in (group, key) if name for one in _of(block, name)]
    if text := next((one for one in said if one.startswith("description ")), ""):
        yield f" neighbor {key} {text}"
    if "bfd" in said:
        found = (re.fullmatch(r"bfd interval (\d+) min-rx (\d+) multiplier (\d+)", s) for s in said)
        times = next((f" {m[3]} {m[2]} {m[1]}" for m in found if m), "")
        yield f" neighbor {key} bfd{times}"
    for one in said:
        if one.startswith("timers ") or one == "shutdown":
            yield f" neighbor {key} {one}"
    yield f" neighbor {key} timers connect 1"


def _activated(
    block: Block, family: Block, key: str, group: str, is_default: bool
) -> Iterator[str]:
    names = [name for name in (group, key) if name]
    said = [one for name in names for one in [*_of(block, name), *_of(family, name)]]
    if not is_default and "activate" not in said:
        return
    if not key[0].isdigit() and "next-hop address-family ipv6 originate" not in said:
        yield f"  no neighbor {key} activate"
        return
    yield f"  neighbor {key} activate"
    if not any(one.startswith("send-community") for one in said):
        yield f"  no neighbor {key} send-community all"
    for one in said:
        if match := re.fullmatch(r"maximum-routes (\d+)( warning-only)?", one):
            yield f"  neighbor {key} maximum-prefix {match[1]}{match[2] or ''}"
    for one in said:
        if one.startswith("route-map "):
            yield f"  neighbor {key} {one}"


def _of(block: Block, name: str) -> list[str]:
    return [str(m[1]) for m, _ in block.heads(rf"neighbor {re.escape(name)} (.+)")]


def _lists(top: Block) -> Iterator[str]:
    for match, block in top.heads(r"ip prefix-list (\S+)"):
        for entry in block.below:
            exact = re.sub(r"\beq (\d+)", r"ge \1 le \1", entry.line)
            yield f"ip prefix-list {match[1]} {exact}"
    seen: dict[str, int] = {}
    for match, _ in top.heads(r"ip community-list (\S+) (permit|deny) (.+)"):
        seen[match[1]] = seen.get(match[1], 0) + 5
        head = f"bgp community-list standard {match[1]} seq {seen[match[1]]}"
        yield f"{head} {match[2]} {_communities(match[3])}"


def _policy(entry: Block) -> str:
    match = re.fullmatch(r"set community (.+)", entry.line)
    return f" set community {_communities(match[1])}" if match else f" {entry.line}"


def _communities(words: str) -> str:
    return " ".join(_COMMUNITY.get(one, one) for one in words.split())
