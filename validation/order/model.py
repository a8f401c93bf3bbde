"""What an order is about: devices that go from version to version, and cables between them.

A version is a device's configuration in neutral words, as far as it decides what becomes of a
packet of the lossless class. A device changes from one version to the next atomically; where that
resets its sessions, or the box is another one, it is away for a while (`restarts`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from switch_configs.readback.facts import QosFacts

Sorts = tuple[tuple[int, int | None], ...]
"""DSCPs in RoCE's class, each with the priority that is paused for it; None where none is."""


@dataclass(frozen=True, slots=True)
class Side:
    """What a switch port does with what crosses its cable; `strict` are DSCPs as CNPs have them."""

    roce: Sorts
    strict: tuple[int, ...]
    ip_mtu_bytes: int | None
    adaptive: bool = False
    peer_asn: int | Literal["external", "internal"] | None = None


@dataclass(frozen=True, slots=True)
class HostSide:
    """A NIC: what it sends (two DSCPs, at most so many bytes), and how it sorts what comes."""

    dscp: int
    cnp_dscp: int
    ip_mtu_bytes: int
    roce: Sorts
    strict: tuple[int, ...]
    out_of_order: bool = False


End = Side | HostSide
Word = Literal["old", "ready", "moved", "via", "new", "absent"]


@dataclass(frozen=True, slots=True)
class Version:
    """A configuration of a device, by port; `asn` is None on hosts. `box` tells hardware apart."""

    word: Word
    asn: int | None
    ends: Mapping[str, End]
    box: str = ""

    def same(self, other: Version) -> bool:
        """Whether nothing that matters here differs."""
        mine, its = (self.asn, self.box, self.ends), (other.asn, other.box, other.ends)
        return mine == its and (self.word == "absent") == (other.word == "absent")


@dataclass(frozen=True, slots=True)
class Device:
    """A switch or a host, and its versions in the order in which it has them.

    `level` is 0 of hosts, 1 of leaves, and one more for each tier above.
    """

    name: str
    level: int
    versions: tuple[Version, ...]


@dataclass(frozen=True, slots=True, order=True)
class Cable:
    """`below` and its port, `above` and its port."""

    below: str
    below_port: str
    above: str
    above_port: str


@dataclass(frozen=True)
class Fabric:
    """Devices by name and the cables between them; what is alike is told by `Fabric.up`."""

    devices: Mapping[str, Device]
    cables: tuple[Cable, ...]

    @cached_property
    def up(self) -> Mapping[str, tuple[Cable, ...]]:
        """The cables from a device to what is above it."""
        return _by((cable.below, cable) for cable in self.cables)

    @cached_property
    def down(self) -> Mapping[str, tuple[Cable, ...]]:
        """The cables from a device to what is below it."""
        return _by((cable.above, cable) for cable in self.cables)

    @cached_property
    def moving(self) -> tuple[str, ...]:
        """The devices of more than one version, sorted."""
        return tuple(sorted(name for name, one in self.devices.items() if len(one.versions) > 1))

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """The switches that hosts hang on, sorted."""
        return tuple(sorted(name for name, one in self.devices.items() if one.level == 1))


def _by(pairs: Iterator[tuple[str, Cable]]) -> dict[str, tuple[Cable, ...]]:
    found = defaultdict(list)
    for name, cable in pairs:
        found[name].append(cable)
    return {name: tuple(of_it) for name, of_it in found.items()}


def restarts(before: Version, after: Version) -> bool:
    """Whether a device is away while it changes: another AS or box, or its sessions are reset.

    A change of a neighbour's AS resets the session (RFC 4271, 8.2; `peer_as_change` of FRR's
    bgpd), and a file that changes all of them resets all at once.
    """
    if "absent" in (before.word, after.word) or before.box != after.box:
        return True
    return before.asn != after.asn or any(
        isinstance(end, Side)
        and isinstance(was := before.ends.get(port), Side)
        and end.peer_asn != was.peer_asn
        for port, end in after.ends.items()
    )


def is_up(fabric: Fabric, cable: Cable, below: int, above: int) -> bool:
    """Whether a cable carries packets when its ends have these versions.

    Each end expects the AS that the other has, or any other than its own (`external`); hosts and
    ports without a session ask for nothing.
    """
    low = fabric.devices[cable.below].versions[below]
    high = fabric.devices[cable.above].versions[above]
    one, other = low.ends.get(cable.below_port), high.ends.get(cable.above_port)
    if one is None or other is None:
        return False
    return _meets(one, low.asn, high.asn) and _meets(other, high.asn, low.asn)


def _meets(end: End, own: int | None, peer: int | None) -> bool:
    asked = end.peer_asn if isinstance(end, Side) else None
    if asked is None or peer is None:
        return True
    if isinstance(asked, int):
        return asked == peer
    return (own != peer) == (asked == "external")


def sorts_of(qos: QosFacts | None) -> tuple[Sorts, tuple[int, ...]]:
    """RoCE's DSCPs of a port (its class is paused, or marked by ECN) and those of its strict class.

    Both are empty where the port does nothing by DSCP.
    """
    classes = qos.classes if qos else ()
    mine = [one for one in classes if not one.strict and (one.pfc_priority is not None or one.ecn)]
    roce = {dscp: one.pfc_priority for one in mine for dscp in one.dscps}
    strict = sorted(dscp for one in classes if one.strict for dscp in one.dscps)
    return tuple(sorted(roce.items())), tuple(strict)
