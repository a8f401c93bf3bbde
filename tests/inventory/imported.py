"""The lab's site as an import sees it, and a larger one made by numbers."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from inventory.derive import derive
from inventory.imports.merge import Claim, Place
from inventory.imports.site import DevicePorts, device_ports
from inventory.load.site import load
from inventory.model import Fabric
from inventory.plan import Plan
from inventory.topology.asbuilt_rows import BuiltRow, rows_of

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


# What the lab's site says, and beside it racks, BMCs, PDUs and a switch in every rack.
RACKS = """
racks:
  units: 42
  power_w: 20000
  pdu_power_w: 20000
  power_of: {lab-switch: 100, sn2201-cumulus: 100}
"""
NODE = """\
racked-node:
  management_port: eth0
  bmc: {protocol: redfish}
  rails: [{port: rail0, rate_gbps: 0.2}, {port: rail1, rate_gbps: 0.2}]
  rack_units: 2
  power_w: 500
  source: "made for tests"
"""
ZONES = """\
    hostmgmt: 10.88.1.0/24
    bmc: 10.88.2.0/24
    power: 10.88.3.0/24
  switches: {access_profile: sn2201-cumulus, aggregation_profile: sn2201-cumulus}"""


def racked_site(folder: Path) -> Path:
    """The lab's fabric in racks, with an empty as-built list."""
    fabric = (ROOT / "inventory/sites/lab/fabric.yml").read_text()
    fabric = fabric.replace("node_profile: lab-node", "node_profile: racked-node")
    fabric = fabric.replace("    hostmgmt: 10.88.1.0/24", ZONES)
    (folder / "profiles").mkdir(parents=True)
    (folder / "fabric.yml").write_text(fabric + RACKS)
    (folder / "profiles/nodes.yml").write_text(NODE)
    (folder / "asbuilt.csv").write_text("device,port,mac,serial\n")
    return folder
