"""What BGP policies let pass: prefix lists, community lists and route maps, names followed.

RFC 4271 9.1 and the makers' pages agree on what matters here: entries by their numbers, the
first that matches decides, what none matches is denied, and a map that is not there denies (FRR,
EOS with missing-policy) or is nothing at all: it is said here as "absent".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from ipaddress import ip_network

Entries = dict[int, tuple[str, dict[str, str]]]


def prefix(text: str) -> object:
    """`10.0.0.0/8 ge 9 le 10` (FRR), `10.0.0.0/8 eq 9` (EOS, NX-OS): net, shortest, longest."""
    words = text.split()
    try:
        net = ip_network(words[0], strict=False)
        kinds = dict(zip(words[1::2], (int(one) for one in words[2::2]), strict=True))
    except (ValueError, IndexError):
        return None
    bits = net.prefixlen
    low = kinds.get("eq", kinds.get("ge", bits))
    high = kinds.get("eq", kinds.get("le", 32 if "ge" in kinds else bits))
    # Every one of these parsers refuses a length below the prefix's own, or above 32.
    twice = len(kinds) * 2 != len(words) - 1
    refused = twice or set(kinds) - {"eq", "ge", "le"} or not bits <= low <= high <= 32
    if refused or ("ge" in kinds and kinds["ge"] < bits):
        return None
    return str(net), low, high


def listed(lines: list[str]) -> Mapping[str, object]:
    """Each list by name, of `NAME seq N permit WHAT`; its entries are sorted by number."""
    found: dict[str, dict[int, tuple[str, object]]] = {}
    for line in lines:
        match = re.fullmatch(r"(\S+) seq (\d+) (permit|deny) (.+)", line)
        said = prefix(match[4]) if match else None
        if match and said:
            found.setdefault(match[1], {})[int(match[2])] = (match[3], said)
    return {name: ordered(entries) for name, entries in found.items()}


def ordered(entries: Mapping[int, tuple[str, object]]) -> object:
    """Entries by number; where all permit, their order is nothing."""
    known = [one for _, one in sorted(entries.items())]
    return frozenset(known) if all(one[0] == "permit" for one in known) else tuple(known)


def route_map(
    entries: Entries, prefixes: Mapping[str, object], communities: Mapping[str, object]
) -> object:
    """What a map does, entry by entry, lists in place of their names."""
    made = []
    for _, (action, clauses) in sorted(entries.items()):
        said = {}
        for clause, value in clauses.items():
            if "prefix-list" in clause:
                said[clause] = prefixes.get(value, "absent")
            elif clause.startswith("match community"):
                said[clause] = communities.get(value, "absent")
            else:
                said[clause] = value
        made.append((action, frozenset(said.items())))
    return tuple(made)


def clause(text: str) -> tuple[str, str]:
    """`match ip address prefix-list X` as what is matched or set, and its value."""
    for start in ("match ip address prefix-list", "match community", "set local-preference",
                  "set community"):  # fmt: skip
        if text.startswith(f"{start} "):
            return start, text.removeprefix(f"{start} ")
    return text, ""


def access(rules: list[tuple[int, str]]) -> object:
    """Rules of an access list by number; the order of neighbours that do the same is nothing."""
    made: list[tuple[str, set[str]]] = []
    for _, rule in sorted(rules):
        action, _, what = rule.partition(" ")
        if not made or made[-1][0] != action:
            made.append((action, set()))
        made[-1][1].add(what)
    return tuple((action, frozenset(what)) for action, what in made)


def ranks(priorities: dict[str, float]) -> dict[str, int]:
    """Who is asked first: the order that priorities make, not their numbers."""
    order = sorted(set(priorities.values()))
    return {name: order.index(one) for name, one in priorities.items()}


def community(word: str) -> str:
    """GRACEFUL_SHUTDOWN by its number (RFC 8326)."""
    return "65535:0" if word.lower() in {"gshut", "graceful-shutdown"} else word
