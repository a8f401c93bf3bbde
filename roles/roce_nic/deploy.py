"""The pyinfra face of the role roce_nic."""

from __future__ import annotations

from typing import Any

from pyinfra import host
from pyinfra.api import deploy
from pyinfra.operations import files, server, systemd
from pyinfra.operations.util import any_changed

from .. import face

ROLE = "roce_nic"
SYSCTL = "/etc/sysctl.d/60-railbed-roce-nic.conf"


@deploy("Rail NICs")
def apply() -> None:
    """Give each rail NIC its address, MTU, routes and rule; idempotent."""
    values: dict[str, Any] = face.variables(ROLE, host.data)
    put = face.templates(ROLE, values)
    files.directory(
        name="Let systemd-networkd keep its hands off what others set up",
        path="/etc/systemd/networkd.conf.d",
        user="root",
        group="root",
        mode="0755",
    )
    settings = put(
        "Configure systemd-networkd",
        "networkd.conf.j2",
        "/etc/systemd/networkd.conf.d/50-railbed.conf",
    )
    rails = [
        put(
            f"Configure the rail NIC {rail['port']}",
            "rail.network.j2",
            f"/etc/systemd/network/50-railbed-{rail['port']}.network",
            roce_nic_rail=rail,
        )
        for rail in values["roce_nic_rails"]
    ]
    parameters = put("Set the kernel parameters of the rail NICs", "sysctl.conf.j2", SYSCTL)
    systemd.service(
        name="Start systemd-networkd, now and at boot",
        service="systemd-networkd.service",
        running=True,
        enabled=True,
    )
    systemd.service(
        name="Do not hold the boot for rails that are down",
        service="systemd-networkd-wait-online.service",
        running=None,
        enabled=False,
    )
    systemd.service(
        name="Restart systemd-networkd",
        service="systemd-networkd.service",
        restarted=True,
        _if=settings.did_change,
    )
    server.shell(
        name="Reload systemd-networkd", commands=["networkctl reload"], _if=any_changed(*rails)
    )
    server.shell(
        name="Apply the kernel parameters of the rail NICs",
        commands=[f"sysctl --quiet --load {SYSCTL}"],
        _if=parameters.did_change,
    )
