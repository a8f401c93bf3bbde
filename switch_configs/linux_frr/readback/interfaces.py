"""Reads interfaces(5) as ifupdown2 understands it: its stanzas, and what they make together."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from ipaddress import AddressValueError, IPv4Address, IPv4Interface, NetmaskValueError

from .links import judge
from .reading import LinuxReading

_FAMILIES = ("", "inet static", "inet loopback", "inet manual")
_NUMBERS = frozenset(
    ("mtu", "bridge-access", "bridge-pvid", "vlan-id", "bond-miimon", "bond-min-links")
)
_WORDS = frozenset(
    (
        *("vlan-raw-device", "vrf", "vrf-table", "bridge-vlan-aware", "bridge-stp"),
        *("bridge-allow-untagged", "bond-mode", "bond-lacp-rate", "bond-xmit-hash-policy"),
    )
)
_LISTS = frozenset(("bridge-ports", "bond-slaves", "bridge-vids"))


_VLANS = re.compile(r"\d{1,4}(?:-\d{1,4})?")


@dataclass
class Stanza:
    """One `iface`: each attribute once, but for addresses and commands."""

    name: str
    said: dict[str, str] = field(default_factory=dict)
    addresses: list[str] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)

    def number(self, key: str) -> int | None:
        """An attribute that is a number; None where it is not said."""
        return int(self.said[key]) if key in self.said else None

    @property
    def vids(self) -> tuple[int, ...]:
        """The VLANs of `bridge-vids`, of which `10-12` is three."""
        ends = [word.partition("-") for word in self.words("bridge-vids")]
        return tuple(at for low, _, high in ends for at in range(int(low), int(high or low) + 1))

    def words(self, key: str) -> tuple[str, ...]:
        """An attribute that is a list."""
        return tuple(self.said.get(key, "").split())


def read(text: str, found: LinuxReading) -> None:
    """Ports, VLANs, bonds and tables; an interface that stays down is a hazard."""
    stanzas: dict[str, Stanza] = {}
    auto: list[str] = []
    current: Stanza | None = None
    for raw in text.splitlines():
        words = raw.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] == "auto" and len(words) > 1:
            auto += words[1:]
        elif words[0] == "iface" and len(words) > 1 and " ".join(words[2:]) in _FAMILIES:
            current = stanzas.setdefault(words[1], Stanza(words[1]))
        elif words[0] == "iface":
            current = None
            found.unread.append(f"interfaces: {raw.strip()}")
        elif current is None or not _attribute(current, words):
            found.unread.append(f"interfaces: {raw.strip()}")
    judge(stanzas, found)
    _starts(stanzas, auto, found)


def _starts(stanzas: Iterable[str], auto: list[str], found: LinuxReading) -> None:
    down = sorted(set(stanzas) - set(auto))
    found.hazards += [f"port {name} does not come up at start: no `auto`" for name in down]
    nameless = sorted(set(auto) - set(stanzas))
    found.hazards += [f"port {name} is `auto` and not described" for name in nameless]


def _attribute(stanza: Stanza, words: list[str]) -> bool:
    key, rest = words[0], words[1:]
    if key == "address" and len(rest) == 1 and _is_address(rest[0]):
        if rest[0] not in stanza.addresses:  # said twice is said once
            stanza.addresses.append(rest[0])
        return True
    if key == "post-up" and rest:
        stanza.commands.append(" ".join(rest))
        return True
    if key in stanza.said or not _is_value(key, rest):
        return False
    stanza.said[key] = " ".join(rest)
    return True


def _is_value(key: str, rest: list[str]) -> bool:
    if key in _NUMBERS:
        return len(rest) == 1 and rest[0].isdecimal()
    if key in _WORDS:
        return len(rest) == 1
    if key == "bridge-vids":
        return bool(rest) and all(map(_VLANS.fullmatch, rest))
    if key == "gateway":
        return len(rest) == 1 and _is_host(rest[0])
    return bool(rest) and (key in _LISTS or key == "alias")


def _is_address(text: str) -> bool:
    try:
        return "/" in text and str(IPv4Interface(text)) == text
    except (AddressValueError, NetmaskValueError):
        return False


def _is_host(text: str) -> bool:
    try:
        return str(IPv4Address(text)) == text
    except AddressValueError:
        return False
