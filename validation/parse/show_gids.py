"""`show_gids` of mlnx-tools: the GID tables of all RDMA ports, one line an entry.

The columns are DEV PORT INDEX GID IPv4 VER DEV, tabs between them; IPv4 is empty for other GIDs.
The last line counts the entries (Mellanox/mlnx-tools, sbin/show_gids). Copies of it keep no tabs,
so columns are told by their form. A missing IPv4 row is no fault of the text: see `entry_of`.
"""

from __future__ import annotations

import re
from ipaddress import IPv4Address

from .fields import Unreadable
from .rdma_sysfs import Gid

_HEAD = re.compile(r"^DEV\s+PORT\s+INDEX\s+GID\s+IPv4\s+VER\s+DEV\s*$")
_RULE = re.compile(r"^(?:-+\s+){6}-+\s*$")
_ROW = re.compile(
    r"^(?P<device>\S+)\s+(?P<port>\d+)\s+(?P<index>\d+)\s+(?P<gid>(?:[0-9a-f]{4}:){7}[0-9a-f]{4})"
    r"(?:\s+(?P<ipv4>\d+\.\d+\.\d+\.\d+))?\s+(?P<ver>v[12])(?:\s+(?P<ndev>\S+))?\s*$"
)
_COUNT = re.compile(r"^n_gids_found=(\d+)\s*$")
_KINDS = {"v1": "IB/RoCE v1", "v2": "RoCE v2"}


def show_gids(text: str) -> tuple[Gid, ...]:
    """The entries, sorted. Raises Unreadable where one is missing, odd, or there twice."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines or not _HEAD.match(lines[0]):
        raise Unreadable("show_gids printed no table")
    counts = [int(found[1]) for line in lines if (found := _COUNT.match(line))]
    body = [line for line in lines[1:] if not _COUNT.match(line) and not _RULE.match(line)]
    if len(counts) != 1 or not _COUNT.match(lines[-1]):
        raise Unreadable("show_gids did not come to its count")
    found_all = tuple(sorted(_gid(line) for line in body))
    places = {(one.device, one.port, one.index) for one in found_all}
    if len(found_all) != counts[0] or len(places) != counts[0]:
        raise Unreadable(f"show_gids printed {len(places)} entries and counted {counts[0]}")
    return found_all


def entry_of(found: tuple[Gid, ...], device: str, address: IPv4Address) -> Gid | None:
    """The RoCE v2 entry of an address at a device's port 1: what a connection must name."""
    mine = [one for one in found if one.device == device and one.kind == _KINDS["v2"]]
    return next((one for one in mine if one.port == 1 and one.ipv4 == str(address)), None)


def _gid(line: str) -> Gid:
    found = _ROW.match(line)
    if found is None:
        raise Unreadable(f"no line of show_gids: {line[:120]}")
    made = Gid(
        found["device"],
        int(found["port"]),
        int(found["index"]),
        found["gid"],
        _KINDS[found["ver"]],
        found["ndev"] or "",
    )
    if (found["ipv4"] or "") != made.ipv4:
        raise Unreadable(f"show_gids: {found['gid']} is not the GID of {found['ipv4'] or 'none'}")
    return made
