"""A port that says a line twice: its own end and the beginning of the next port are gone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from .facts import Hazard

# What people type twice in one port, and no device shows so.
_OF_HANDS = frozenset({"exit", "no shutdown", "shutdown"})

_FIRST_ADDRESS = re.compile(r"ip address \d\S*")


def doubled(port: str, lines: Iterable[str]) -> Iterator[Hazard]:
    """The first line that a port says again: a running configuration has each once.

    Where lines between two ports are lost, what is left reads as one port.
    """
    many = Counter(line for line in lines if line not in _OF_HANDS)
    twice = [line for line, count in many.items() if count > 1]
    if twice:
        yield Hazard(f"port {port} says `{twice[0]}` twice", "lines-lost", port)
    if sum(bool(_FIRST_ADDRESS.fullmatch(line)) for line in many) > 1:
        yield Hazard(f"port {port} has two addresses, none of them secondary", "lines-lost", port)
