"""Ports that nobody uses yet: no change of one takes away a link that carries anything."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from switch_configs.intent import Impact
from switch_configs.shown.foreign import below, is_comment

_HEAD = re.compile(r"(?:no |default )?(interface|iface|auto) (\S+)")
# What a stanza may say of a port that still carries nothing.
_NOTHING = re.compile(r"(no )?description\b.*")
_OFF = "shutdown"
# What such an impact tells is of the port alone; a reload is the whole switch's.
_OF_PORT: frozenset[Impact] = frozenset({"daemon restart", "link flap"})


@dataclass(frozen=True, slots=True)
class Used:
    """The ports that a configuration uses, by name; of an empty one nothing is known."""

    ports: frozenset[str]
    is_known: bool

    def impact(self, place: tuple[str, ...], impact: Impact) -> Impact:
        """What a change at this place does to traffic: of an idle port, no more than "runtime".

        `place` are its lines, outermost first. How a cage is split is not the port's alone, and a
        line that names a used port, as of a bond's members, is that one's too.
        """
        head = _HEAD.fullmatch(place[0].strip()) if place else None
        if head is None or not self.is_known or impact not in _OF_PORT:
            return impact
        return impact if self.ports & {head[2], *place[-1].split()} else "runtime"


@lru_cache(maxsize=8)
def used(text: str) -> Used:
    """What a text in stanzas uses: all but ports that are off, or of which it says nothing.

    Of a stanza of ifupdown2 its first line is enough: the port comes up with it.
    """
    found, off = set[str](), set[str]()
    for chain in below(text):
        head = _HEAD.fullmatch(chain[0].strip())
        if head is None or is_comment(chain[-1]):
            continue
        line = chain[-1].strip() if len(chain) > 1 else ""
        if head[1] != "interface" or (line and not _NOTHING.fullmatch(line)):
            found.add(head[2])
        if line == _OFF:
            off.add(head[2])
    return Used(frozenset(found - off), bool(text.strip()))
