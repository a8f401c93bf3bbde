"""The pyinfra part of the role oob_server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyinfra import host
from pyinfra.api import deploy
from pyinfra.api.operation import OperationMeta
from pyinfra.operations import server, systemd

from .. import pyinfra_role, resources
from ..pyinfra_role import File

ROLE = "oob_server"
FIREWALL = "railbed-oob-firewall.service"
NETWORKD = "systemd-networkd.service"
DNSMASQ = "railbed-dnsmasq.service"
CHRONY = "railbed-chrony.service"
_CONFIG = "/etc/railbed/oob"
_NETWORKS = "/etc/systemd/network"
_UNITS = "/etc/systemd/system"
_TIME = (
    File("chrony.conf.j2", "/etc/chrony/railbed.conf", validate="chronyd -p -f %s"),
    File(f"{CHRONY}.j2", f"{_UNITS}/{CHRONY}"),
)


@deploy("OOB server")
def apply() -> None:
    """Give every planned device its address and name, and keep the zones apart; idempotent."""
    values: dict[str, Any] = pyinfra_role.variables(ROLE, host.data)
    put = pyinfra_role.Files(ROLE, values).put
    services = pyinfra_role.Services(ROLE, values)
    _programs()
    hostname = put("Give the server its name", File("hostname.j2", "/etc/hostname"))
    firewall = put(
        "Write the firewall",
        File("firewall.nft.j2", f"{_CONFIG}/firewall.nft", validate="nft -c -f %s"),
        folders=["/etc/railbed", _CONFIG],
    )
    filter_unit = put("Write the firewall's unit", File(FIREWALL, f"{_UNITS}/{FIREWALL}"))
    networkd = put(
        "Configure systemd-networkd",
        File("networkd.conf", "/etc/systemd/networkd.conf.d/50-railbed.conf"),
        folders=["/etc/systemd/networkd.conf.d"],
    )
    networks = put("Describe the zones", *_networks(values["oob_server_zones"]))
    names = put(
        "Write the reservations and the names",
        File("dhcp-hosts.j2", f"{_CONFIG}/dhcp-hosts"),
        File("hosts.j2", f"{_CONFIG}/hosts"),
    )
    dnsmasq = put(
        "Configure dnsmasq",
        File(
            "dnsmasq.conf.j2",
            f"{_CONFIG}/dnsmasq.conf",
            validate="dnsmasq --test --conf-file=%s",
        ),
        File(DNSMASQ, f"{_UNITS}/{DNSMASQ}"),
    )
    # No folder of ours: chronyd may read here alone (usr.sbin.chronyd of AppArmor).
    chrony = put("Configure chrony", *_TIME, folders=["/etc/chrony"])
    server.shell(
        name="Take the new name",
        commands=["hostname --file /etc/hostname"],
        **services.follow(hostname),
    )
    systemd.daemon_reload(
        name="Read the units again", **services.follow(filter_unit, dnsmasq, chrony)
    )
    resources.units_as_on_disk(
        name="Read what others changed of the units", units=[FIREWALL, NETWORKD, DNSMASQ, CHRONY]
    )
    # To enable systemd-networkd enables this too, unless it is masked (its unit file, Also=).
    resources.masked(
        name="Do not hold the boot for zones without devices",
        unit="systemd-networkd-wait-online.service",
    )
    for unit in (FIREWALL, NETWORKD, DNSMASQ, CHRONY):
        systemd.service(
            name=f"Start {unit}, now and at boot", service=unit, running=True, enabled=True
        )
    _follow(services, firewall, networkd, networks, names, dnsmasq)
    systemd.service(
        name="Restart chrony", service=CHRONY, restarted=True, **services.follow(chrony)
    )
    services.note()


def _programs() -> None:
    """Have the programs of the services, and no service of the distribution's in their place."""
    # Before the package, which would start it (deb-systemd-invoke(1p)).
    resources.masked(name="Keep the distribution's chrony from starting", unit="chrony.service")
    resources.packages(
        name="Install what is missing, from the server's own sources",
        wanted=dict.fromkeys(("chrony", "dnsmasq-base", "nftables"), ""),
        family="deb",
        replaced=["systemd-timesyncd"],
    )


def _networks(zones: list[dict[str, Any]]) -> Iterator[File]:
    kinds = (
        ("bridge.netdev.j2", "br-{}.netdev"),
        ("bridge.network.j2", "br-{}.network"),
        ("ports.network.j2", "ports-{}.network"),
    )
    for src, name in kinds:
        for zone in zones:
            # An empty list of names would match every port there is.
            if zone["ports"] or src != "ports.network.j2":
                path = f"{_NETWORKS}/50-railbed-{name.format(zone['name'])}"
                yield File(src, path, more={"oob_server_zone": zone})


def _follow(
    services: pyinfra_role.Services,
    firewall: OperationMeta,
    networkd: OperationMeta,
    networks: OperationMeta,
    names: OperationMeta,
    dnsmasq: OperationMeta,
) -> None:
    """Tell the running services what changed; a service that just started read it already."""
    systemd.service(
        name="Reload the firewall", service=FIREWALL, reloaded=True, **services.follow(firewall)
    )
    # A reload takes old routes away, which after a restart would be nobody's.
    server.shell(
        name="Reload systemd-networkd",
        commands=["networkctl reload"],
        **services.follow(networks),
    )
    systemd.service(
        name="Restart systemd-networkd",
        service=NETWORKD,
        restarted=True,
        **services.follow(networkd),
    )
    systemd.service(name="Reload dnsmasq", service=DNSMASQ, reloaded=True, **services.follow(names))
    systemd.service(
        name="Restart dnsmasq", service=DNSMASQ, restarted=True, **services.follow(dnsmasq)
    )
