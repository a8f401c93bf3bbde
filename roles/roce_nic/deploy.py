"""The pyinfra part of the role roce_nic: interfaces first, then the devices behind them."""

from __future__ import annotations

from typing import Any

from pyinfra import host
from pyinfra.api import deploy

from .. import pyinfra_role, resources
from . import devices, network

ROLE = "roce_nic"


@deploy("RoCE NICs")
def apply() -> None:
    """Give the NICs addresses, routes and the settings of the lossless class; idempotent."""
    values: dict[str, Any] = pyinfra_role.variables(ROLE, host.data)
    files = pyinfra_role.Files(ROLE, values)
    services = pyinfra_role.Services(ROLE, values)
    resources.preflight(
        name="Look whether anything speaks against these NICs",
        script=pyinfra_role.text_of(ROLE, "preflight.sh.j2", values),
    )
    network.apply(files, services)
    devices.apply(files, services)
    services.note()
