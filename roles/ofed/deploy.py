"""The pyinfra part of the role ofed."""

from __future__ import annotations

from typing import Any

from pyinfra import host
from pyinfra.api import deploy
from pyinfra.api.operation import OperationMeta
from pyinfra.operations import systemd

from .. import pyinfra_role, resources
from ..pyinfra_role import File

ROLE = "ofed"
DRIVERS = "railbed-ofed.service"
FIRMWARE = "railbed-nic-firmware.service"
OPENIBD = "openibd.service"
_DRIVERS = (
    File("modules.conf.j2", "/etc/modules-load.d/90-railbed-ofed.conf"),
    File("ofed.j2", "/etc/default/railbed-ofed"),
    File("railbed-ofed", "/usr/local/sbin/railbed-ofed", "0755"),
    File(DRIVERS, f"/etc/systemd/system/{DRIVERS}"),
)
# Or DOCA's mlnx-fw-updater burns the firmware that it brings (github.com/Mellanox/bfb-build,
# the Dockerfile of each image).
_INSTALL_ENV = {"RUN_FW_UPDATER": "no"}
_DROP_IN = File("openibd.conf.j2", f"/etc/systemd/system/{OPENIBD}.d/90-railbed.conf")
_FIRMWARE = (
    File("nic-firmware.j2", "/etc/default/railbed-nic-firmware"),
    File("railbed-nic-firmware", "/usr/local/sbin/railbed-nic-firmware", "0755"),
    File(FIRMWARE, f"/etc/systemd/system/{FIRMWARE}"),
)


@deploy("NIC drivers and firmware")
def apply() -> None:
    """Have the NIC stack that the profile names, and what its NICs are set to; idempotent."""
    values: dict[str, Any] = pyinfra_role.variables(ROLE, host.data)
    put = pyinfra_role.Files(ROLE, values).put
    services = pyinfra_role.Services(ROLE, values)
    is_doca = values["ofed_stack"] == "doca"
    resources.preflight(
        name="Refuse what the NIC stack would break, or break at",
        script=pyinfra_role.text_of(ROLE, "preflight.sh.j2", values),
    )
    installed = _packages(values, pyinfra_role.Files(ROLE, values))
    drivers = put(
        "Write what the NIC drivers are asked for",
        *_DRIVERS,
        *((_DROP_IN,) if is_doca else ()),
        folders=[f"/etc/systemd/system/{OPENIBD}.d"] if is_doca else [],
    )
    firmware = put("Write what the firmware of the NICs is asked for", *_FIRMWARE)
    systemd.daemon_reload(name="Read the units again", **services.follow(drivers, firmware))
    units = [DRIVERS, FIRMWARE, *([OPENIBD] if is_doca else [])]
    resources.units_as_on_disk(name="Read what others changed of the units", units=units)
    if is_doca:
        # Never started or stopped here: what it loads is loaded at the next boot.
        systemd.service(
            name="Load the NIC drivers at boot", service=OPENIBD, running=None, enabled=True
        )
    _services(services, installed, drivers, firmware)
    services.note()


def _packages(values: dict[str, Any], files: pyinfra_role.Files) -> OperationMeta:
    if values["ofed_kernel_names"]:
        # Before the packages: theirs would rename devices that appear from now on.
        files.put(
            "Keep the names of RDMA devices",
            File("rdma-names.rules", "/etc/udev/rules.d/60-rdma-persistent-naming.rules"),
        )
    if values["ofed_stack"] == "doca" and values["package_family"] == "deb":
        files.put(
            "Let no other repository change the NIC stack",
            File("preferences", "/etc/apt/preferences.d/90-railbed-ofed.pref"),
        )
    return resources.packages(
        name="Install the NIC stack",
        wanted=values["ofed_packages"],
        family=values["package_family"],
        hold=True,
        conflicts=values["ofed_conflicts"],
        _env=_INSTALL_ENV,
    )


def _services(
    services: pyinfra_role.Services,
    installed: OperationMeta,
    drivers: OperationMeta,
    firmware: OperationMeta,
) -> None:
    systemd.service(
        name="Look at the NIC drivers now and at boot", service=DRIVERS, running=True, enabled=True
    )
    systemd.service(
        name="Look at the NIC drivers",
        service=DRIVERS,
        restarted=True,
        **services.follow(installed, drivers),
    )
    systemd.service(
        name="Set the NICs' firmware now and at boot", service=FIRMWARE, running=True, enabled=True
    )
    systemd.service(
        name="Set the NICs' firmware",
        service=FIRMWARE,
        restarted=True,
        **services.follow(installed, firmware),
    )
