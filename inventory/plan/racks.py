"""Racks: what stands where, and what it may draw."""

from __future__ import annotations

from dataclasses import dataclass

from .oob import Management


@dataclass(frozen=True, slots=True, order=True)
class RackedDevice:
    """A device in a rack: its lowest rack unit from 1, its height, the most it draws."""

    device: str
    unit: int
    rack_units: int
    power_w: int


@dataclass(frozen=True, slots=True)
class Pdu:
    """A power strip of a rack."""

    name: str
    management: Management | None


@dataclass(frozen=True, slots=True)
class Rack:
    """A rack with what stands in it, from the lowest unit up.

    `row` names those of its kind and pod that hang on one feed. `power_w` is the most that all
    its devices draw; with one PDU lost the others carry it.
    """

    name: str
    kind: str
    pod: int
    row: str
    devices: tuple[RackedDevice, ...]
    pdus: tuple[Pdu, ...]
    units: int
    power_w: int
    limit_w: int
    pdu_limit_w: int
