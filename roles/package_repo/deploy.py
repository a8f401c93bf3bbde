"""The pyinfra part of the role package_repo."""

from __future__ import annotations

from typing import Any

from pyinfra import host
from pyinfra.api import deploy
from pyinfra.operations import systemd

from .. import pyinfra_role, resources
from ..pyinfra_role import File

ROLE = "package_repo"
UNIT = "railbed-packages.service"


@deploy("Package repository")
def apply() -> None:
    """Serve the packages that lie in the folder to the nodes' zone; idempotent."""
    values: dict[str, Any] = pyinfra_role.variables(ROLE, host.data)
    put = pyinfra_role.Files(ROLE, values).put
    services = pyinfra_role.Services(ROLE, values)
    resources.preflight(
        name="Look whether a web server of somebody else runs",
        script=pyinfra_role.text_of(ROLE, "preflight.sh", values),
    )
    # Before the package, which would start it (deb-systemd-invoke(1p)).
    resources.masked(name="Keep the distribution's nginx from starting", unit="nginx.service")
    resources.packages(
        name="Install nginx, from the server's own sources", wanted={"nginx": ""}, family="deb"
    )
    config = put(
        "Configure nginx",
        File("nginx.conf.j2", "/etc/railbed/packages/nginx.conf"),
        folders=[
            "/etc/railbed",
            "/etc/railbed/packages",
            "/srv/railbed",
            values["package_repo_folder"],
        ],
    )
    unit = put("Write the unit", File("railbed-packages.service", f"/etc/systemd/system/{UNIT}"))
    systemd.daemon_reload(name="Read the units again", **services.follow(unit))
    resources.units_as_on_disk(name="Read what others changed of the units", units=[UNIT])
    systemd.service(
        name="Start the package server, now and at boot", service=UNIT, running=True, enabled=True
    )
    systemd.service(
        name="Reload the package server", service=UNIT, reloaded=True, **services.follow(config)
    )
    systemd.service(
        name="Restart the package server", service=UNIT, restarted=True, **services.follow(unit)
    )
    services.note()
