"""host_state.sh among the stand-in tools, which were written by another hand: told and understood.

The tools keep state and agree with recorded outputs (tests/standins); /sys and /proc are folders.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deploy.lab.hardware import TOOLS
from inventory import open_site
from inventory.nodes.tuning import tuning
from inventory.plan import Node, Plan
from inventory.schema import TuningFile
from tests.standins.stage import KERNEL, Stage
from validation.host_state import ask as host_ask
from validation.host_state.facts import HostFacts
from validation.host_state.read import facts
from validation.host_state.rows import rows
from validation.host_state.wanted import HostRow
from validation.parse.host.host_state import HostState, host_state

PORT, PCI, RDMA, VERSION = "rail0", "0000:1a:00.0", "mlx5_0", "580.178.04"
NIC = {"bdf": PCI, "netdev": PORT, "rdma": RDMA, "numa": 0, "out_of_order": True}
GPUS = [{"bdf": f"0000:{18 + one}:00.0", "name": "NVIDIA H100 80GB HBM3", "numa": 0}
        for one in range(2)]  # fmt: skip
ADDRESS = "10.16.0.1"


def site() -> Plan:
    """A plan with a node of one rail, so that few tools have to run."""
    plan = open_site("pod-256")
    node = next(one for one in plan.nodes if one.rails)
    rail = replace(node.rails[0], port=PORT, pci=PCI, rdma_device=RDMA, out_of_order=True)
    nics = replace(node.software.nics, rings=8192, settings=(("CNP_DSCP_P1", "48"),), stack="doca")
    gpu = node.software.gpu
    assert gpu is not None
    gpu = replace(gpu, version=VERSION, peer_memory="dmabuf", options=())
    software = replace(node.software, nics=nics, gpu=gpu, gds=None, containers=None,
                       collectives=False)  # fmt: skip
    # The stage has NICs and GPUs, and no kernel of its own.
    asks = tuning(TuningFile())
    made = replace(node, rails=(rail,), nics=(), software=software, tuning=asks)
    nodes = tuple(made if one.name == node.name else one for one in plan.nodes)
    return replace(plan, nodes=nodes)


def the_node(plan: Plan) -> Node:
    return next(one for one in plan.nodes if one.rails and one.rails[0].port == PORT)


# What the roles do to a NIC and to the driver, by the tools' own commands.
PLANNED = (
    ("mlnx_qos", "-i", PORT, "-d", "os"),
    ("mlnx_qos", "-i", PORT, "--trust", "dscp"),
    ("mlnx_qos", "-i", PORT, *(word for dscp in range(64) for word in (
        "--dscp2prio", f"set,{dscp},{ {26: 3, 48: 6}.get(dscp, 0)}"))),
    ("mlnx_qos", "-i", PORT, "-p", "0,0,0,3,0,0,6,0", "-s", "ets,ets,ets,ets,ets,ets,strict,ets",
     "-t", "50,0,0,50,0,0,0,0"),
    ("mlnx_qos", "-i", PORT, "--pfc", "0,0,0,1,0,0,0,0"),
    ("ethtool", "-A", PORT, "rx", "off", "tx", "off"),
    ("ethtool", "-G", PORT, "rx", "8192", "tx", "8192"),
    ("mlxreg", "-d", PCI, "--reg_name", "ROCE_ACCL", "--yes", "--set",
     "adaptive_routing_forced_en_field_select=0x1,adaptive_routing_forced_en=0x1"),
    ("nv-fabricmanager",),
    ("nvidia-smi", "-pm", "1"),
)  # fmt: skip


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """A node as planned, for tests that only ask it."""
    return as_planned(tmp_path_factory.mktemp("machine"))


def as_planned(folder: Path) -> Stage:
    """A node as planned."""
    stage = Stage(folder, nics=[NIC], gpus=GPUS, nvswitches=4)
    stage.driver(VERSION)
    stage.put("usr/share/standin/nvidia/fabricmanager", f"{VERSION}\n")
    stage.put("usr/share/standin/ofed-release", "OFED-internal-25.10-1.7.1\n")
    for command in PLANNED:
        stage.said(*command)
    device = stage.root / "sys/devices/pci" / PCI
    (device / "infiniband" / RDMA).mkdir(parents=True)
    stage.put(f"sys/devices/pci/{PCI}/vendor", "0x15b3\n")
    (stage.root / "sys/bus/mlx5_core").mkdir(parents=True)
    (device / "driver").symlink_to(stage.root / "sys/bus/mlx5_core")
    (stage.root / "sys/class/net" / PORT / "device").symlink_to(device)
    for path, text in _files().items():
        stage.put(path, text)
    return stage


def _files() -> dict[str, str]:
    ecn = f"sys/class/net/{PORT}/ecn"
    port = f"sys/class/infiniband/{RDMA}/ports/1"
    gid = "0000:0000:0000:0000:0000:ffff:0a10:0001\n"
    found = {f"{ecn}/{end}/enable/{one}": f"{int(one == 3)}\n"
             for end in ("roce_np", "roce_rp") for one in range(8)}  # fmt: skip
    return found | {
        f"{ecn}/roce_np/cnp_dscp": "48\n",
        f"{ecn}/roce_np/cnp_802p_prio": "6\n",
        f"sys/class/net/{PORT}/address": "02:00:00:00:00:01\n",
        f"sys/class/infiniband/{RDMA}/tc/1/traffic_class": "Global tclass=106\n",
        f"{port}/link_layer": "Ethernet\n",
        f"{port}/gids/0": "0000:0000:0000:0000:0000:0000:0000:0000\n",
        f"{port}/gids/3": gid,
        f"{port}/gid_attrs/types/3": "RoCE v2\n",
        f"{port}/gid_attrs/ndevs/3": f"{PORT}\n",
        f"sys/kernel/config/rdma_cm/{RDMA}/ports/1/default_roce_mode": "RoCE v2\n",
        f"sys/kernel/config/rdma_cm/{RDMA}/ports/1/default_roce_tos": "106\n",
        "proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  "
        f"{VERSION}  Release Build  (x@y)  Tue Sep 23 09:55:41 UTC 2025\n",
        "proc/cmdline": "quiet\n",
        "bin/ip": "#!/bin/sh\necho '" + json.dumps([{"ifname": PORT, "mtu": 9000,
                  "operstate": "UP", "flags": ["UP"]}]) + "'\n",
        "bin/networkctl": f"#!/bin/sh\necho '2 {PORT} ether routable configured'\n",
        "bin/modinfo": "#!/bin/sh\ncase $1 in -n) echo /lib/modules/" + KERNEL +
                       "/updates/dkms/$2.ko ;; *) [ $2 = version ] && "
                       f"case $3 in nvidia) echo {VERSION} ;; *) echo 25.10 ;; esac; esac; :\n",
        "bin/uname": f"#!/bin/sh\necho {KERNEL}\n",
        "bin/systemctl": "#!/bin/sh\necho Id=nvidia-fabricmanager.service\necho LoadState=loaded\n"
                         "echo ActiveState=active\necho SubState=running\n"
                         "echo UnitFileState=enabled\n",
        "sys/module/nvidia/version": f"{VERSION}\n",
        **{f"sys/module/{one}/version": "25.10\n" for one in ("ib_core", "mlx5_core", "mlx5_ib")},
    }  # fmt: skip


def told(stage: Stage) -> HostState:
    """The script as it is, but for where the machine's files and tools lie."""
    root = str(stage.root)
    for one in (stage.root / "bin").iterdir():
        one.chmod(0o755)
    text = host_ask.SCRIPT.read_text().replace(
        "PATH=/usr/sbin", f"PATH={root}/bin:{TOOLS}:/usr/sbin"
    )
    for folder in ("sys", "proc", "run", "etc"):
        text = text.replace(f" /{folder}/", f" {root}/{folder}/").replace(
            f'"/{folder}/', f'"{root}/{folder}/'
        )
        text = text.replace(f"=/{folder}/", f"={root}/{folder}/")
    done = subprocess.run(["sh", "-s"], input=text.encode(), capture_output=True, timeout=120,
                          env={"PATH": "/usr/bin:/bin", "STANDIN_ROOT": root})  # fmt: skip
    state = host_state(done.stdout)
    clean = {
        name: replace(one, output=one.output.replace(root.encode(), b""))
        for name, one in state.told.items()
    }
    return HostState(state.identity, clean)


@pytest.fixture(scope="module")
def read(machine: Stage) -> tuple[HostState, HostFacts, tuple[HostRow, ...]]:
    state = told(machine)
    plan = site()
    found = facts(state)
    return state, found, rows(plan, the_node(plan).name, found)


def test_a_node_set_up_by_its_tools_is_as_planned(read: Any) -> None:
    """Every row: what the tools print after the roles' own commands is what is wanted."""
    _, _, all_rows = read
    assert {
        (row.part, row.what, str(row)) for row in all_rows if row.judged != "as planned"
    } == set()
    assert len(all_rows) > 30


def test_both_qos_tools_were_asked_and_agree(read: Any) -> None:
    state, found, _ = read
    assert not state.lacks(f"mlnx_qos -a -i {PORT}")
    assert state.told[f"dcb -j pfc show dev {PORT}"].status == 0
    assert found.nic(PORT).qos.pfc_priorities == (3,)


def test_the_nic_was_found_by_the_script_itself(read: Any) -> None:
    state, _, _ = read
    (nic,) = state.identity.nics
    assert (nic.port, nic.pci, nic.driver, nic.rdma) == (PORT, PCI, "mlx5_core", (RDMA,))


def _everything(stage: Stage) -> dict[str, bytes]:
    paths = (path for path in stage.root.rglob("*") if path.is_file() and not path.is_symlink())
    return {str(path): path.read_bytes() for path in paths}


def test_asking_changes_nothing(machine: Stage) -> None:
    """The tools keep state in files: not one is written, made or removed by being asked."""
    told(machine)
    before = _everything(machine)
    told(machine)
    assert _everything(machine) == before


def test_what_is_changed_by_hand_is_found(tmp_path: Path) -> None:
    """A NIC that lost its settings, as after a driver reload, and a setting that waits."""
    machine = as_planned(tmp_path / "machine")
    machine.said("ethtool", "-A", PORT, "rx", "on", "tx", "off")
    machine.said("mlnx_qos", "-i", PORT, "--pfc", "0,0,0,0,0,0,0,0")
    machine.said("mlxconfig", "-d", PCI, "-y", "set", "CNP_DSCP_P1=46")
    machine.put("run/railbed/reboot-required.d/ofed", "mlx5_core 25.10 was replaced\n")
    plan = site()
    found = rows(plan, the_node(plan).name, facts(told(machine)))
    differ = {row.what for row in found if row.judged == "differs"}
    assert differ >= {"PFC priorities", "classes", "global pause", "setting CNP_DSCP_P1",
                      "asked for a reboot"}  # fmt: skip
    assert {row.judged for row in found} == {"as planned", "differs"}
