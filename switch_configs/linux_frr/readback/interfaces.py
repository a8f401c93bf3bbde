"""Reads interfaces(5) as ifupdown2 understands it: `auto`, `iface` and their attributes."""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import AddressValueError, IPv4Interface, NetmaskValueError

from switch_configs.facts import PortFacts

from .found import Found

_FAMILIES = ("", "inet static", "inet loopback", "inet manual")


@dataclass
class _Port:
    name: str
    mtu: int | None = None
    addresses: list[str] = field(default_factory=list)
    description: str = ""


def read(text: str, found: Found) -> None:
    """Ports with their addresses, MTU and description; one that stays down is a hazard."""
    ports: dict[str, _Port] = {}
    auto: list[str] = []
    current: _Port | None = None
    for raw in text.splitlines():
        words = raw.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] == "auto" and len(words) > 1:
            auto += words[1:]
        elif words[0] == "iface" and len(words) > 1 and " ".join(words[2:]) in _FAMILIES:
            current = ports.setdefault(words[1], _Port(words[1]))
        elif current is None or not _attribute(current, words):
            found.unread.append(f"interfaces: {raw.strip()}")
    found.ports += [
        PortFacts(one.name, one.mtu, tuple(sorted(one.addresses)), one.description)
        for one in ports.values()
    ]
    down = sorted(set(ports) - set(auto))
    found.hazards += [f"port {name} does not come up at start: no `auto`" for name in down]
    nameless = sorted(set(auto) - set(ports))
    found.hazards += [f"port {name} is `auto` and not described" for name in nameless]


def _attribute(port: _Port, words: list[str]) -> bool:
    match words:
        case ["mtu", size] if size.isdecimal() and port.mtu is None:
            port.mtu = int(size)
        case ["address", address] if _is_address(address):
            port.addresses.append(address)
        case ["alias", *rest] if rest and not port.description:
            port.description = " ".join(rest)
        case _:
            return False
    return True


def _is_address(text: str) -> bool:
    try:
        return str(IPv4Interface(text)) == text
    except (AddressValueError, NetmaskValueError):
        return False
