"""Faults that a person could make with their hands, for demonstrations and tests."""

from __future__ import annotations

from inventory.plan import PortRef

from . import machine


def unplug(name: str, port: PortRef) -> None:
    """Pull the cable at `port` of lab `name`: both of its ends lose their carrier."""
    _set(name, port, "down")


def plug(name: str, port: PortRef) -> None:
    """Put the cable back."""
    _set(name, port, "up")


def _set(name: str, port: PortRef, state: str) -> None:
    done = machine.inside(name, port.device, ["ip", "link", "set", port.port, state], timeout_s=10)
    done.check_returncode()
