"""`lspci -Dvvv`, of which only each device's first line and a few of its lines were kept.

`ACSCtl: SrcValid-` says that a port does not send what passes between two devices up to the root;
`MaxReadReq 4096 bytes` is the longest read; `LnkSta: Speed 32GT/s, Width x16` the link as it runs,
with `(downgraded)` where it could be faster (github.com/pciutils/pciutils, ls-caps.c, ls-ecaps.c).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from .fields import Unreadable

_FIRST = re.compile(r"^([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) (\S.*)$")
_FLAG = re.compile(r"\b(\w+)([+-])")
_LINK = re.compile(r"LnkSta:\s+Speed (\d+(?:\.\d+)?)GT/s(.*?), Width x(\d+)(.*)$")
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
    """The devices by PCI address; Unreadable where there is none, or a line belongs to none."""
    found: dict[str, PciDevice] = {}
    at = ""
    for line in text.splitlines():
        if first := _FIRST.match(line):
            at = first[1]
            if at in found:
                raise Unreadable(f"lspci tells of {at} twice")
            found[at] = PciDevice(at, first[2])
        elif not at and line.strip():
            raise Unreadable(f"lspci: {line.strip()[:80]!r} belongs to no device")
        elif "ACSCtl:" in line:
            bits = frozenset(
                name for name, sign in _FLAG.findall(line.partition("ACSCtl:")[2]) if sign == "+"
            )
            found[at] = replace(found[at], acs=bits)
        elif size := re.search(r"MaxReadReq (\d+) bytes", line):
            found[at] = replace(found[at], read_bytes=int(size[1]))
        elif link := _LINK.search(line):
            down = "downgraded" in link[2] + link[4]
            found[at] = replace(found[at], link=PciLink(float(link[1]), int(link[3]), down))
    if not found:
        raise Unreadable("lspci printed no device")
    return found
