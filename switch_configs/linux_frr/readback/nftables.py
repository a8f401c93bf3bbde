"""Reads a ruleset in nft(8) syntax: who may log in, which ports are apart, access lists.

Reads only the few forms that can be judged; any other line is unread, and then nothing is
claimed of the chain it stands in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from . import access
from .reading import LinuxReading

_BASE = re.compile(
    r"type filter hook (input|forward|prerouting) priority (filter|raw|0|-300); "
    r"policy (accept|drop);"
)
_CHAIN = re.compile(r"chain ([\w.-]+) \{")
_TABLE = re.compile(r"table (inet|bridge) \w+ \{")
_RULE = re.compile(
    r'(?:(iifname|oifname) (?:\{ ((?:"[\w.-]+"(?:, )?)+) \}|"([\w.-]+)") )?'
    r"(?:tcp dport (22) )?(accept|drop)"
)
# Words of nft's own (nftables, src/scanner.l) that a statement begins with: no names.
_KEYWORDS = frozenset(("accept", "drop", "queue", "continue", "jump", "goto", "return", "reject"))
_RAW = ("raw", "-300")


@dataclass
class _Rule:
    side: str | None
    ports: frozenset[str]
    login_only: bool
    verdict: str


@dataclass
class Chain:
    """A chain with its lines; `hook` is "" where only other chains call it."""

    name: str
    family: str
    hook: str = ""
    priority: str = ""
    policy: str = ""
    lines: list[str] = field(default_factory=list)
    rules: list[_Rule] = field(default_factory=list)
    whole: bool = True


def read(text: str, found: LinuxReading) -> None:
    """Isolated ports and access lists; as hazards: logins over data ports, a cut management."""
    chains = _chains(text, found)
    routed = [chain for chain in chains if chain.family == "inet"]
    access.read([chain for chain in chains if not _is_judged_here(chain)], found)
    for one in routed:
        if _is_judged_here(one):
            _rules(one, found)
    forward = [chain for chain in routed if chain.hook == "forward" and chain.whole]
    arriving = [chain for chain in routed if chain.hook == "input" and chain.whole]
    isolated: set[str] = set()
    for one in forward:
        isolated |= _dropped(one, "iifname") & _dropped(one, "oifname")
    found.isolated_ports += sorted(isolated)
    found.forwards_nothing = any(chain.policy == "drop" and not chain.rules for chain in forward)
    found.stopped = frozenset(
        chain.hook for chain in (*forward, *arriving) if not _lets_data_pass(chain)
    )
    if not isolated and not found.forwards_nothing:
        found.hazards.append("no port is apart: management and data may forward to each other")
    if not any(_logins_dropped(chain) for chain in arriving):
        found.hazards.append("logins are accepted on data ports")
    found.let_in = frozenset(port for chain in arriving for port in _let_in_first(chain))
    for port in sorted(isolated - found.let_in):
        found.hazards.append(f"port {port} is not let in before anything is dropped")


def _is_judged_here(chain: Chain) -> bool:
    return chain.family == "inet" and chain.hook in ("input", "forward")


def _chains(text: str, found: LinuxReading) -> list[Chain]:
    chains: list[Chain] = []
    family, depth, flushed = "", 0, False
    for raw in text.splitlines():
        line = raw.split("#")[0].strip()
        if not line:
            continue
        if depth == 0 and line == "flush ruleset":
            flushed = True
            if chains:
                found.hazards.append("no rule stays in force: `flush ruleset` follows them")
        elif depth == 0 and (table := _TABLE.fullmatch(line)):
            family, depth = table[1], 1
        elif depth == 1 and (chain := _CHAIN.fullmatch(line)) and chain[1] not in _KEYWORDS:
            chains.append(Chain(chain[1], family))
            depth = 2
        elif line == "}" and depth:
            depth -= 1
        elif depth != 2 or not _inside(chains[-1], line):
            found.unread.append(f"nftables: {line}")
            if chains:
                chains[-1].whole = False
    if depth:
        found.unread.append("nftables: a block is not closed")
    if not flushed:
        found.hazards.append("rules from before stay in force: no `flush ruleset`")
    return chains


def _inside(chain: Chain, line: str) -> bool:
    match = _BASE.fullmatch(line)
    if match is None:
        chain.lines.append(line)
        return True
    if (chain.hook, chain.priority, chain.policy) == match.groups():  # said again
        return True
    if chain.hook or (match[2] in _RAW) != (match[1] == "prerouting" and chain.family == "inet"):
        return False
    chain.hook, chain.priority, chain.policy = match[1], match[2], match[3]
    return True


def _rules(chain: Chain, found: LinuxReading) -> None:
    for line in chain.lines:
        match = _RULE.fullmatch(line)
        if match is None:
            found.unread.append(f"nftables: {line}")
            chain.whole = False
            continue
        names = re.findall(r'"([\w.-]+)"', match[2] or "") or [match[3]]
        ports = frozenset(name for name in names if name)
        chain.rules.append(_Rule(match[1], ports, match[4] is not None, match[5]))


def _dropped(chain: Chain, side: str) -> set[str]:
    """Ports of which nothing passes on this side, where no rule before lets any of it pass."""
    ports: set[str] = set()
    for rule in chain.rules:
        if rule.verdict == "accept":
            break
        if rule.side == side and not rule.login_only:
            ports |= rule.ports
    return ports


def _let_in_first(chain: Chain) -> set[str]:
    ports: set[str] = set()
    for rule in chain.rules:
        if rule.verdict == "drop":
            break
        if rule.side == "iifname" and not rule.login_only:
            ports |= rule.ports
    return ports


def _lets_data_pass(chain: Chain) -> bool:
    """What no rule for some ports or for logins judges: the first rule for all, or the policy."""
    for rule in chain.rules:
        if rule.side is None and not rule.login_only:
            return rule.verdict == "accept"
    return chain.policy == "accept"


def _logins_dropped(chain: Chain) -> bool:
    """All ports but those let in before: a rule without a port drops logins, or the policy."""
    return chain.policy == "drop" or any(
        rule.side is None and rule.login_only and rule.verdict == "drop" for rule in chain.rules
    )
