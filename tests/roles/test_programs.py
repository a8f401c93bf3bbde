"""The programs that roles put on nodes, on a tree of files that stands for the kernel's."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from roles.face import ROLES

from .node_tree import Node

# -- RDMA --------------------------------------------------------------------------------------


MODE = "/sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_mode"
TOS = "/sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos"
CLASS = "/sys/class/infiniband/mlx5_0/tc/1/traffic_class"


def with_devices(root: Path, *devices: str, layer: str = "Ethernet") -> Node:
    node = Node(root, "ofed", "railbed-rdma", "rdma", {})
    (root / "sys/kernel/config/rdma_cm").mkdir(parents=True)
    for device in devices:
        node.write(f"/sys/class/infiniband/{device}/ports/1/link_layer", f"{layer}\n")
        # The kernel makes these when the folder of the device is made.
        node.write(MODE.replace("mlx5_0", device), "IB/RoCE v1\n")
        node.write(TOS.replace("mlx5_0", device), "0\n")
    return node


def test_a_node_without_rdma_is_no_fault(tmp_path):
    node = Node(tmp_path, "ofed", "railbed-rdma", "rdma", {})
    done = node.run()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_every_device_gets_mode_and_tos(tmp_path):
    node = with_devices(tmp_path, "mlx5_0", "mlx5_1")
    done = node.run()
    assert (done.returncode, done.stderr) == (0, "")
    for device in ("mlx5_0", "mlx5_1"):
        assert node.read(MODE.replace("mlx5_0", device)) == "RoCE v2"
        assert node.read(TOS.replace("mlx5_0", device)) == "106"


def test_udev_has_one_device_set_and_no_other(tmp_path):
    node = with_devices(tmp_path, "mlx5_0", "mlx5_1")
    assert node.run("mlx5_1").returncode == 0
    assert node.read(TOS) == "0"
    assert node.read(TOS.replace("mlx5_0", "mlx5_1")) == "106"


def test_an_infiniband_port_is_not_touched(tmp_path):
    node = with_devices(tmp_path, "mlx5_0", layer="InfiniBand")
    assert node.run().returncode == 0
    assert node.read(MODE) == "IB/RoCE v1"


def test_without_the_connection_manager_it_says_so(tmp_path):
    node = with_devices(tmp_path, "mlx5_0")
    (tmp_path / "sys/kernel/config/rdma_cm").rename(tmp_path / "gone")
    done = node.run()
    assert done.returncode == 1
    assert "is rdma_cm loaded?" in done.stderr


def test_a_class_that_the_driver_does_not_take_is_a_failure(tmp_path):
    """The driver answers `Global tclass=106`; a plain file answers what was written."""
    node = with_devices(tmp_path, "mlx5_0")
    node.write(CLASS, "")
    done = node.run()
    assert done.returncode == 1
    assert "traffic_class does not take 106" in done.stderr
    node.write(CLASS, "Global tclass=106\ntclass=104,dst_ip=10.1.0.0/16\n")
    assert node.run().returncode == 0


@pytest.mark.parametrize(("role", "program"), [
    ("kernel_tuning", "railbed-kernel-tuning"), ("ofed", "railbed-rdma"),
])  # fmt: skip
def test_programs_are_plain_posix_shell(role, program):
    text = (ROLES / role / "templates" / f"{program}.j2").read_text()
    assert "{{" not in text
    assert subprocess.run(["dash", "-n"], input=text, text=True).returncode == 0
