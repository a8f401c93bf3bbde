"""Cables and their ends."""

from __future__ import annotations

from dataclasses import dataclass

from .words import Plane


@dataclass(frozen=True, slots=True, order=True)
class PortRef:
    """One end of a cable: a device and one of its ports."""

    device: str
    port: str

    def __str__(self) -> str:
        return f"{self.device}:{self.port}"


@dataclass(frozen=True, slots=True, order=True)
class Cable:
    """A link as it must be plugged; `a` sorts before `b`, so each cable is written once."""

    a: PortRef
    b: PortRef
    plane: Plane
    rate_gbps: float
    cable_m: float

    def __str__(self) -> str:
        return f"{self.a} -- {self.b}"
