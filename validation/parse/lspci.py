"""`lspci -Dvvv`, of which only each device's first line and a few of its lines were kept.

`ACSCtl: SrcValid-` says that a port does not send what passes between two devices up to the root;
`MaxReadReq 4096 bytes` is the longest read (github.com/pciutils/pciutils, ls-caps.c, ls-ecaps.c).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .fields import Unreadable

_FIRST = re.compile(r"^([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) (\S.*)$")
_FLAG = re.compile(r"\b(\w+)([+-])")
# The bits that send traffic between two devices up to the root (PCI Express, 6.12.1).
_REDIRECTS = frozenset({"ReqRedir", "CmpltRedir", "SrcValid", "UpstreamFwd"})


@dataclass(frozen=True, slots=True)
class PciDevice:
    """One device; `acs` are the bits of ACS that are on, None where it has no ACS."""

    pci: str
    says: str
    acs: frozenset[str] | None = None
    read_bytes: int | None = None

    @property
    def detours(self) -> bool:
        """Whether traffic between devices is sent up to the root."""
        return bool(self.acs and self.acs & _REDIRECTS)


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
            found[at] = PciDevice(at, found[at].says, bits, found[at].read_bytes)
        elif size := re.search(r"MaxReadReq (\d+) bytes", line):
            found[at] = PciDevice(at, found[at].says, found[at].acs, int(size[1]))
    if not found:
        raise Unreadable("lspci printed no device")
    return found
