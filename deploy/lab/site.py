"""From a site's folder to a LabSpec: its cables and its MACs, and nothing of its plan.

The wiring file is the oracle for the plan's cable list. A lab that were built from the
plan would agree with a wrong plan.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from deploy.errors import RailbedError
from inventory.load.files import label, text_of
from inventory.plan import Plan
from inventory.problems import InventoryError, Problem
from inventory.topology.asbuilt import AsBuilt, parse_asbuilt
from inventory.topology.wiring import load_wiring

from .modelled import LAYER
from .spec import ACCESS, LabSpec, Link, MachineSpec, Port, device_name, layer_of
from .wires import made_up_mac


@dataclass(frozen=True, slots=True)
class Hardware:
    """The MAC addresses that a site's as-built list gives to ports."""

    macs: dict[tuple[str, str], str]

    def port(self, machine: str, name: str) -> Port:
        """A port with its listed MAC, or a made-up one that is always the same."""
        mac = self.macs.get((machine, name)) or made_up_mac(machine, name)
        return Port(machine, device_name(name), mac)


def hardware(asbuilt: Path) -> Hardware:
    """Read `asbuilt.csv`; InventoryError with every bad line."""
    problems: list[Problem] = []
    text = text_of(asbuilt, problems, "a CSV file")
    built, wrong = parse_asbuilt(text, label(asbuilt)) if text is not None else (AsBuilt(), [])
    if problems := [*problems, *wrong]:
        raise InventoryError(problems)
    return Hardware({port: one.mac for port, one in built.ports.items()})


def links(wiring: Path, known: Hardware) -> tuple[Link, ...]:
    """Read `wiring.csv`; InventoryError with every bad line."""
    return tuple(
        sorted(
            Link(
                known.port(wire.a.device, wire.a.port),
                known.port(wire.b.device, wire.b.port),
                shaped=wire.plane != "oob",
            )
            for wire in load_wiring(wiring)
        )
    )


def planned_machines(plan: Plan, models: Collection[str] = ()) -> dict[str, MachineSpec]:
    """What sort of machine each device is, and how it calls the port by which it is reached.

    `models` are the switches that are models of a system. Of cables a plan says nothing here.
    """
    switches = {
        name: MachineSpec(name, LAYER if name in models else "switch", one.management.port)
        for name, one in plan.any_switch.items()
    }
    nodes = {one.name: MachineSpec(one.name, "node", one.management.port) for one in plan.nodes}
    server = MachineSpec(plan.oob.name, "oob", plan.oob.access_port)
    return {**switches, **nodes, server.name: server}


def machines(
    cables: tuple[Link, ...], known: Hardware, planned: Mapping[str, MachineSpec] | None = None
) -> tuple[MachineSpec, ...]:
    """Every device that has a cable or an as-built port, as it is `planned`."""
    ports: dict[str, set[str]] = {}
    for machine, port in known.macs:
        ports.setdefault(machine, set()).add(port)
    for end in (end for cable in cables for end in (cable.a, cable.b)):
        ports.setdefault(end.machine, set()).add(end.name)
    found = tuple(
        (planned or {}).get(name) or unplanned(name, ports[name]) for name in sorted(ports)
    )
    if sum(one.layer == "oob" for one in found) != 1:
        raise RailbedError(
            "a lab needs one OOB server: one device with ports nm1, nm2 ... or hm1, hm2 ..."
        )
    return found


def unplanned(name: str, ports: set[str]) -> MachineSpec:
    """A machine that stands in the wiring alone, by the names of its ports."""
    layer = layer_of(ports)
    return MachineSpec(name, layer, ACCESS) if layer == "oob" else MachineSpec(name, layer)


def wiring_digest(cables: tuple[Link, ...]) -> str:
    """Names exactly these cables and MACs."""
    return hashlib.sha256(repr(cables).encode()).hexdigest()[:16]


def access_mac(spec: LabSpec, known: Hardware) -> str:
    """The MAC of the jump host's access port, which is also its identity."""
    return known.port(spec.oob, spec.access_port).mac
