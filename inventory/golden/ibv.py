"""`ibv_devinfo` and `ibv_devinfo -v`: RDMA devices.

Format: ibv_devinfo(1) of rdma-core. A node GUID of mlx5 is the port's MAC with 03:00 in its
middle, as both stand in captures of these NICs, so the interface is found by its MAC. Ports of
one card have one system image GUID. Width times speed is the link's rate, and holds only while
the port is active.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .evidence import Unreadable, real, whole

_FIELD = re.compile(r"\s*(?P<key>\w+):\s+(?P<value>\S.*?)\s*")


@dataclass(frozen=True, slots=True)
class RdmaDevice:
    """One RDMA device: its MAC and card by GUID, and the rate of its active link in Gb/s."""

    name: str
    mac: str | None
    card: str | None
    rate_gbps: float | None


def parse_ibv(text: str) -> tuple[RdmaDevice, ...]:
    """Return all RDMA devices in the order of the tool; raises Unreadable without any."""
    fields: list[dict[str, str]] = []
    for line in text.splitlines():
        # `ibstat` in the same file begins so: not ours.
        if line.startswith("CA '"):
            break
        field = _FIELD.fullmatch(line)
        if field and field["key"] == "hca_id":
            fields.append({"hca_id": field["value"]})
        elif field and fields:
            fields[-1].setdefault(field["key"], field["value"])
    if not fields:
        raise Unreadable("no hca_id of ibv_devinfo in it")
    return tuple(map(_device, fields))


def _device(fields: dict[str, str]) -> RdmaDevice:
    card = fields.get("sys_image_guid")
    return RdmaDevice(fields["hca_id"], _mac(fields.get("node_guid", "")), card, _rate(fields))


def _mac(guid: str) -> str | None:
    digits = guid.replace(":", "")
    if len(digits) != 16 or digits[6:10] != "0300":
        return None
    mac = digits[:6] + digits[10:]
    return ":".join(mac[at : at + 2] for at in range(0, 12, 2))


def _rate(fields: dict[str, str]) -> float | None:
    width = re.match(r"([0-9]{1,2})X ", fields.get("active_width", ""))
    speed = re.match(r"([0-9]{1,4}(?:\.[0-9]{1,4})?) Gbps ", fields.get("active_speed", ""))
    if not fields.get("state", "").startswith("PORT_ACTIVE") or not width or not speed:
        return None
    return whole(width[1]) * real(speed[1])
