"""The pyinfra face of the role package_repo."""

from __future__ import annotations

from typing import Any

from pyinfra import host
from pyinfra.api import deploy
from pyinfra.operations import files, systemd

from .. import face

ROLE = "package_repo"
UNIT = "railbed-packages.service"


@deploy("Package repository")
def apply() -> None:
    """Serve the packages that lie in the folder to the nodes' zone; idempotent."""
    values: dict[str, Any] = face.variables(ROLE, host.data)
    put = face.templates(ROLE, values)
    services = face.Services(ROLE, values)
    for folder in (
        "/etc/railbed",
        "/etc/railbed/packages",
        "/srv/railbed",
        values["package_repo_folder"],
    ):
        files.directory(
            name=f"Make the folder {folder}", path=folder, user="root", group="root", mode="0755"
        )
    config = put("Configure nginx", "nginx.conf.j2", "/etc/railbed/packages/nginx.conf")
    unit = put("Write the unit", "railbed-packages.service.j2", f"/etc/systemd/system/{UNIT}")
    systemd.daemon_reload(name="Read the units again", **services.follow(unit))
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
