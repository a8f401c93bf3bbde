"""The devices of a twin's nodes: stand-ins of the NICs and GPUs that the plan names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from deploy.lab.hardware import fitted
from inventory.plan import Node, Plan
from validation.host_state.wanted import roce_nics

_GPU = "stand-in of a GPU"


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
    gpus = [{"bdf": one.pci, "name": _GPU, "numa": one.numa} for one in node.gpus if one.pci]
    return {"nics": nics, "gpus": gpus, "nvswitches": 0, "uplink": node.management.port}


@contextmanager
def fitted_with(plan: Plan, lab: str) -> Iterator[None]:
    """While inside, the nodes of a lab that is up have the devices of their plan."""
    with ExitStack() as stack:
        for node in plan.nodes:
            if hardware(node)["nics"]:
                fitted.put_tools(lab, node.name, hardware(node))
                fitted.put_up(lab, node.name, is_inbox=True)
                stack.enter_context(fitted.answering(lab, node.name))
        yield
