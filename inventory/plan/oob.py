"""The OOB plane: how a device is reached, leases, zones, the server."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from .cables import PortRef
from .hardware import Hardware, RawStanza
from .roles import RoleVariable
from .words import Clock, OobTier


@dataclass(frozen=True, slots=True)
class Management:
    """How a device is reached: its port, lease and zone in the OOB plane.

    `mac` and `serial` come from `asbuilt.csv`; without them the device is planned but
    not deployable.
    """

    port: str
    zone: str
    address: IPv4Interface
    gateway: IPv4Address
    mac: str | None
    serial: str | None


@dataclass(frozen=True, slots=True, order=True)
class Lease:
    """A DHCP reservation: this MAC gets this address and this name."""

    name: str
    mac: str
    address: IPv4Address
    server_port: str


# The end of the description of a port that leads to the OOB server: what reads a configuration
# back has no plan, and that port has the name that the server's system gives it.
TO_SERVER = ", OOB server"


@dataclass(frozen=True, slots=True, order=True)
class Service:
    """What the OOB server offers in a zone beside DHCP and DNS; its firewall lets it in."""

    name: str
    protocol: str
    port: int


@dataclass(frozen=True, slots=True)
class Zone:
    """A part of the OOB plane. `ports` are the OOB server's ports in this zone.

    `vlan` is its number on the switches of the plane.
    """

    name: str
    vlan: int
    prefix: IPv4Network
    server_address: IPv4Interface
    ports: tuple[str, ...]
    leases: tuple[Lease, ...]
    services: tuple[Service, ...]


@dataclass(frozen=True, slots=True)
class SiteTime:
    """Where the OOB server takes the time that it serves in all zones: addresses or names.

    Without `sources` it serves its own clock. `clock` says whether it sets that.
    """

    sources: tuple[str, ...]
    clock: Clock


@dataclass(frozen=True, slots=True)
class OobServer:
    """DHCP, DNS, time and jump host of the OOB plane; the controller reaches it at `access`.

    `mac` is that of `access_port`, and the server's own identity. `trunk_port` carries all zones,
    where the plane has switches, and may be the access port; None where each device has a port of
    its own. `role_variables` are those that the site sets, sorted by name.
    """

    name: str
    access_port: str
    access: IPv4Address
    mac: str | None
    trunk_port: str | None
    trunk_mac: str | None
    domain: str
    time: SiteTime
    zones: tuple[Zone, ...]
    role_variables: tuple[RoleVariable, ...]


@dataclass(frozen=True, slots=True)
class OobPort:
    """A port of an OOB switch: one zone for a device, all zones for a trunk.

    An `isolated` port reaches trunks only: devices of a zone do not see each other.
    """

    name: str
    peer: PortRef
    zones: tuple[str, ...]
    isolated: bool
    rate_gbps: float
    to_server: bool

    @property
    def description(self) -> str:
        """What the port is called on its switch: what is at the other end."""
        return f"to {self.peer}{TO_SERVER if self.to_server else ''}"


@dataclass(frozen=True, slots=True)
class OobSwitch:
    """A switch of the OOB plane: in a rack (`access`), or above those."""

    name: str
    tier: OobTier
    profile: str
    dialect: str
    release: str
    rack: str
    hardware: Hardware
    management: Management
    ports: tuple[OobPort, ...]
    raw: tuple[RawStanza, ...]
