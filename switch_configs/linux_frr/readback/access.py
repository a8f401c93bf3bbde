"""Access lists and untrusted ports, from chains of nft(8) that are no packet filter of the box.

A list is a chain that ends in `drop` and that a chain at `prerouting` jumps to for one port.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from ipaddress import AddressValueError, IPv4Network, NetmaskValueError
from typing import TYPE_CHECKING

from switch_configs.readback.facts import AclFacts

from .reading import LinuxReading

if TYPE_CHECKING:
    from .nftables import Chain

_JUMP = re.compile(r'iifname "([\w.-]+)" jump ([\w.-]+)')
_RULE = re.compile(
    r"meta nfproto ipv4 (?:ip saddr (\S+) )?(?:ip daddr (\S+) )?"
    r"(?:(tcp|udp) dport (\d+) |meta l4proto (tcp|udp|icmp) )?(accept|drop)"
)
_UNTRUSTED = re.compile(r'iifname \{ ((?:"[\w.-]+"(?:, )?)+) \} (ip|ip6) dscp set cs0')
_ACTIONS = {"accept": "permit", "drop": "deny"}


def read(chains: Iterable[Chain], found: LinuxReading) -> None:
    """Lists by port, and the ports whose DSCPs are cleared for both families."""
    lists: dict[str, list[str]] = {}
    jumps: dict[str, str] = {}
    cleared: dict[str, frozenset[str]] = {}
    for chain in chains:
        if chain.family == "bridge":
            _untrusted(chain, cleared, found)
        elif chain.hook:
            _jumps(chain, jumps, found)
        elif chain.name in lists:
            found.hazards.append(f"chain {chain.name} is there twice")
        else:
            lists[chain.name] = chain.lines
    for port, name in jumps.items():
        found.access[port] = _list(name, lists, found)
    idle = sorted(set(lists) - set(jumps.values()))
    found.hazards += [f"chain {name} is used nowhere" for name in idle]
    both = cleared.get("ip", frozenset()) & cleared.get("ip6", frozenset())
    for port in sorted(frozenset().union(*cleared.values()) - both):
        found.broken(f"the DSCPs of {port} are believed in one family")
    found.untrusted = both


def _untrusted(chain: Chain, cleared: dict[str, frozenset[str]], found: LinuxReading) -> None:
    if (chain.hook, chain.policy) != ("prerouting", "accept"):
        found.unread.append(f"nftables: chain {chain.name} of table bridge")
    for line in chain.lines:
        match = _UNTRUSTED.fullmatch(line)
        if match is None or match[2] in cleared:
            found.unread.append(f"nftables: {line}")
        else:
            cleared[match[2]] = frozenset(re.findall(r'"([\w.-]+)"', match[1]))


def _jumps(chain: Chain, jumps: dict[str, str], found: LinuxReading) -> None:
    if chain.policy != "accept":
        found.hazards.append(f"chain {chain.name} drops what it has no list for")
    for line in chain.lines:
        match = _JUMP.fullmatch(line)
        if match is None or match[1] in jumps:
            found.unread.append(f"nftables: {line}")
        else:
            jumps[match[1]] = match[2]


def _list(name: str, lists: Mapping[str, list[str]], found: LinuxReading) -> tuple[AclFacts, ...]:
    lines = lists.get(name, [])
    if not lines or lines[-1] != "drop":
        found.hazards.append(f"access list {name} does not drop what no rule permits")
    rules = []
    for line in lines[:-1] if lines and lines[-1] == "drop" else lines:
        match = _RULE.fullmatch(line)
        if match is None or not all(map(_is_network, filter(None, (match[1], match[2])))):
            found.unread.append(f"nftables: {line}")
            continue
        protocol = match[3] or match[5] or "ip"
        port = int(match[4]) if match[4] else None
        source, destination = match[1] or "any", match[2] or "any"
        rules.append(AclFacts(_ACTIONS[match[6]], protocol, source, destination, port))
    return tuple(rules)


def _is_network(text: str) -> bool:
    try:
        return str(IPv4Network(text)) == text
    except (AddressValueError, NetmaskValueError, ValueError):
        return False
