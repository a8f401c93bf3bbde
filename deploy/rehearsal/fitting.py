"""The devices of a twin's nodes: stand-ins of the NICs that the plan names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from deploy.lab.hardware import fitted
from inventory.plan import Node
from validation.host_state.wanted import roce_nics

# What the drivers of a NIC are, once they run.
_OF_FIRMWARE = ("mlxconfig", "mlxreg")
_MODULES = ("ib_core", "mlx5_core", "mlx5_ib")


def hardware(node: Node) -> dict[str, Any]:
    """What `standin.py` reads of a machine's devices; made-up addresses where the plan has none."""
    nics = [
        {
            "bdf": nic.pci or f"00{number + 1:02x}:00:00.0",
            "netdev": nic.port,
            "rdma": nic.rdma_device,
            "numa": nic.numa or 0,
        }
        for number, nic in enumerate(roce_nics(node))
    ]
    return {"nics": nics, "gpus": [], "nvswitches": 0, "uplink": node.management.port}


@contextmanager
def fitted_with(nodes: Iterable[Node], lab: str) -> Iterator[None]:
    """While inside, these nodes of a lab that is up have the devices of its plan."""
    with ExitStack() as stack:
        for node in nodes:
            if hardware(node)["nics"]:
                # Evidence is gathered by the tools in /usr/sbin.
                fitted.put_tools(lab, node.name, hardware(node), *_OF_FIRMWARE, folder="usr/sbin")
                fitted.put_up(lab, node.name, is_inbox=True)
                fitted.put_drivers(lab, node.name, _MODULES, os.uname().release)
                stack.enter_context(fitted.answering(lab, node.name))
        yield
