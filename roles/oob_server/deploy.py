"""The pyinfra face of the role oob_server."""

from __future__ import annotations

from typing import Any

from pyinfra import host
from pyinfra.api import deploy
from pyinfra.api.operation import OperationMeta
from pyinfra.operations import server, systemd

from ..face import STATE, Face, variables

ROLE = "oob_server"
FIREWALL = "railbed-oob-firewall.service"
NETWORKD = "systemd-networkd.service"
DNSMASQ = "railbed-dnsmasq.service"
_CONFIG = "/etc/railbed/oob"
_NETWORKS = "/etc/systemd/network"
_NETWORKD_CONF = "/etc/systemd/networkd.conf.d"
_UNITS = "/etc/systemd/system"


@deploy("OOB server")
def apply() -> None:
    """Give every planned device its address and name, and keep the zones apart; idempotent."""
    face = Face(ROLE, variables(ROLE, host.data))
    face.folder(STATE, "0700")
    for path in ("/etc/railbed", _CONFIG, _NETWORKD_CONF):
        face.folder(path)
    name = face.put("Give the server its name", "hostname.j2", "/etc/hostname")
    server.shell(
        name="Take the new name",
        commands=["hostname --file /etc/hostname"],
        **face.follows(name),
    )
    units = [
        face.put(f"Write the unit {unit}", f"{unit}.j2", f"{_UNITS}/{unit}")
        for unit in (FIREWALL, DNSMASQ)
    ]
    systemd.daemon_reload(name="Read the units again", **face.follows(*units))
    _firewall(face)
    _zones(face)
    _leases_and_names(face, units[1])
    face.note_applied()


def _firewall(face: Face) -> None:
    rules = face.put("Write the firewall", "firewall.nft.j2", f"{_CONFIG}/firewall.nft")
    _start(FIREWALL)
    systemd.service(
        name="Reload the firewall", service=FIREWALL, reloaded=True, **face.follows(rules)
    )


def _zones(face: Face) -> None:
    settings = face.put(
        "Configure systemd-networkd", "networkd.conf.j2", f"{_NETWORKD_CONF}/50-railbed.conf"
    )
    zones = [one for zone in face.values["oob_server_zones"] for one in _zone(face, zone)]
    _start(NETWORKD)
    systemd.service(
        name="Do not hold the boot for zones without devices",
        service="systemd-networkd-wait-online.service",
        running=None,
        enabled=False,
    )
    server.shell(
        name="Reload systemd-networkd", commands=["networkctl reload"], **face.follows(*zones)
    )
    systemd.service(
        name="Restart systemd-networkd",
        service=NETWORKD,
        restarted=True,
        **face.follows(settings),
    )


def _zone(face: Face, zone: dict[str, Any]) -> list[OperationMeta]:
    name = zone["name"]
    files = [
        (f"Describe the bridge of zone {name}", "bridge.netdev.j2", f"br-{name}.netdev"),
        (f"Give zone {name} its address", "bridge.network.j2", f"br-{name}.network"),
    ]
    # An empty list of names would match every port there is.
    if zone["ports"]:
        files.append(
            (f"Put the ports into zone {name}", "ports.network.j2", f"ports-{name}.network")
        )
    return [
        face.put(what, template, f"{_NETWORKS}/50-railbed-{file}", oob_server_zone=zone)
        for what, template, file in files
    ]


def _leases_and_names(face: Face, unit: OperationMeta) -> None:
    lists = [
        face.put("Write the reservations", "dhcp-hosts.j2", f"{_CONFIG}/dhcp-hosts"),
        face.put("Write the names", "hosts.j2", f"{_CONFIG}/hosts"),
    ]
    settings = face.put("Configure dnsmasq", "dnsmasq.conf.j2", f"{_CONFIG}/dnsmasq.conf")
    _start(DNSMASQ)
    systemd.service(name="Reload dnsmasq", service=DNSMASQ, reloaded=True, **face.follows(*lists))
    systemd.service(
        name="Restart dnsmasq", service=DNSMASQ, restarted=True, **face.follows(settings, unit)
    )


def _start(unit: str) -> None:
    systemd.service(name=f"Start {unit}, now and at boot", service=unit, running=True, enabled=True)
