"""The pyinfra face of the role ofed."""

from __future__ import annotations

from typing import Any

from pyinfra import host
from pyinfra.api import deploy
from pyinfra.operations import server, systemd

from .. import face, resources
from ..face import File

ROLE = "ofed"
UNIT = "railbed-rdma.service"
_SETTINGS = (
    File("rdma.j2", "/etc/default/railbed-rdma"),
    File("railbed-rdma.j2", "/usr/local/sbin/railbed-rdma", "0755"),
    File("railbed-rdma.service.j2", "/etc/systemd/system/railbed-rdma.service"),
    File("railbed-rdma@.service.j2", "/etc/systemd/system/railbed-rdma@.service"),
    # udev reads a changed rule by itself (udev(7)).
    File("udev.rules.j2", "/etc/udev/rules.d/90-railbed-rdma.rules"),
)


@deploy("RDMA")
def apply() -> None:
    """Install the RDMA stack and apply its settings whenever a device appears; idempotent."""
    values: dict[str, Any] = face.variables(ROLE, host.data)
    put = face.Files(ROLE, values).put
    services = face.Services(ROLE, values)
    resources.packages(
        name="Install the RDMA packages",
        wanted=face.versions(values["ofed_packages"], values["package_versions"]),
    )
    modules = put(
        "Name the kernel modules to load",
        File("modules.conf.j2", "/etc/modules-load.d/90-railbed-rdma.conf"),
    )
    settings = put("Apply the settings whenever an RDMA device appears", *_SETTINGS)
    server.shell(
        name="Load the kernel modules",
        commands=["systemctl restart systemd-modules-load.service"],
        **services.follow(modules),
    )
    told = services.follow(settings)
    systemd.daemon_reload(name="Read the units again", **told)
    resources.units_as_on_disk(name="Read what others changed of the units", units=[UNIT])
    systemd.service(
        name="Apply the RDMA settings now and at boot", service=UNIT, running=True, enabled=True
    )
    systemd.service(name="Apply the RDMA settings", service=UNIT, restarted=True, **told)
    services.note()
