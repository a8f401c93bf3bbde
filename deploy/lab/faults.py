"""Faults made from outside a machine, for demonstrations and tests.

A veth loses its carrier only when its peer is switched off, so a link goes down here by
one of its ports; a cable cut in the middle cannot be shown.
"""

from __future__ import annotations

from inventory.plan import PortRef

from .machines import machine
from .spec import device_name


def port_down(name: str, port: PortRef) -> None:
    """Switch a port of lab `name` off: the other end of its cable loses its carrier."""
    _set(name, port, "down")


def port_up(name: str, port: PortRef) -> None:
    """Switch it on again."""
    _set(name, port, "up")


def _set(name: str, port: PortRef, state: str) -> None:
    argv = ["ip", "link", "set", device_name(port.port), state]
    done = machine.inside(name, port.device, argv, timeout_s=10)
    done.check_returncode()
