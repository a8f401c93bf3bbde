"""The RDMA devices as /sys/class/infiniband and configfs tell of them.

Sources: Documentation/ABI/stable/sysfs-class-infiniband and testing/configfs-rdma_cm of the kernel;
`traffic_class` is of NVIDIA's own driver: `Global tclass=106`, then one line a rule; empty when no
class is set.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from inventory.reading.fields import Unreadable, full_lines
from inventory.reading.numbers import Whole

_PORT = Whole("port of an RDMA device", "1", 1, 255)
_INDEX = Whole("index of a GID", "1", 0, (1 << 16) - 1)
_PAIR = Whole("two bytes of an address", "1", 0, (1 << 16) - 1, base=16)
_CLASS = Whole("traffic class", "1", 0, 255)
_DECIMAL = Whole("value in sysfs", "1", 0, (1 << 32) - 1)
_HEX = Whole("value in sysfs", "1", 0, (1 << 32) - 1, base=16)
_GID = re.compile(
    r"/sys/class/infiniband/([^/]+)/ports/(\d+)/gids/(\d+):((?:[0-9a-f]{4}:){7}[0-9a-f]{4})"
)
_ATTRIBUTE = re.compile(
    r"/sys/class/infiniband/([^/]+)/ports/(\d+)/gid_attrs/(types|ndevs)/(\d+):(.+)"
)
_GLOBAL = re.compile(r"Global tclass=(\S+)")
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
        pairs = [_PAIR.read(one) for one in self.gid.removeprefix(_MAPPED).split(":")]
        return ".".join(f"{pair >> 8}.{pair & 255}" for pair in pairs)


def gids(text: str) -> tuple[Gid, ...]:
    """The entries that are in use; Unreadable for one without type or port."""
    found: dict[tuple[str, str, str], str] = {}
    kinds: dict[tuple[str, str, str], dict[str, str]] = {}
    for line in full_lines(text, "the GID table"):
        if one := _GID.fullmatch(line):
            found[one[1], one[2], one[3]] = one[4]
        elif one := _ATTRIBUTE.fullmatch(line):
            kinds.setdefault((one[1], one[2], one[4]), {})[one[3]] = one[5].strip()
        else:
            raise Unreadable(f"no line of a GID table: {line[:120]}")
    if set(found) != set(kinds) or any(len(kind) != 2 for kind in kinds.values()):
        raise Unreadable("the GID table lacks the GID, type or port of an entry")
    return tuple(
        sorted(
            Gid(
                key[0],
                _PORT.read(key[1]),
                _INDEX.read(key[2]),
                gid,
                kinds[key]["types"],
                kinds[key]["ndevs"],
            )
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
    if found:
        return _CLASS.read(found[1])
    rules = lines[0].lstrip().startswith("tclass")
    if not rules or any("Global tclass" in line for line in lines):
        raise Unreadable(f"traffic_class says {lines[0][:60]!r}")
    return None


def number(text: str | None, what: str) -> int:
    """A file that holds one whole number, also as 0x..; Unreadable for another."""
    said = (text or "").strip()
    try:
        return (_HEX if said.lower().startswith("0x") else _DECIMAL).read(said)
    except Unreadable as why:
        raise Unreadable(f"{what}: {why}") from None
