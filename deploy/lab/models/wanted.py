"""What a running configuration asks of the Linux under it, whatever system it is written for."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

LOOPBACK = "lo"


@dataclass
class Port:
    """A port of the kernel."""

    name: str
    is_up: bool
    mtu_bytes: int
    address: str = ""
    has_ipv6: bool = False
    vrf: str = ""
    forwards: bool = True  # IPv4 that comes in by it, where the switch forwards at all


@dataclass
class Wanted:
    """All that is asked of Linux."""

    hostname: str
    ports: dict[str, Port]
    # Table -> prefix -> gateway, "" for none; of the default one ("") what FRR is not told.
    routes: dict[str, dict[str, str]]
    forwards: dict[int, bool]  # by family
    lldp: tuple[int, int] | None
    ssh: set[str]  # the tables in which SSH answers
    users: dict[str, list[str]]  # keys by name
    unsaid_is_up: bool = True  # a data port of which nothing is said
    time: dict[str, list[str]] = field(default_factory=dict)  # table -> time servers
    features: frozenset[str] = frozenset()  # what is switched on, where a system tells that


def kernel_name(port: str) -> str:
    """What Linux calls a port: its names hold no slash and 15 characters. EOS does so, too."""
    if port.lower().startswith("loopback"):
        return LOOPBACK
    return re.sub("^Ethernet(?=.*/)", "et", port).replace("/", "_")


def port_name(device: str) -> str:
    """The other way round."""
    return re.sub(r"^et(?=\d)", "Ethernet", device).replace("_", "/")
