"""The pyinfra face of the role kernel_tuning."""

from __future__ import annotations

from typing import Any

from pyinfra import host
from pyinfra.api import deploy
from pyinfra.operations import systemd

from .. import face, resources
from ..face import File

ROLE = "kernel_tuning"
UNIT = "railbed-kernel-tuning.service"
_SYSCTL = "/etc/sysctl.d/90-railbed-kernel.conf"


@deploy("Kernel tuning")
def apply() -> None:
    """Ask the kernel for pages, idle states and parameters; stage its arguments; idempotent."""
    values: dict[str, Any] = face.variables(ROLE, host.data)
    put = face.Files(ROLE, values).put
    services = face.Services(ROLE, values)
    by_grub = values["kernel_tuning_boot"] == "grub"
    staged = (
        File("grub.cfg.j2", "/etc/default/grub.d/90-railbed.cfg")
        if by_grub
        else File("cmdline.conf.j2", "/etc/kernel/cmdline.d/90-railbed.conf")
    )
    asked = put(
        "Write what the kernel is asked for",
        File("kernel-tuning.j2", "/etc/default/railbed-kernel-tuning"),
        File("railbed-kernel-tuning.j2", "/usr/local/sbin/railbed-kernel-tuning", "0755"),
        File(f"{UNIT}.j2", f"/etc/systemd/system/{UNIT}"),
        staged,
        folders=["/etc/default/grub.d" if by_grub else "/etc/kernel/cmdline.d"],
    )
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
    if by_grub:
        resources.staged(
            name="Have the kernel arguments in GRUB's menu",
            words=" ".join(values["kernel_tuning_arguments"]),
            path="/boot/grub/grub.cfg",
            unit=UNIT,
        )
    services.note()
