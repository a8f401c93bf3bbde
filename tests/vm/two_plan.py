"""The plan of two nodes with one RDMA NIC each: the lab's site with one pod and one rail."""

from __future__ import annotations

from pathlib import Path

import yaml

from inventory import open_site
from inventory.load.site import SITES
from inventory.plan import Plan
from tests.generated.sites import make_up_asbuilt

NODES = ("node-p1-1", "node-p1-2")
LEAF = "leaf-p1-r0"
RAIL = "rail0"
RXE = f"rxe-{RAIL}"
RATE_GBPS = 0.002
CONFIGURED = frozenset((*NODES, LEAF))
PAGES_KIB = 2048
PAGES = (16, 32)  # on NUMA node 0 and 1


def two_node_plan(folder: Path) -> Plan:
    """The lab's site with one pod, one rail, and nodes with an RDMA device and huge pages."""
    wanted = yaml.safe_load((SITES / "lab" / "fabric.yml").read_text())
    wanted |= {"site": "two", "engine": "pyinfra"}
    del wanted["engine_groups"]
    wanted["topology"]["pods"] = 1
    wanted["compute"]["node_profile"] = "vm-node"
    pages = {"size_kib": PAGES_KIB, "per_numa": list(PAGES), "at": "runtime"}
    profile = {
        "os": "debian-12",
        "arch": "amd64",
        "management_port": "eth0",
        "rails": [{"port": RAIL, "rate_gbps": RATE_GBPS, "rdma_device": RXE}],
        "tuning": {"clock": "measure", "boot": "file", "hugepages": [pages]},
        "source": "a virtual machine: soft-RoCE, no GPU",
    }
    folder.mkdir()
    (folder / "profiles").mkdir()
    (folder / "profiles/nodes.yml").write_text(yaml.safe_dump({"vm-node": profile}))
    (folder / "fabric.yml").write_text(yaml.safe_dump(wanted))
    (folder / "asbuilt.csv").write_text("device,port,mac,serial\n")
    make_up_asbuilt(folder)
    return open_site(folder)
