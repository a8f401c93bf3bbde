"""The OOB plane: how a device is reached, leases, zones, the server."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface, IPv4Network


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


@dataclass(frozen=True, slots=True, order=True)
class Service:
    """What the OOB server offers in a zone beside DHCP and DNS; its firewall lets it in."""

    name: str
    protocol: str
    port: int


@dataclass(frozen=True, slots=True)
class Zone:
    """A part of the OOB plane. `ports` are the OOB server's ports in this zone."""

    name: str
    prefix: IPv4Network
    server_address: IPv4Interface
    ports: tuple[str, ...]
    leases: tuple[Lease, ...]
    services: tuple[Service, ...]


@dataclass(frozen=True, slots=True)
class OobServer:
    """DHCP, DNS and jump host of the OOB plane; the controller reaches it at `access`.

    `mac` is that of `access_port`, and the server's own identity.
    """

    name: str
    access_port: str
    access: IPv4Address
    mac: str | None
    domain: str
    zones: tuple[Zone, ...]
