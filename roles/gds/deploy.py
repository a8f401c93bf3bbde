"""The pyinfra part of the role gds."""

from __future__ import annotations

from typing import Any

from pyinfra import host
from pyinfra.api import deploy
from pyinfra.operations import server, systemd

from .. import pyinfra_role, resources
from ..pyinfra_role import File

ROLE = "gds"
UNIT = "railbed-gds.service"
_SETTINGS = (
    File("gds.j2", "/etc/default/railbed-gds"),
    File("modules.conf.j2", "/etc/modules-load.d/96-railbed-gds.conf"),
    File("railbed-gds", "/usr/local/sbin/railbed-gds", "0755"),
    File("railbed-gds.service", f"/etc/systemd/system/{UNIT}"),
)


@deploy("GPUDirect Storage")
def apply() -> None:
    """Install the storage path and configure cuFile; say what takes a reboot; idempotent."""
    values: dict[str, Any] = pyinfra_role.variables(ROLE, host.data)
    put = pyinfra_role.Files(ROLE, values).put
    services = pyinfra_role.Services(ROLE, values)
    resources.preflight(
        name="Look whether anything speaks against the storage path",
        script=pyinfra_role.text_of(ROLE, "preflight.sh.j2", values),
    )
    installed = resources.packages(
        name="Install GPUDirect Storage",
        wanted=values["gds_packages"],
        family=values["package_family"],
        hold=True,
    )
    # After the packages: theirs has a cufile.json of its own.
    put(
        "Configure cuFile for jobs and for gates",
        File("cufile.json.j2", "/etc/cufile.json"),
        File("cufile-gate.json.j2", "/etc/railbed/cufile-gate.json"),
        folders=["/etc/railbed"],
    )
    drives = put(
        "Say how the NVMe drives are driven",
        File("modprobe.conf.j2", "/etc/modprobe.d/90-railbed-gds.conf"),
    )
    settings = put("Compare what runs with it at boot", *_SETTINGS)
    server.shell(
        name="Build the initial RAM disks again",
        # Of the role nvidia_driver: no storage path is set up without it.
        commands=["/usr/local/sbin/railbed-nvidia initramfs"],
        **services.follow(drives),
    )
    told = services.follow(drives, settings, installed)
    systemd.daemon_reload(name="Read the units again", **told)
    resources.units_as_on_disk(name="Read what others changed of the units", units=[UNIT])
    systemd.service(
        name="Look at the storage path now and at boot", service=UNIT, running=True, enabled=True
    )
    systemd.service(name="Look at the storage path", service=UNIT, restarted=True, **told)
    services.note()
