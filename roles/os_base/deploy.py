"""The pyinfra part of the role os_base."""

from __future__ import annotations

from typing import Any

from pyinfra import host
from pyinfra.api import deploy
from pyinfra.api.operation import OperationMeta
from pyinfra.operations import server, systemd

from .. import pyinfra_role, resources
from ..pyinfra_role import File

ROLE = "os_base"
_LLDPD = "lldpd.service"
_SYSCTL = "/etc/sysctl.d/90-railbed-os.conf"
_SOURCES = {
    "deb": (
        File("railbed.asc.j2", "/etc/apt/keyrings/railbed.asc"),
        File("railbed.sources.j2", "/etc/apt/sources.list.d/railbed.sources"),
        File("pins.j2", "/etc/apt/preferences.d/90-railbed"),
        File("apt.conf", "/etc/apt/apt.conf.d/90-railbed"),
    ),
    "rpm": (
        File("railbed.asc.j2", "/etc/pki/rpm-gpg/railbed.asc"),
        File("railbed.repo.j2", "/etc/yum.repos.d/railbed.repo"),
    ),
}
_PLAIN = (
    File("hosts.j2", "/etc/hosts"),
    File("limits.conf.j2", "/etc/security/limits.d/90-railbed.conf"),
    File("sysctl.conf.j2", _SYSCTL),
)

# sshd wants a folder that is there only while one is starting, where a socket starts it.
_SSHD_TAKES = (
    "unshare --mount sh -c "
    "'mount -t tmpfs none /run && mkdir -m 0755 /run/sshd && exec /usr/sbin/sshd -t{}'"
)
_SSHD = _SSHD_TAKES.format(" -f %s")


@deploy("Operating system")
def apply() -> None:
    """Give the node its packages, time, limits, names and SSH; idempotent."""
    values: dict[str, Any] = pyinfra_role.variables(ROLE, host.data)
    put = pyinfra_role.Files(ROLE, values).put
    services = pyinfra_role.Services(ROLE, values)
    put(
        "Write the package sources, the names, the limits and the kernel parameters",
        *_SOURCES[values["package_family"]],
        *_PLAIN,
        folders=["/etc/apt/keyrings"] if values["package_family"] == "deb" else [],
    )
    resources.packages(
        name="Install the packages",
        wanted=values["os_base_packages"],
        family=values["package_family"],
        replaced=values["os_base_replaced"],
    )
    drop_ins = f"/etc/systemd/system/{values['os_base_time_unit']}.d"
    chrony = put(
        "Configure chrony",
        File("chrony.conf.j2", values["os_base_time_file"]),
        File("chrony-service.conf.j2", f"{drop_ins}/railbed.conf"),
        folders=[drop_ins],
    )
    lldp = put("Configure LLDP", File("lldpd.conf.j2", "/etc/lldpd.d/railbed.conf"))
    limits = put(
        "Let services lock memory",
        File("system.conf.j2", "/etc/systemd/system.conf.d/90-railbed.conf"),
        folders=["/etc/systemd/system.conf.d"],
    )
    folder = "/etc/ssh/sshd_config.d"
    ssh = put(
        "Configure SSH",
        File("sshd.conf.j2", f"{folder}/00-railbed.conf", validate=_SSHD),
        File("sshd-last.conf.j2", f"{folder}/zz-railbed.conf", validate=_SSHD),
    )
    resources.kernel_parameters(
        name="Apply the kernel parameters of the node",
        values=values["os_base_sysctls"],
        path=_SYSCTL,
    )
    _follow(services, chrony, limits, ssh, values)
    _speak(services, lldp)
    services.note()


def _follow(
    services: pyinfra_role.Services,
    chrony: OperationMeta,
    limits: OperationMeta,
    ssh: OperationMeta,
    values: dict[str, Any],
) -> None:
    """Tell the running services what changed."""
    unit = values["os_base_time_unit"]
    server.shell(
        name="Let systemd read its configuration",
        commands=["systemctl daemon-reexec"],
        **services.follow(limits),
    )
    systemd.daemon_reload(name="Read the units again", **services.follow(chrony))
    units = [unit, _LLDPD]
    resources.units_as_on_disk(name="Read what others changed of the units", units=units)
    systemd.service(name="Start chrony, now and at boot", service=unit, running=True, enabled=True)
    systemd.service(
        name="Restart chrony",
        service=unit,
        restarted=True,
        **services.follow(chrony),
    )
    # Not reloaded: a server that its socket started loses the port with that. Sessions stay.
    # Never with a file of others that sshd refuses: it would stop, not start, and nobody get in.
    server.shell(
        name="Restart SSH",
        commands=[
            f"{_SSHD_TAKES.format('')} && systemctl try-restart {values['os_base_ssh_unit']}"
        ],
        **services.follow(ssh),
    )


def _speak(services: pyinfra_role.Services, lldp: OperationMeta) -> None:
    """Have lldpd run with what it is told."""
    systemd.service(name="Start lldpd, now and at boot", service=_LLDPD, running=True, enabled=True)
    # Its socket takes changes of a pattern too, but keeps what a removed line said (lldpcli(8)).
    systemd.service(
        name="Restart lldpd",
        service=_LLDPD,
        restarted=True,
        **services.follow(lldp),
    )
