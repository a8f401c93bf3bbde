"""Ports by kind: the text that many ports share is printed once, and their own words filled in.

A fabric has thousands of ports and a handful of kinds. `%(name)s` and the like stand in a kind's
text where a port's own words go.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

from . import names


@dataclass(frozen=True, slots=True)
class Switchport:
    """What a switched port carries: `access` alone, or `allowed` with `native` untagged.

    `outward`: packets of the first VLAN leave with the number of the second.
    """

    access: int | None = None
    native: int | None = None
    allowed: str = ""
    group: str | None = None
    outward: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Kind:
    """What an interface block says beside its own words; what is None or False is not printed.

    `edge` is a switched port towards a device, which must not wait for spanning tree: its DHCP
    would give up first. `described` and `addressed` say which words a port of this kind has.
    `policy` is what users' packets pass as they come in. `tracks` is `upstream` or `downstream` on
    a leaf of a pair: see `link_tracking`.
    """

    described: bool = False
    mtu_bytes: int | None = None
    speed: str | None = None
    fec: str | None = None
    channel: int | None = None
    routed: bool = False
    switchport: Switchport | None = None
    tag: int | None = None
    vrf: str = ""
    addressed: bool = False
    unnumbered: bool = False
    mlag: int | None = None
    trusts: bool = True
    policy: str | None = None
    profile: str | None = None
    edge: bool = False
    tracks: str | None = None


class Words(TypedDict):
    """A port's own words; a dictionary, because a kind's text is filled with it."""

    name: str
    description: str
    address: str


Port = tuple[Kind, Words]


@dataclass(frozen=True, slots=True)
class Ports:
    """Ports in EOS's order, each with the place of its kind in `kinds`."""

    kinds: tuple[Kind, ...] = ()
    all: tuple[tuple[int, Words], ...] = ()


def words(name: str, description: str = "", address: str = "") -> Words:
    """What one port alone says."""
    return {"name": name, "description": description, "address": address}


def in_order(found: list[Port]) -> Ports:
    """All ports, Ethernet2/1 before Ethernet10/1; those that share a `Kind` share its text."""
    found.sort(key=_place)
    kinds = {id(kind): kind for kind, _ in found}
    numbers = {at: number for number, at in enumerate(kinds)}
    named = tuple((numbers[id(kind)], own) for kind, own in found)
    return Ports(tuple(kinds.values()), named)


def _place(port: Port) -> tuple[tuple[int, str], ...]:
    return names.natural(port[1]["name"])
