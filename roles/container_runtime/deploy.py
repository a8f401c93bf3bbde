"""The pyinfra part of the role container_runtime."""

from __future__ import annotations

from typing import Any

from pyinfra import host
from pyinfra.api import deploy
from pyinfra.operations import systemd

from .. import pyinfra_role, resources
from ..pyinfra_role import File

ROLE = "container_runtime"
_DROP_INS = "/etc/systemd/system/{}.service.d"
_CDI = (
    File("railbed-cdi.conf.j2", "/etc/default/railbed-cdi"),
    File("railbed-cdi", "/usr/local/sbin/railbed-cdi", "0755"),
    File("railbed-cdi.service", "/etc/systemd/system/railbed-cdi.service"),
    # udev reads a changed rule by itself (udev(7)).
    File("udev.rules", "/etc/udev/rules.d/90-railbed-cdi.rules"),
)


@deploy("Container engine")
def apply() -> None:
    """Install and configure the engine, and describe devices for containers; idempotent."""
    values: dict[str, Any] = pyinfra_role.variables(ROLE, host.data)
    put = pyinfra_role.Files(ROLE, values).put
    services = pyinfra_role.Services(ROLE, values)
    docker = values["container_runtime_engine"] == "docker"
    resources.preflight(
        name="See whether anything speaks against the container engine",
        script=pyinfra_role.text_of(ROLE, "preflight.sh.j2", values),
    )
    # Before the packages: they start the engine, which must not start with other settings.
    containerd = put(
        "Configure containers before their engine starts",
        File("config.toml", "/etc/containerd/config.toml"),
        File("containerd.toml.j2", "/etc/containerd/conf.d/90-railbed.toml"),
        File("limits.conf.j2", f"{_DROP_INS.format('containerd')}/90-railbed.conf"),
        folders=[
            "/etc/containerd",
            "/etc/containerd/conf.d",
            _DROP_INS.format("containerd"),
            *(["/etc/docker", _DROP_INS.format("docker")] if docker else []),
        ],
    )
    told = [("containerd.service", services.follow(containerd))]
    if docker:
        own = put(
            "Configure docker before it starts",
            File("daemon.json.j2", "/etc/docker/daemon.json"),
            File("limits.conf.j2", f"{_DROP_INS.format('docker')}/90-railbed.conf"),
        )
        told.append(("docker.service", services.follow(own)))
    resources.packages(
        name="Install the container engine",
        wanted=values["container_runtime_packages"],
        family=values["package_family"],
        hold=True,
    )
    cdi = put("Describe RDMA devices and files for containers", *_CDI)
    told.insert(0, ("railbed-cdi.service", services.follow(cdi)))
    _run(told, gpus=values["container_runtime_gpus"])
    services.note()


def _run(told: list[tuple[str, dict[str, Any]]], gpus: bool) -> None:
    """Have the units started and enabled, and restarted where their files changed."""
    refresh = ["nvidia-cdi-refresh.path", "nvidia-cdi-refresh.service"] if gpus else []
    resources.units_as_on_disk(
        name="Read what others changed of the units", units=[*dict(told), *refresh]
    )
    for unit, follows in told:
        systemd.daemon_reload(name=f"Read {unit} again", **follows)
        systemd.service(name=f"Start {unit}, now and at boot", service=unit, enabled=True)
        systemd.service(name=f"Restart {unit}", service=unit, restarted=True, **follows)
    for unit in refresh:
        systemd.service(name=f"Enable {unit}", service=unit, running=None, enabled=True)
