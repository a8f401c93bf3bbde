"""The RDMA devices as /sys/class/infiniband and configfs tell of them.

Sources: Documentation/ABI/stable/sysfs-class-infiniband and testing/configfs-rdma_cm of the kernel;
`traffic_class` is of NVIDIA's own driver: `Global tclass=106`, then one line a rule; empty when no
class is set.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .fields import Unreadable

_GID = re.compile(
    r"/sys/class/infiniband/([^/]+)/ports/(\d+)/gids/(\d+):((?:[0-9a-f]{4}:){7}[0-9a-f]{4})"
)
_ATTRIBUTE = re.compile(
    r"/sys/class/infiniband/([^/]+)/ports/(\d+)/gid_attrs/(types|ndevs)/(\d+):(.+)"
)
_GLOBAL = re.compile(r"Global tclass=(\d{1,3})")
_MAPPED = "0000:0000:0000:0000:0000:ffff:"


@dataclass(frozen=True, slots=True, order=True)
class Gid:
    """One entry of a port's GID table; `kind` is `IB/RoCE v1` or `RoCE v2`."""

    device: str
    port: int
    index: int
    gid: str
    kind: str
    ndev: str

    @property
    def ipv4(self) -> str:
        """The IPv4 address of an IPv4-mapped GID, or nothing."""
        if not self.gid.startswith(_MAPPED):
            return ""
        number = int(self.gid.removeprefix(_MAPPED).replace(":", ""), 16)
        return ".".join(str(number >> shift & 255) for shift in (24, 16, 8, 0))


def gids(text: str) -> tuple[Gid, ...]:
    """The entries that are in use; Unreadable for one without type or port."""
    found: dict[tuple[str, str, str], str] = {}
    kinds: dict[tuple[str, str, str], dict[str, str]] = {}
    for line in text.splitlines():
        if one := _GID.fullmatch(line):
            found[one[1], one[2], one[3]] = one[4]
        elif one := _ATTRIBUTE.fullmatch(line):
            kinds.setdefault((one[1], one[2], one[4]), {})[one[3]] = one[5].strip()
        elif line.strip():
            raise Unreadable(f"no line of a GID table: {line[:120]}")
    if set(found) != set(kinds) or any(len(one) != 2 for one in kinds.values()):
        raise Unreadable("the GID table lacks the GID, type or port of an entry")
    return tuple(
        sorted(
            Gid(key[0], int(key[1]), int(key[2]), gid, kinds[key]["types"], kinds[key]["ndevs"])
            for key, gid in found.items()
        )
    )


def traffic_class(text: str | None) -> int | None:
    """The class forced on all queue pairs, None where none is; Unreadable for anything else."""
    if text is None:
        raise Unreadable("traffic_class could not be read")
    lines = text.splitlines()
    if not lines:
        return None
    found = _GLOBAL.fullmatch(lines[0].strip())
    if not found or int(found[1]) > 255:
        if any("Global tclass" in one for one in lines) or not lines[0].lstrip().startswith(
            "tclass"
        ):
            raise Unreadable(f"traffic_class says {lines[0][:60]!r}")
        return None
    return int(found[1])


def number(text: str | None, what: str) -> int:
    """A file that holds one whole number, also as 0x..; Unreadable for another."""
    try:
        return int((text or "").strip(), 0)
    except ValueError:
        raise Unreadable(f"{what} says {(text or 'nothing')[:60]!r}") from None
