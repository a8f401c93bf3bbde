"""What every system tells, in one form: neighbours, ports, sessions, and routes of both kinds."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Network

Rib = dict[IPv4Network, "RibRoute"]


@dataclass(frozen=True, slots=True)
class Peer:
    """One neighbour of a BGP speaker. `key` is an address or, unnumbered, a port."""

    key: str
    state: str
    remote_asn: int
    local_asn: int

    @property
    def established(self) -> bool:
        """RFC 4271, 8.2.2."""
        return self.state == "Established"


@dataclass(frozen=True, slots=True)
class Bgp:
    """A BGP speaker as it describes itself; `asn` is None where it runs no instance."""

    asn: int | None
    peers: dict[str, Peer]


@dataclass(frozen=True, slots=True)
class RibRoute:
    """The route zebra selected: its protocol and the ports it says it installed."""

    protocol: str
    ports: tuple[str, ...]


Links = dict[str, "Link"]


Fib = dict[IPv4Network, "FibRoute"]


@dataclass(frozen=True, slots=True)
class Link:
    """A port as its system has it; `admin_up` is what its owner wants, `up` what it is.

    `mtu_bytes` is its IP MTU, or with `is_switched` what a frame may hold: such a port has none.
    """

    name: str
    mtu_bytes: int
    admin_up: bool
    up: bool
    is_switched: bool = False


@dataclass(frozen=True, slots=True)
class FibRoute:
    """A prefix in the kernel: who put it there, and the usable ports it leaves by.

    `nexthop_id` is set where the ports have to be looked up in `ip nexthop`.
    """

    protocol: str
    ports: tuple[str, ...]
    nexthop_id: int | None = None


Neighbours = dict[str, tuple["Neighbour", ...]]


@dataclass(frozen=True, slots=True, order=True)
class Neighbour:
    """The system and port that a port hears. `system` is empty where it sent no name."""

    system: str
    port: str
