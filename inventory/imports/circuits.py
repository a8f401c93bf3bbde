"""Option 82 of DHCP: which port of which switch a client is behind (RFC 3046).

A relay writes what it likes into the circuit id. Read here: a port's name (`swp1`, as
dhcrelay(8) and Cumulus write it), a switch and a port (`oob-sw-1:swp1`, with `:`, `/`, `|` or a
space between, as SONiC and others may be told to), or a port whose switch the remote id names.
Bytes that are no such text name no port: then the report says so, and nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ..plan import PortRef

_CIRCUIT_ID, _REMOTE_ID = 1, 2
_BETWEEN = re.compile(r"[:|/ ,]")


@dataclass(frozen=True, slots=True)
class Relay:
    """The sub-options that say where: texts, or hexadecimal bytes where they are none."""

    circuit: str
    remote: str


def relay_of(raw: bytes) -> Relay | None:
    """Read the sub-options (RFC 3046, 2.0); None where the bytes are cut short."""
    parts: dict[int, bytes] = {}
    at = 0
    while at < len(raw):
        if at + 2 > len(raw) or at + 2 + raw[at + 1] > len(raw):
            return None
        parts[raw[at]] = raw[at + 2 : at + 2 + raw[at + 1]]
        at += 2 + raw[at + 1]
    return Relay(_text(parts.get(_CIRCUIT_ID, b"")), _text(parts.get(_REMOTE_ID, b"")))


def _text(raw: bytes) -> str:
    try:
        text = raw.decode("ascii")
    except UnicodeDecodeError:
        return raw.hex()
    return text if text.isprintable() else raw.hex()


@dataclass(frozen=True, slots=True)
class PortFinder:
    """The planned ports that a relay could mean: by switch and name, and by name alone."""

    ports: frozenset[PortRef]
    alone: Mapping[str, PortRef | None]

    @classmethod
    def of(cls, ports: frozenset[PortRef]) -> PortFinder:
        """Make a finder; a name that two switches have stands for neither."""
        alone: dict[str, PortRef | None] = {}
        for ref in ports:
            alone[ref.port] = None if ref.port in alone else ref
        return cls(ports, alone)

    def find(self, relay: Relay) -> PortRef | None:
        """Return the one planned port that the relay names, or None."""
        if (named := PortRef(relay.remote, relay.circuit)) in self.ports:
            return named
        for between in _BETWEEN.finditer(relay.circuit):
            switch, port = relay.circuit[: between.start()], relay.circuit[between.end() :]
            if (named := PortRef(switch, port)) in self.ports:
                return named
        return self.alone.get(relay.circuit)
