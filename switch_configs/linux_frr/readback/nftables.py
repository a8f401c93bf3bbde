"""Reads a ruleset in nft(8) syntax: who may log in, and which ports are apart.

Reads only the few forms that can be judged; any other line is unread, and then nothing is
claimed of the chain it stands in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .found import Found

_BASE = re.compile(r"type filter hook (input|forward) priority (?:filter|0); policy (accept|drop);")
_CHAIN = re.compile(r"chain \w+ \{")
_TABLE = re.compile(r"table inet \w+ \{")
_RULE = re.compile(
    r'(?:(iifname|oifname) (?:\{ ((?:"[\w.-]+"(?:, )?)+) \}|"([\w.-]+)") )?'
    r"(?:tcp dport (22) )?(accept|drop)"
)


@dataclass
class _Rule:
    side: str | None
    ports: frozenset[str]
    login_only: bool
    verdict: str


@dataclass
class _Chain:
    hook: str = ""
    policy: str = ""
    rules: list[_Rule] = field(default_factory=list)
    whole: bool = True


def read(text: str, found: Found) -> None:
    """Isolated ports, and as hazards: logins over data ports, or a cut management port."""
    chains = _chains(text, found)
    forward = [one for one in chains if one.hook == "forward" and one.whole]
    arriving = [one for one in chains if one.hook == "input" and one.whole]
    isolated: set[str] = set()
    for one in forward:
        isolated |= _dropped(one, "iifname") & _dropped(one, "oifname")
    found.isolated_ports += sorted(isolated)
    if not isolated:
        found.hazards.append("no port is apart: management and data may forward to each other")
    if not any(_logins_dropped(one) for one in arriving):
        found.hazards.append("logins are accepted on data ports")
    let_in = [port for one in arriving for port in _let_in_first(one)]
    for port in sorted(isolated.difference(let_in)):
        found.hazards.append(f"port {port} is not let in before anything is dropped")


def _chains(text: str, found: Found) -> list[_Chain]:
    chains: list[_Chain] = []
    depth = 0
    flushed = False
    for raw in text.splitlines():
        line = raw.split("#")[0].strip()
        if not line:
            continue
        if depth == 0 and line == "flush ruleset":
            flushed = True
        elif depth == 0 and _TABLE.fullmatch(line):
            depth = 1
        elif depth == 1 and _CHAIN.fullmatch(line):
            chains.append(_Chain())
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


def _inside(chain: _Chain, line: str) -> bool:
    if match := _BASE.fullmatch(line):
        chain.hook, chain.policy = match[1], match[2]
        return True
    if match := _RULE.fullmatch(line):
        names = re.findall(r'"([\w.-]+)"', match[2] or "") or [match[3]]
        ports = frozenset(name for name in names if name)
        chain.rules.append(_Rule(match[1], ports, match[4] is not None, match[5]))
        return True
    return False


def _dropped(chain: _Chain, side: str) -> set[str]:
    """Ports of which nothing passes on this side, where no rule before lets any of it pass."""
    ports: set[str] = set()
    for rule in chain.rules:
        if rule.verdict == "accept":
            break
        if rule.side == side and not rule.login_only:
            ports |= rule.ports
    return ports


def _let_in_first(chain: _Chain) -> set[str]:
    ports: set[str] = set()
    for rule in chain.rules:
        if rule.verdict == "drop":
            break
        if rule.side == "iifname" and not rule.login_only:
            ports |= rule.ports
    return ports


def _logins_dropped(chain: _Chain) -> bool:
    """All ports but those let in before: a rule without a port drops logins, or the policy."""
    return chain.policy == "drop" or any(
        rule.side is None and rule.login_only and rule.verdict == "drop" for rule in chain.rules
    )
