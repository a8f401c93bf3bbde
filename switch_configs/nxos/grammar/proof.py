"""Cisco NX-OS on Nexus 9000: the grammar of nxos.grammar, and what NX-OS refuses across lines.

SOURCE: Cisco Nexus 9000 Series NX-OS configuration guides, release 10.x; batfish's cisco_nxos
grammar as a second look at ranges.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from switch_configs.grammar import cross
from switch_configs.grammar.commands import Grammar, parse
from switch_configs.grammar.tree import GrammarProblem, Seen, walk

from .words import WORDS

INDENT = 2
# Classes that the system brings (guide "Quality of Service"): eight egress queues, or four.
QUEUING_CLASSES = {f"c-out-8q-q{number}" for number in range(1, 8)} | {
    "c-out-8q-q-default", "c-out-q1", "c-out-q2", "c-out-q3", "c-out-q-default",
    *(f"c-in-q{number}" for number in range(1, 8)), "c-in-q-default",
}  # fmt: skip
NETWORK_CLASSES = {f"c-8q-nq{number}" for number in range(1, 8)} | {
    "c-8q-nq-default", "c-nq1", "c-nq2", "c-nq3", "c-nq-default",
}  # fmt: skip
KNOWN = {
    "vrf": {"default", "management"},
    "interface": {"mgmt0"},
    "role": {"network-admin", "network-operator", "vdc-admin", "vdc-operator"},
    "queuing-class": QUEUING_CLASSES,
    "network-qos-class": NETWORK_CLASSES,
    "queuing": {"default-8q-out-policy", "default-out-policy"},
    "network-qos": {"default-8q-nq-policy", "default-nq-policy"},
}
SWITCHED = re.compile(r"interface (Ethernet|port-channel)[^.]+")
LAYER3 = re.compile(r"ip (address|forward|unnumbered|access-group) |ip forward$|ipv6 |vrf member ")
ALWAYS_ON = {"ntp", "ssh"}


@cache
def grammar() -> Grammar:
    """The commands, by context."""
    return parse(
        Path(__file__).with_name("nxos.grammar").read_text(encoding="utf-8"), INDENT, WORDS
    )


def layer3_on_a_switchport(seen: Sequence[Seen]) -> Iterator[GrammarProblem]:
    """Layer 3 commands of a port that is none yet: `no switchport` must stand above them.

    SOURCE: guide "Interfaces", layer 3 interfaces: ports are switchports by default.
    """
    switched: set[int] = set()
    by_default = all(line.text != "no system default switchport" for line in seen)
    for line in seen:
        if line.text.startswith("interface "):
            if by_default and SWITCHED.fullmatch(line.text):
                switched.add(line.line)
        elif line.text == "no switchport":
            switched.discard(line.blocks[-1])
        elif line.blocks and line.blocks[-1] in switched and LAYER3.match(line.text):
            yield line.refused("needs `no switchport` above it")


def problems(text: str, _release: str = "") -> tuple[GrammarProblem, ...]:
    """Every line that NX-OS would refuse, by line number; its words are those of all releases."""
    found = list(walk(grammar(), text))
    seen = [line for line in found if isinstance(line, Seen)]
    refused = [line for line in found if isinstance(line, GrammarProblem)]
    refused += cross.undefined(seen, KNOWN)
    refused += cross.in_any_dialect(seen)
    refused += cross.without_feature(seen, ALWAYS_ON)
    refused += cross.sums_over_100(seen, "bandwidth remaining percent", 2)
    refused += layer3_on_a_switchport(seen)
    return tuple(sorted(set(refused), key=lambda one: (one.line, one.why)))
