"""`lspci -Dvvv`, of which only each device's first line and a few of its lines were kept.

`ACSCtl: SrcValid-` says that a port does not send what passes between two devices up to the root;
`MaxReadReq 4096 bytes` is the longest read; `LnkSta: Speed 32GT/s, Width x16` the link as it runs,
with `(downgraded)` where it could be faster (github.com/pciutils/pciutils, ls-caps.c, ls-ecaps.c).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from inventory.reading.fields import Unreadable, full_lines
from inventory.reading.numbers import Real, Whole

_FIRST = re.compile(r"^([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) (\S.*)$")
_FLAG = re.compile(r"\b(\w+)([+-])")
_LINK = re.compile(
    r"LnkSta:\s+Speed (?:(?P<gts>\S*)GT/s|unknown)(?P<speed>| .*?),"
    r" Width (?:x(?P<lanes>\S*?)|unknown)(?P<width>|,? .*)$"
)
_ACS = frozenset(
    ["SrcValid", "TransBlk", "ReqRedir", "CmpltRedir", "UpstreamFwd", "EgressCtrl", "DirectTrans"]
)
_READ = re.compile(r"MaxReadReq (\S*) bytes")
_SPEED = Real("speed of a PCIe link", "GT/s", 2.5, 128)
_WIDTH = Whole("width of a PCIe link", "lanes", 0, 32)  # 0 while nothing is plugged in
_READ_BYTES = Whole("longest read request", "bytes", 128, 16384)
# Of ten bits on the wire eight are data, from 8 GT/s on 128 of 130 (PCI Express, 4.2).
_OLD_GTS = 5.0


@dataclass(frozen=True, slots=True)
class PciLink:
    """A PCIe link as it runs: gigatransfers a second and lanes."""

    gts: float
    width: int
    downgraded: bool

    @property
    def gbps(self) -> float:
        """What it carries one way, in Gb/s, packets' heads and all."""
        return self.gts * self.width * (0.8 if self.gts <= _OLD_GTS else 128 / 130)

    def __str__(self) -> str:
        word = ", downgraded" if self.downgraded else ""
        return f"{self.gbps:.0f} Gb/s of {self.gts:g} GT/s x{self.width}{word}"


@dataclass(frozen=True, slots=True)
class PciDevice:
    """One device; `acs` are the bits of ACS that are on, None where it has no ACS."""

    pci: str
    says: str
    acs: frozenset[str] | None = None
    read_bytes: int | None = None
    link: PciLink | None = None


def devices(text: str) -> dict[str, PciDevice]:
    """The devices by PCI address; Unreadable where there is none, or a line belongs to none.

    A device has each kind of line once: a second one is that of a device whose first line is lost.
    """
    found: dict[str, PciDevice] = {}
    kinds: set[str] = set()
    at = ""
    for line in full_lines(text, "lspci"):
        if first := _FIRST.match(line):
            at, kinds = first[1], set()
            if at in found:
                raise Unreadable(f"lspci tells of {at} twice")
            found[at] = PciDevice(at, first[2])
            continue
        if not at or not line[0].isspace():
            raise Unreadable(f"lspci: {line.strip()[:80]!r} belongs to no device")
        kind = next((one for one in _KINDS if one in line), "")
        if kind in kinds:
            raise Unreadable(f"lspci tells {kind} of {at} twice")
        if kind:
            kinds.add(kind)
            found[at] = _with(found[at], kind, line)
    if not found:
        raise Unreadable("lspci printed no device")
    return found


_KINDS = ("ACSCtl:", "MaxReadReq", "LnkSta:")


def _with(device: PciDevice, kind: str, line: str) -> PciDevice:
    if kind == "ACSCtl:":
        flags = dict(_FLAG.findall(line.partition(kind)[2]))
        if not flags.keys() >= _ACS:
            raise Unreadable(f"lspci: {line.strip()[:80]!r} does not tell all bits")
        return replace(device, acs=frozenset(name for name, sign in flags.items() if sign == "+"))
    if kind == "MaxReadReq":
        size = _READ.search(line)
        if not size:
            raise Unreadable(f"lspci: {line.strip()[:80]!r} tells no size")
        return replace(device, read_bytes=_READ_BYTES.read(size[1]))
    link = _LINK.search(line)
    if not link:
        raise Unreadable(f"lspci: {line.strip()[:80]!r} tells no link")
    if link["gts"] is None or link["lanes"] is None:
        return device
    down = "downgraded" in link["speed"] + link["width"]
    return replace(device, link=PciLink(_SPEED.read(link["gts"]), _WIDTH.read(link["lanes"]), down))
