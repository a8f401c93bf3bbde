"""CONFIG_DB, table by table: each module gives the rows of one section.

JSON has no lines to lay out, so these are values and not templates.
"""

from __future__ import annotations

from collections.abc import Callable

from switch_configs.intent import SwitchIntent

from . import access, buffers, device, ports, qos, services, vlans
from .rows import Tables

SECTIONS: dict[str, Callable[[SwitchIntent], Tables]] = {
    "device": device.tables,
    "management": services.management,
    "servers": services.servers,
    "ports": ports.tables,
    "vlans": vlans.tables,
    "access-lists": access.tables,
    "maps": qos.maps,
    "queues": qos.queues,
    "watchdog": qos.watchdog,
    "buffers": buffers.tables,
    "hash": device.hashing,
}
"""By section, in the order in which the README tells of them."""

__all__ = ["SECTIONS", "Tables"]
