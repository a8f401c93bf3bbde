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
# EOS' words for a rate name lanes of a cage, so they also split it: each lane has a port of its own
# (EOS User Manual, Layer 1 Profiles), `speed` of Ethernet2/1 makes and unmakes those beside it, and
# one that is left over is errdisabled, "speed-misconfigured" (github.com/aristanetworks/anta
# #1393). NX-OS splits by `interface breakout`; its rates are numbers, and a port's own.
_LANES = re.compile(r"(no |default )?speed( .*\dg.*)?")
# Ports without a stanza carry nothing where we wrote the whole text, or where they are off by
# default. Without this line a port of NX-OS is up in VLAN 1, as it always is on EOS.
_ALL_SAID = re.compile(r"(?mi)\bwritten by railbed\b|^system default switchport shutdown$")
# ifupdown2 brings up what its stanzas name; other files may hold more of them.
_IFUPDOWN, _ELSEWHERE = re.compile(r"(?m)^(auto|iface) "), re.compile(r"(?m)^source")
# Of EOS: `interface defaults`, `ethernet`, `shutdown`.
_DEFAULTS = "defaults"
# What such an impact tells is of the port alone; a reload is the whole switch's.
_OF_PORT: frozenset[Impact] = frozenset({"daemon restart", "link flap"})


@dataclass(frozen=True, slots=True)
class Used:
    """The ports of a configuration that are in use and those that are off, by name.

    `all_said`: any other carries nothing; else nothing is known of it, nor of an empty text.
    """

    ports: frozenset[str]
    off: frozenset[str]
    all_said: bool

    def impact(self, place: tuple[str, ...], impact: Impact) -> Impact:
        """What a change at this place does to traffic: of an idle port, no more than "runtime".

        `place` are its lines, outermost first. How a cage is split is not the port's alone, and a
        line that names a used port, as of a bond's members, is that one's too.
        """
        head = _HEAD.fullmatch(place[0].strip()) if place else None
        if head is None or impact not in _OF_PORT:
            return impact
        cage, is_split, _ = head[2].rpartition("/")
        if is_split and _LANES.fullmatch(place[-1].strip()):
            is_idle = self.all_said and not any(
                one.rpartition("/")[0] == cage for one in self.ports
            )
        else:
            is_idle = self._is_idle(head[2]) and self.ports.isdisjoint(place[-1].split())
        return "runtime" if is_idle else impact

    def _is_idle(self, port: str) -> bool:
        return port in self.off or (self.all_said and port not in self.ports)


@lru_cache(maxsize=8)
def used(text: str) -> Used:
    """What a text in stanzas uses: ports that are not off, and of which it says anything.

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
    is_listed = bool(_IFUPDOWN.search(text)) and not _ELSEWHERE.search(text)
    all_said = is_listed or bool(_ALL_SAID.search(text)) or _DEFAULTS in off
    return Used(frozenset(found - off), frozenset(off), all_said)
