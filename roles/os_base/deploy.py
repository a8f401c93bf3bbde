"""The pyinfra face of the role os_base."""

from __future__ import annotations

from typing import Any

from pyinfra import host
from pyinfra.api import deploy
from pyinfra.api.operation import OperationMeta
from pyinfra.operations import server, systemd

from .. import face, resources

ROLE = "os_base"
_SYSCTL = "/etc/sysctl.d/90-railbed-os.conf"
_FOLDERS = [
    "/etc/apt/keyrings",
    "/etc/systemd/system.conf.d",
    "/etc/systemd/system/chrony.service.d",
]
_SOURCES = (
    ("railbed.asc.j2", "/etc/apt/keyrings/railbed.asc"),
    ("railbed.sources.j2", "/etc/apt/sources.list.d/railbed.sources"),
    ("pins.j2", "/etc/apt/preferences.d/90-railbed"),
    ("apt.conf.j2", "/etc/apt/apt.conf.d/90-railbed"),
)
_CHRONY = (
    ("chrony.conf.j2", "/etc/chrony/chrony.conf"),
    ("chrony-service.conf.j2", "/etc/systemd/system/chrony.service.d/railbed.conf"),
)


@deploy("Operating system")
def apply() -> None:
    """Give the node its packages, time, limits, names and SSH; idempotent."""
    values: dict[str, Any] = face.variables(ROLE, host.data)
    put = face.templates(ROLE, values)
    services = face.Services(ROLE, values)
    resources.folders(name="Make the folders of the drop-ins", paths=_FOLDERS)
    face.place(ROLE, values, "Take packages from the local repository alone", _plain(_SOURCES))
    resources.packages(
        name="Install the packages",
        wanted=face.versions(values["os_base_packages"], values["package_versions"]),
    )
    chrony = face.place(ROLE, values, "Configure chrony", _plain(_CHRONY))
    put(
        "Let processes lock memory and open files",
        "limits.conf.j2",
        "/etc/security/limits.d/90-railbed.conf",
    )
    limits = put(
        "Let services lock memory", "system.conf.j2", "/etc/systemd/system.conf.d/90-railbed.conf"
    )
    put("Name every device of the site", "hosts.j2", "/etc/hosts")
    ssh = put(
        "Configure SSH",
        "sshd.conf.j2",
        "/etc/ssh/sshd_config.d/00-railbed.conf",
        validate="sshd -t -f %s",
    )
    put("Write the kernel parameters", "sysctl.conf.j2", _SYSCTL)
    resources.kernel_parameters(
        name="Apply the kernel parameters of the node",
        values=values["os_base_sysctls"],
        path=_SYSCTL,
    )
    _follow(services, chrony, limits, ssh)
    services.note()


def _plain(files: tuple[tuple[str, str], ...]) -> list[face.File]:
    return [(template, path, {}) for template, path in files]


def _follow(
    services: face.Services, chrony: OperationMeta, limits: OperationMeta, ssh: OperationMeta
) -> None:
    """Tell the running services what changed."""
    server.shell(
        name="Let systemd read its configuration",
        commands=["systemctl daemon-reexec"],
        **services.follow(limits),
    )
    systemd.daemon_reload(name="Read the units again", **services.follow(chrony))
    systemd.service(
        name="Start chrony, now and at boot", service="chrony.service", running=True, enabled=True
    )
    systemd.service(
        name="Restart chrony",
        service="chrony.service",
        restarted=True,
        **services.follow(chrony),
    )
    # Started by its socket, each SSH connection reads its configuration anew.
    server.shell(
        name="Reload SSH",
        commands=["systemctl try-reload-or-restart ssh.service"],
        **services.follow(ssh),
    )
