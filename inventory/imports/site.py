"""What an import must know of a site: its planned devices and their ports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inventory.rules.fabric.asbuilt import known_ports

from ..model import Fabric
from ..plan import Plan

MANAGEMENT = "management"
BMC = "bmc"


@dataclass(frozen=True, slots=True)
class DevicePorts:
    """The ports of a device; `bmc` is None where it has none."""

    management: str
    bmc: str | None
    all: frozenset[str]

    def port(self, name: str) -> str | None:
        """Return our name of a port, for `management` and `bmc` too; None if it has none."""
        if name == MANAGEMENT:
            return self.management
        if name == BMC:
            return self.bmc
        return name if name in self.all else None


def device_ports(fabric: Fabric, plan: Plan) -> Mapping[str, DevicePorts]:
    """Return every planned device with its ports; a PDU's only one is its management port."""
    management = {switch.name: switch.management.port for switch in plan.switches}
    management |= {switch.name: switch.management.port for switch in plan.oob_switches}
    management |= {node.name: node.management.port for node in plan.nodes}
    management[plan.oob.name] = plan.oob.access_port
    bmcs = {node.name: node.bmc.port for node in plan.nodes if node.bmc}
    return {
        name: DevicePorts(management.get(name) or min(ports), bmcs.get(name), ports)
        for name, ports in known_ports(fabric).items()
    }


def locations(plan: Plan) -> dict[str, str]:
    """Return who stands where: RACK/UNIT, the lowest rack unit, -> device."""
    return {
        f"{rack.name}/{device.unit}": device.device
        for rack in plan.racks
        for device in rack.devices
    }
