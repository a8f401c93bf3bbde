"""A lab as it is to be built: machines, ports, cables. Frozen, and kept as JSON."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path

Layer = str  # a folder of recipe/
ACCESS = "up0"
MANAGEMENT = "eth0"


@dataclass(frozen=True, slots=True, order=True)
class Port:
    """A port of a machine, with the MAC address it is made with."""

    machine: str
    name: str
    mac: str


@dataclass(frozen=True, slots=True, order=True)
class Link:
    """A cable between two ports; `shaped` ones carry data at the lab's rate."""

    a: Port
    b: Port
    shaped: bool


@dataclass(frozen=True, slots=True, order=True)
class MachineSpec:
    """A machine, the image layer it boots from, and the port by which it is reached."""

    name: str
    layer: Layer
    management: str = MANAGEMENT


@dataclass(frozen=True, slots=True)
class LabSpec:
    """One lab. `slot` numbers its access network; `since` is seconds of the Unix epoch.

    `wiring` is the digest of the cables, `state` the folder the rest of railbed reads. `kept`
    names the kept lab (`kept_store.py`) whose disks lie under those of this one; `models` is the
    digest of what its models of switches run. `planned_access` is what the plan says in place of
    the slot's address: the jump host has it, too.
    """

    name: str
    kind: str
    slot: int
    rate_mbps: int
    images: str
    machines: tuple[MachineSpec, ...]
    links: tuple[Link, ...]
    wiring: str
    state: str
    since: float
    kept: str = ""
    models: str = ""
    planned_access: str = ""

    @property
    def oob(self) -> str:
        """The jump host, the one machine with the access port."""
        return next(machine.name for machine in self.machines if machine.layer == "oob")

    @property
    def access_port(self) -> str:
        """What the jump host calls the port that the controller reaches."""
        return next(machine.management for machine in self.machines if machine.layer == "oob")

    @property
    def host_address(self) -> str:
        """The controller's end of the access link."""
        return f"100.64.{self.slot}.1"

    @property
    def access_address(self) -> str:
        """The jump host's end of the access link (RFC 6598 space, one /30 a lab)."""
        return f"100.64.{self.slot}.2"

    def ports(self, machine: str) -> tuple[Port, ...]:
        """A machine's cabled ports, sorted."""
        ends = (end for link in self.links for end in (link.a, link.b))
        return tuple(sorted(end for end in ends if end.machine == machine))

    def shaped_ports(self, machine: str) -> tuple[str, ...]:
        """The names of the ports whose cable is shaped."""
        ends = (end for link in self.links if link.shaped for end in (link.a, link.b))
        return tuple(sorted(end.name for end in ends if end.machine == machine))


def layer_of(ports: set[str]) -> Layer:
    """What sort of machine, of which no plan speaks, has these ports: OOB server, node, switch."""
    if any(re.match(r"[nh]m\d", port) for port in ports):
        return "oob"
    return "node" if any(port.startswith("rail") for port in ports) else "switch"


def device_name(port: str) -> str:
    """What the kernel calls a port: no name of its holds a slash, nor more than 15 characters."""
    return re.sub("^Ethernet(?=.*/)", "et", port).replace("/", "_")


def save(spec: LabSpec, path: Path) -> None:
    """Write it, whole or not at all."""
    half = path.with_suffix(".half")
    half.write_text(json.dumps(asdict(spec), indent=1))
    half.replace(path)


def load(path: Path) -> LabSpec:
    """Read it; FileNotFoundError where the lab is not up."""
    raw = json.loads(path.read_text())
    machines = tuple(MachineSpec(**one) for one in raw.pop("machines"))
    links = tuple(
        Link(Port(**one["a"]), Port(**one["b"]), one["shaped"]) for one in raw.pop("links")
    )
    return LabSpec(machines=machines, links=links, **raw)
