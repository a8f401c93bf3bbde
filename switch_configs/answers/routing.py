"""What every system gives: readers of its answers, and the words that people type there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .forms import Bgp, Fib, Links, Neighbours, Rib
from .said import Said

# Gives what a device said to a line; raises MissingEvidence where nobody asked it.
Read = Callable[[str], Said]
Addresses = dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Words:
    """What a system calls its parts, and what to type on it.

    `routing` selects routes, `forwarding` carries packets, `routes` is the suspect when only the
    latter is wrong. `mtu` takes `{port}` and `{bytes}`, `enable` `{port}`, `received` `{peer}`.
    """

    routing: str
    forwarding: str
    routes: str
    stale: str
    foreign: str
    see_routes: str
    mtu: str
    enable: str
    no_bgp: str
    other_asn: str
    mute: str
    sessions: str
    received: str
    lldp: str


@dataclass(frozen=True, slots=True)
class System:
    """How a system is asked. Readers raise Unreadable, and FeatureOff where it says so itself.

    `cables` are the lines that tell of cables. `kernel_forwards`: its kernel chooses the paths of
    packets, so that it can be asked for one. `vrf_bgp` reads the sessions of one more routing
    table, by its name, where `bgp` tells those of the default table alone.
    """

    cables: tuple[str, ...]
    kernel_forwards: bool
    lldp: Callable[[Read], Neighbours]
    bgp: Callable[[Read], Bgp]
    rib: Callable[[Read], Rib]
    fib: Callable[[Read], Fib]
    ports: Callable[[Read], Links]
    addresses: Callable[[Read], Addresses]
    words: Words
    vrf_bgp: Callable[[Read, str], Bgp] | None = None
