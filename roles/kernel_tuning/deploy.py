"""The pyinfra part of the role kernel_tuning."""

from __future__ import annotations

from typing import Any

from pyinfra import host
from pyinfra.api import deploy
from pyinfra.operations import systemd

from .. import pyinfra_role, resources
from ..pyinfra_role import File

ROLE = "kernel_tuning"
UNIT = "railbed-kernel-tuning.service"
_SYSCTL = "/etc/sysctl.d/90-railbed-kernel.conf"


# Where the arguments wait for the next boot; boot entries are grubby's files, not ours.
_STAGED = {
    "bls": ((), ()),
    "file": (
        (File("cmdline.conf.j2", "/etc/kernel/cmdline.d/90-railbed.conf"),),
        ("/etc/kernel/cmdline.d",),
    ),
    "grub": (
        (File("grub.cfg.j2", "/etc/default/grub.d/90-railbed.cfg"),),
        ("/etc/default/grub.d",),
    ),
}
_ASKED = (
    File("kernel-tuning.j2", "/etc/default/railbed-kernel-tuning"),
    File("railbed-kernel-tuning", "/usr/local/sbin/railbed-kernel-tuning", "0755"),
    File(UNIT, f"/etc/systemd/system/{UNIT}"),
    File("railbed-acs", "/usr/local/sbin/railbed-acs", "0755"),
    File("railbed-acs@.service", "/etc/systemd/system/railbed-acs@.service"),
    # udev reads a changed rule by itself (udev(7)).
    File("udev.rules.j2", "/etc/udev/rules.d/90-railbed-kernel.rules"),
)


@deploy("Kernel tuning")
def apply() -> None:
    """Ask the kernel for pages, CPU states and parameters; stage its arguments; idempotent."""
    values: dict[str, Any] = pyinfra_role.variables(ROLE, host.data)
    put = pyinfra_role.Files(ROLE, values).put
    services = pyinfra_role.Services(ROLE, values)
    resources.preflight(
        name="Refuse what cannot be, before anything is changed",
        script=pyinfra_role.text_of(ROLE, "preflight.sh.j2", values),
    )
    staged, folders = _STAGED[values["kernel_tuning_boot"]]
    asked = put("Write what the kernel is asked for", *_ASKED, *staged, folders=folders)
    put("Write the kernel parameters of this kind of server", File("sysctl.conf.j2", _SYSCTL))
    resources.kernel_parameters(
        name="Apply the kernel parameters of this kind of server",
        values=values["kernel_tuning_sysctls"],
        path=_SYSCTL,
    )
    told = services.follow(asked)
    systemd.daemon_reload(name="Read the units again", **told)
    resources.units_as_on_disk(name="Read what others changed of the units", units=[UNIT])
    systemd.service(name="Ask the kernel now and at boot", service=UNIT, running=True, enabled=True)
    systemd.service(name="Ask the kernel", service=UNIT, restarted=True, **told)
    if values["kernel_tuning_boot"] != "file":
        resources.staged(
            name="Have the kernel arguments in what boots",
            asks="/usr/local/sbin/railbed-kernel-tuning staged",
            unit=UNIT,
        )
    services.note()
