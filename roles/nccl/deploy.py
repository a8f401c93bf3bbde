"""The pyinfra part of the role nccl."""

from __future__ import annotations

from typing import Any

from pyinfra import host
from pyinfra.api import deploy
from pyinfra.operations import systemd

from .. import pyinfra_role, resources
from ..pyinfra_role import File

ROLE = "nccl"
UNIT = "railbed-nccl.service"
_CHECK = (
    File("railbed-nccl.conf.j2", "/etc/default/railbed-nccl"),
    File("railbed-nccl", "/usr/local/sbin/railbed-nccl", "0755"),
    File("railbed-nccl.service", f"/etc/systemd/system/{UNIT}"),
)


@deploy("NCCL")
def apply() -> None:
    """Tell NCCL and UCX of the fabric, and check at boot that names are the plan's; idempotent."""
    values: dict[str, Any] = pyinfra_role.variables(ROLE, host.data)
    put = pyinfra_role.Files(ROLE, values).put
    services = pyinfra_role.Services(ROLE, values)
    if values["nccl_packages"]:
        resources.packages(
            name="Install NCCL",
            wanted=values["nccl_packages"],
            family=values["package_family"],
            hold=True,
        )
    topology = [File("topology.xml.j2", "/etc/railbed/nccl-topology.xml")]
    put(
        "Tell NCCL and UCX of the fabric",
        File("nccl.conf.j2", "/etc/nccl.conf"),
        File("ucx.conf.j2", "/etc/ucx/ucx.conf"),
        *(topology if values["nccl_topology"] else []),
        folders=["/etc/ucx", *(["/etc/railbed"] if values["nccl_topology"] else [])],
    )
    check = put("Have the devices compared with the plan", *_CHECK)
    told = services.follow(check)
    systemd.daemon_reload(name="Read the units again", **told)
    resources.units_as_on_disk(name="Read what others changed of the units", units=[UNIT])
    systemd.service(
        name="Compare the devices with the plan, now and at boot",
        service=UNIT,
        running=True,
        enabled=True,
    )
    systemd.service(name="Compare the devices with the plan", service=UNIT, restarted=True, **told)
    services.note()
