"""What was seen on the wire: a MAC address or a system's name at a port of a switch."""

from __future__ import annotations

from dataclasses import dataclass

from ..plan import PortRef


@dataclass(frozen=True, slots=True)
class Sighting:
    """One thing heard. What the source does not say is None, or "" for a text.

    `at` is the switch's port where it was heard. `circuit` is what the relay called that
    port, where that names no one port of ours. `system` and `port` are what the device says
    of itself by LLDP; `near` is a MAC of the same device, but perhaps of another port.
    """

    at: PortRef | None
    mac: str | None
    circuit: str = ""
    system: str = ""
    port: str = ""
    near: str | None = None
    file: str = ""
    line: int = 0
