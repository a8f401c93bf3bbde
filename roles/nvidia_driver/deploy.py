"""The pyinfra part of the role nvidia_driver."""

from __future__ import annotations

from typing import Any

from pyinfra import host
from pyinfra.api import deploy
from pyinfra.operations import server, systemd

from .. import pyinfra_role, resources
from ..pyinfra_role import File

ROLE = "nvidia_driver"
UNIT = "railbed-nvidia.service"
DCGM = "nvidia-dcgm.service"
FABRIC = "nvidia-fabricmanager.service"
PERSISTENCE = "nvidia-persistenced.service"
_UNITS = "/etc/systemd/system"
_MODULE = (
    File("nouveau.conf", "/etc/modprobe.d/90-railbed-nouveau.conf"),
    File("nvidia.conf.j2", "/etc/modprobe.d/90-railbed-nvidia.conf"),
)
_SETTINGS = (
    File("modules.conf.j2", "/etc/modules-load.d/95-railbed-nvidia.conf"),
    File("railbed-nvidia", "/usr/local/sbin/railbed-nvidia", "0755"),
    File("railbed-nvidia-look.service.j2", f"{_UNITS}/railbed-nvidia-look.service"),
    File("railbed-nvidia.service.j2", f"{_UNITS}/{UNIT}"),
    File("persistenced.conf", f"{_UNITS}/{PERSISTENCE}.d/90-railbed.conf"),
    # udev reads a changed rule by itself (udev(7)).
    File("udev.rules", "/etc/udev/rules.d/90-railbed-nvidia.rules"),
)
# What only some nodes have.
_MORE = {
    FABRIC: File("fabricmanager.conf", f"{_UNITS}/{FABRIC}.d/90-railbed.conf"),
    DCGM: File("dcgm.conf", f"{_UNITS}/{DCGM}.d/90-railbed.conf"),
}


@deploy("GPU driver")
def apply() -> None:
    """Install the driver and what must equal it, and say what takes a reboot; idempotent."""
    values: dict[str, Any] = pyinfra_role.variables(ROLE, host.data)
    put = pyinfra_role.Files(ROLE, values).put
    services = pyinfra_role.Services(ROLE, values)
    asked = {FABRIC: "nvidia_driver_nvswitch", DCGM: "nvidia_driver_dcgm"}
    more = [unit for unit, wish in asked.items() if values[wish]]
    resources.preflight(
        name="Look whether anything speaks against the GPU driver",
        script=pyinfra_role.text_of(ROLE, "preflight.sh.j2", values),
    )
    # Before the packages: theirs start services, which then already know when not to.
    module = put("Say what the GPU driver is asked for", *_MODULE)
    settings = put(
        "Compare what runs with it, whenever the driver is loaded",
        *_SETTINGS,
        *(_MORE[unit] for unit in more),
        folders=[f"{_UNITS}/{one}.d" for one in (PERSISTENCE, *more)],
    )
    installed = resources.packages(
        name="Install the GPU driver and what must equal it",
        wanted=values["nvidia_driver_packages"],
        family=values["package_family"],
        hold=True,
        conflicts=values["nvidia_driver_conflicts"],
        replaced=values["nvidia_driver_replaced"],
    )
    # After the packages: where they cannot be had, the old version stays the wanted one.
    version = put("Say which version it is", File("nvidia.j2", "/etc/default/railbed-nvidia"))
    server.shell(
        name="Build the initial RAM disks again",
        commands=["/usr/local/sbin/railbed-nvidia initramfs"],
        **services.follow(module),
    )
    _units([PERSISTENCE, *more], services.follow(module, settings, installed, version))
    services.note()


def _units(at_boot: list[str], told: dict[str, Any]) -> None:
    systemd.daemon_reload(name="Read the units again", **told)
    resources.units_as_on_disk(
        name="Read what others changed of the units", units=sorted([*at_boot, UNIT])
    )
    for unit in at_boot:
        systemd.service(name=f"Start {unit} at boot", service=unit, running=None, enabled=True)
    systemd.service(
        name="Look at the GPU driver now and at boot", service=UNIT, running=True, enabled=True
    )
    systemd.service(name="Look at the GPU driver", service=UNIT, restarted=True, **told)
