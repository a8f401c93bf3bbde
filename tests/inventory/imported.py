"""The lab's site as an import sees it, and a larger one made by numbers."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from inventory.asbuilt_rows import BuiltRow, rows_of
from inventory.derive import derive
from inventory.imports.merge import Claim, Place
from inventory.imports.site import DevicePorts, device_ports
from inventory.load import load
from inventory.model import Fabric
from inventory.plan import Plan

ROOT = Path(__file__).parents[2]
EVIDENCE = ROOT / "tests/evidence"


@cache
def lab() -> tuple[Fabric, Plan]:
    fabric = load("lab")
    return fabric, derive(fabric)


def rows() -> dict[Place, BuiltRow]:
    return rows_of(lab()[0].asbuilt)


def ports() -> dict[str, DevicePorts]:
    return dict(device_ports(*lab()))


def with_bmc(of: dict[str, DevicePorts]) -> dict[str, DevicePorts]:
    """The same devices, each node with a BMC."""
    return {
        name: DevicePorts(one.management, "bmc", one.all | {"bmc"})
        if name.startswith("node")
        else one
        for name, one in of.items()
    }


def claim(device: str, port: str, mac: str, serial: str, firmware: str = "") -> Claim:
    return Claim(BuiltRow(device, port, mac, serial, firmware), "m.csv", 2)
