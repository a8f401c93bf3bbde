"""The pyinfra face of the role roce_nic."""

from __future__ import annotations

from pyinfra import host
from pyinfra.api import deploy
from pyinfra.operations import server, systemd

from ..face import STATE, Face, variables

ROLE = "roce_nic"
NETWORKD = "systemd-networkd.service"
_SYSCTL = "/etc/sysctl.d/60-railbed-roce-nic.conf"


@deploy("Rail NICs")
def apply() -> None:
    """Give each rail NIC its address, MTU, routes and rule; idempotent."""
    face = Face(ROLE, variables(ROLE, host.data))
    for path, mode in ((STATE, "0700"), ("/etc/systemd/networkd.conf.d", "0755")):
        face.folder(path, mode)
    settings = face.put(
        "Configure systemd-networkd",
        "networkd.conf.j2",
        "/etc/systemd/networkd.conf.d/50-railbed.conf",
    )
    rails = [
        face.put(
            f"Configure the rail NIC {rail['port']}",
            "rail.network.j2",
            f"/etc/systemd/network/50-railbed-{rail['port']}.network",
            roce_nic_rail=rail,
        )
        for rail in face.values["roce_nic_rails"]
    ]
    parameters = face.put("Write the rails' kernel parameters", "sysctl.conf.j2", _SYSCTL)
    systemd.service(
        name="Start systemd-networkd, now and at boot",
        service=NETWORKD,
        running=True,
        enabled=True,
    )
    systemd.service(
        name="Do not hold the boot for rails that are down",
        service="systemd-networkd-wait-online.service",
        running=None,
        enabled=False,
    )
    # A reload takes old routes away, which after a restart would be nobody's.
    server.shell(
        name="Reload systemd-networkd", commands=["networkctl reload"], **face.follows(*rails)
    )
    systemd.service(
        name="Restart systemd-networkd",
        service=NETWORKD,
        restarted=True,
        **face.follows(settings),
    )
    server.shell(
        name="Apply the rails' kernel parameters",
        commands=[f"sysctl --quiet --load {_SYSCTL}"],
        **face.follows(parameters),
    )
    face.note_applied()
