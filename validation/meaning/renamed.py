"""One switch under two systems: the same ports under other names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from inventory.exports.view import natural
from switch_configs.readback.facts import PortFacts, SwitchFacts


def renamed(old: SwitchFacts, new: SwitchFacts) -> SwitchFacts:
    """`old` with its ports called as in `new`: those whose descriptions name one neighbour.

    Descriptions end in the neighbour's port, which its system may call otherwise too; of several
    ports to one neighbour the first is the first.
    """
    before, after = _by_neighbour(old.ports), _by_neighbour(new.ports)
    name: dict[str, str] = {}
    for words in before.keys() & after.keys():
        if len(before[words]) == len(after[words]):
            name |= dict(zip(before[words], after[words], strict=True))

    def of(port: str) -> str:
        below, dot, tag = port.partition(".")
        return name.get(port) or f"{name.get(below, below)}{dot}{tag}"

    def all_of(ports: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted(map(of, ports)))

    return replace(
        old,
        ports=tuple(replace(port, name=of(port.name)) for port in old.ports),
        sessions=tuple(replace(one, key=of(one.key)) for one in old.sessions),
        isolated_ports=all_of(old.isolated_ports),
        bonds=tuple(replace(one, ports=all_of(one.ports)) for one in old.bonds),
        pair=replace(old.pair, ports=all_of(old.pair.ports)) if old.pair else None,
    )


def _by_neighbour(ports: Iterable[PortFacts]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for port in sorted(ports, key=lambda port: natural(port.name)):
        if port.description:
            found[re.split(r"[\s:]+(?=[^\s:]+$)", port.description)[0]].append(port.name)
    return found
