"""iproute2's policy routing: the rules, and the routes of every table (ip-rule(8), ip-route(8))."""

from __future__ import annotations

from dataclasses import dataclass

from inventory.reading.fields import document, mapping, sequence, text_of
from inventory.reading.numbers import Whole
from switch_configs.answers.linux.iproute import BITS

MAIN = "main"
_PRIORITY = Whole("priority of a rule", "1", 0, (1 << 32) - 1)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that looks up `table`; `source` is an address, a prefix, or `all`."""

    priority: int
    source: str
    table: str


@dataclass(frozen=True, slots=True)
class Hop:
    """Where a route leads; empty where the kernel names no gateway or port."""

    gateway: str
    port: str


def rules(text: str) -> tuple[Rule, ...]:
    """`ip -j -4 rule show`, in the order in which the kernel tries them. Raises Unreadable."""
    found = []
    for entry in sequence(document(text, "ip"), "rules"):
        one = mapping(entry, "rule")
        priority, source = _PRIORITY.of(one, "priority", "rule"), text_of(one, "src", "rule")
        bits = BITS.of(one, "srclen", "rule") if "srclen" in one else 0
        found.append(
            Rule(priority, f"{source}/{bits}" if bits else source, str(one.get("table", "")))
        )
    return tuple(sorted(found, key=lambda one: one.priority))


def tables(text: str) -> dict[tuple[str, str], Hop]:
    """`ip -j -4 route show table all`: (table, prefix) -> next hop. Raises Unreadable."""
    found: dict[tuple[str, str], Hop] = {}
    for entry in sequence(document(text, "ip"), "routes"):
        one = mapping(entry, "route")
        key = (str(one.get("table", MAIN)), text_of(one, "dst", "route"))
        found.setdefault(key, Hop(str(one.get("gateway", "")), str(one.get("dev", ""))))
    return found
