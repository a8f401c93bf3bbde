"""Interfaces, addresses, routes and kernel parameters of the rail NICs."""

from __future__ import annotations

from typing import Any

from pyinfra.operations import server, systemd

from .. import resources
from ..face import File, Files, Services

SYSCTL = "/etc/sysctl.d/60-railbed-roce-nic.conf"


def apply(files: Files, services: Services) -> None:
    """Give each rail NIC its address, MTU, routes and rule; idempotent."""
    values, put = files.values, files.put
    settings = put(
        "Let systemd-networkd keep its hands off what others set up",
        File("networkd.conf.j2", "/etc/systemd/networkd.conf.d/50-railbed.conf"),
        folders=["/etc/systemd/networkd.conf.d"],
    )
    rails = put("Configure the rail NICs", *map(_rail, values["roce_nic_rails"]))
    put("Write the kernel parameters of the rail NICs", File("sysctl.conf.j2", SYSCTL))
    # To enable systemd-networkd enables this too, unless it is masked (its unit file, Also=).
    resources.masked(
        name="Do not hold the boot for rails that are down",
        unit="systemd-networkd-wait-online.service",
    )
    resources.units_as_on_disk(
        name="Read what others changed of the units", units=["systemd-networkd.service"]
    )
    systemd.service(
        name="Start systemd-networkd, now and at boot",
        service="systemd-networkd.service",
        running=True,
        enabled=True,
    )
    # A reload takes old routes away, which after a restart would be nobody's.
    server.shell(
        name="Reload systemd-networkd", commands=["networkctl reload"], **services.follow(rails)
    )
    systemd.service(
        name="Restart systemd-networkd",
        service="systemd-networkd.service",
        restarted=True,
        **services.follow(settings),
    )
    resources.kernel_parameters(
        name="Apply the kernel parameters of the rail NICs", values=_parameters(values), path=SYSCTL
    )


def _rail(rail: dict[str, Any]) -> File:
    path = f"/etc/systemd/network/50-railbed-{rail['port']}.network"
    return File("rail.network.j2", path, more={"roce_nic_rail": rail})


def _parameters(values: dict[str, Any]) -> dict[str, object]:
    return {
        f"net.ipv4.conf.{rail['port']}.{name}": values[f"roce_nic_{name}"]
        for rail in values["roce_nic_rails"]
        for name in ("arp_announce", "arp_ignore", "rp_filter")
    }
