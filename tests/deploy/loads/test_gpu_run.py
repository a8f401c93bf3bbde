"""Stage 45 of GPU nodes through the real runner and a real shell, with stand-ins of GPU tools."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deploy.lab.hardware import TOOLS
from deploy.loads import s45_single_node_run as single_run
from inventory import open_site
from inventory.plan import Acceptance, GpuStack, NodeGpu, Plan
from tests.deploy.local_nodes import LocalNodes
from tests.standins.stage import Stage
from validation.evidence.gather import Reply
from validation.evidence.store import EvidenceStore
from validation.run import validate
from validation.verdict import Finding, Verdict

NODES = ("node-p1-1", "node-p1-2")
BUSES = ("1b", "43", "52", "61", "9d", "c3", "d1", "df")
OTHERS = frozenset(range(100)) - {45}
STACK = GpuStack("580.126.20", "dmabuf", nvswitch=True, fabric_manager="", extras=(), options=())


def gpu_plan(burn: Path) -> Plan:
    """The lab, whose nodes have eight GPUs and are asked for all that GPUs are asked."""
    site = open_site("lab")
    asked = Acceptance(None, None, 3, str(burn), str(TOOLS / "all_reduce_perf"))
    gpus = tuple(NodeGpu(at, f"0000:{bus}:00.0", at // 4) for at, bus in enumerate(BUSES))
    nodes = (
        replace(one, acceptance=asked, gpus=gpus, software=replace(one.software, gpu=STACK))
        for one in site.nodes
    )
    return replace(site, nodes=tuple(nodes))


def hardware(node: str, **faults: dict[str, Any]) -> dict[str, Any]:
    """Eight GPUs; `faults` is by bus: what is wrong with that GPU."""
    gpus = [
        {
            "bdf": f"0000:{bus}:00.0",
            "name": "NVIDIA H100 80GB HBM3",
            "numa": at // 4,
            "serial": f"16531{NODES.index(node)}{at:02d}",
            "gflops": 400000 + 1000 * at,
            **faults.get(f"at_{bus}", {}),
        }
        for at, bus in enumerate(BUSES)
    ]
    return {"nics": [], "gpus": gpus, "nvswitches": 4, "host": node}


class Hasty(LocalNodes):
    """The memory is this machine's, and `test_single_run.py` measures it: here for a moment."""

    shortened: int = 0

    def run(self, device: str, script: str, timeout_s: float) -> Reply:
        shorter, found = re.subn(r'(?<=memory_copy.py" )\d+', "0.05", script)
        self.shortened += found
        return super().run(device, shorter, timeout_s)


class Site:
    """Two nodes of stand-ins; `run` measures and judges them."""

    def __init__(self, folder: Path) -> None:
        self.roots = folder
        self.burn = folder / "burn"
        self.burn.mkdir()
        (self.burn / "gpu_burn").symlink_to(TOOLS / "gpu_burn")
        (self.burn / "compare.fatbin").write_text("")
        self.plan = gpu_plan(self.burn / "gpu_burn")
        for node in NODES:
            (folder / node).mkdir()
            Stage(folder / node).driver(STACK.version)
            self.equip(node)
            self.file(node, "run/standin/hostengine")

    def equip(self, node: str, **faults: dict[str, Any]) -> None:
        self.file(node, "etc/standin/hardware.json", json.dumps(hardware(node, **faults)))

    def file(self, node: str, path: str, text: str = "") -> Path:
        place = self.roots / node / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        return place

    def run(self) -> tuple[dict[str, Finding], LocalNodes]:
        store, nodes = EvidenceStore(), Hasty(self.plan, TOOLS, self.roots)
        done = single_run.run(self.plan, frozenset(NODES), nodes, store)
        assert done.errors == {}
        assert nodes.shortened
        found = validate(self.plan, 45, store, None, frozenset(NODES), leave_out=OTHERS).findings
        return {one.expectation: one for one in found if one.check != "memory"}, nodes

    def bad(self) -> dict[str, Finding]:
        return {key: one for key, one in self.run()[0].items() if one.verdict is not Verdict.PASS}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def test_healthy_gpus_pass_and_burn_one_node_after_the_other(site):
    found, nodes = site.run()
    assert {one.verdict for one in found.values()} == {Verdict.PASS}, found
    assert len(found) == 2 * (8 + 9 + 8 + 1)
    # Memory and GPUs at rest: both nodes at once. What draws power: the lab's racks are unknown.
    assert len(nodes.trips) == 2 + 2 + 1 + 1


def test_a_faulty_gpu_is_named_by_address_and_serial_whatever_cudas_order(site):
    site.equip(NODES[1], at_61={"faulty": True}, at_c3={"links": [26.562] * 17 + [13.281]})
    bad = site.bad()
    assert {key: one.suspect for key, one in bad.items()} == {
        "burn:node-p1-2:gpu3": "GPU node-p1-2:0000:61:00.0 (serial 16531103)",
        "nvlink:node-p1-2:gpu5": "GPU node-p1-2:0000:c3:00.0 (serial 16531105)",
    }
    assert {one.verdict for one in bad.values()} == {Verdict.FAIL}


def test_a_slow_a_hot_and_a_failing_gpu(site):
    site.equip(
        NODES[0], at_1b={"gflops": 330000}, at_52={"hot_c": 91}, at_df={"fails": "targeted_power"}
    )
    bad = site.bad()
    assert set(bad) == {
        "burn:node-p1-1:gpu0",
        "burn:node-p1-1:gpu2",
        "dcgm:node-p1-1",
        "dcgm:node-p1-1:gpu7",
    }
    assert {one.verdict for one in bad.values()} == {Verdict.FAIL}


@pytest.mark.parametrize("what", ["no host engine", "another instance", "no driver", "no kernel"])
def test_a_tool_that_refuses_proves_nothing(site, what):
    node = NODES[0]
    if what == "no host engine":
        (site.roots / node / "run/standin/hostengine").unlink()
    elif what == "another instance":
        site.file(node, "run/standin/diag", "4711")
    elif what == "no driver":
        site.equip(node)
        for path in (site.roots / node).glob("**/nvidia*.ko*"):
            path.unlink()
    else:
        (site.burn / "compare.fatbin").unlink()
    bad = site.bad()
    assert bad
    assert {one.verdict for one in bad.values()} == {Verdict.INCONCLUSIVE}
    checks = {key.split(":")[0] for key in bad}
    some = {"no kernel": {"burn"}, "no driver": {"burn", "dcgm", "nvlink", "nvlink_reduce"}}
    assert checks == some.get(what, {"dcgm"})
