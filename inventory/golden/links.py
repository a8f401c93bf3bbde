"""`ip -j -d link`: interfaces with MAC and PCI address; and NUMA nodes as sysfs lists them.

Format: iproute2's JSON; `parentdev` is the PCI address since iproute2 5.14 and Linux 5.14.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from .evidence import Unreadable, whole

_PCI = re.compile(r"[0-9a-f]{4}:[0-9a-f]{2}:[01][0-9a-f]\.[0-7]")
_NUMA = re.compile(rf"({_PCI.pattern}) (-?[0-9]{{1,3}})")


@dataclass(frozen=True, slots=True)
class Link:
    """A network interface; `macs` holds the address it has and the one it was born with."""

    name: str
    macs: frozenset[str]
    pci: str | None


def parse_links(text: str) -> tuple[Link, ...]:
    """Return the interfaces in the order of the kernel; raises Unreadable if it is no such list."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise Unreadable("no JSON in it") from None
    if not isinstance(found, list):
        raise Unreadable("no list of links in it")
    return tuple(_link(one) for one in found if isinstance(one, dict) and "ifname" in one)


def _link(one: dict[str, object]) -> Link:
    macs = {str(one[key]).lower() for key in ("address", "permaddr") if key in one}
    parent = str(one.get("parentdev", ""))
    return Link(str(one["ifname"]), frozenset(macs), parent if _PCI.fullmatch(parent) else None)


def parse_numa(text: str) -> dict[str, int]:
    """Return PCI address to NUMA node; -1 (the firmware says none) is left out."""
    lines = [one for line in text.splitlines() if (one := _NUMA.fullmatch(line.strip()))]
    if not lines:
        raise Unreadable("no line `0000:18:00.0 0` in it")
    return {match[1]: numa for match in lines if (numa := whole(match[2])) >= 0}
