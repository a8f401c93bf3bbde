"""The stand-in tree over /sys and /proc, in a mount namespace of its own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from deploy.lab.hardware import TOOLS

from . import site
from .stage import NIC, Stage

pytestmark = pytest.mark.lab

# /run is the test's own, so that nothing is left on this machine.
_SCRIPT = """\
set -eu
mount -t tmpfs standin /run
standin-sysfs up {how}
{body}
standin-sysfs down
[ ! -e /sys/class/infiniband/mlx5_0 ] && echo gone
"""


def inside(tmp_path: Path, body: str, how: str = "") -> list[str]:
    """What a script says in a namespace where `lo` passes for a NIC."""
    nic = {**NIC, "netdev": "lo"}
    stage = Stage(tmp_path, nics=[nic], gpus=site.hardware()["gpus"], nvswitches=4)
    env = {"STANDIN_ROOT": str(stage.root), "LC_ALL": "C"}
    env["PATH"] = f"{TOOLS}:/usr/sbin:/usr/bin:/sbin:/bin"
    argv = ["unshare", "--mount", "--net", "sh", "-c", _SCRIPT.format(body=body, how=how)]
    done = subprocess.run(argv, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    *lines, last = done.stdout.splitlines()
    assert last == "gone"
    return lines


def test_the_tree_shows_nics_beside_what_is_real(tmp_path):
    """RDMA devices, PCI addresses and driver files of the stand-ins, and the real interfaces."""
    body = """
    cat /sys/class/infiniband/mlx5_0/ports/1/link_layer
    ls /sys/bus/pci/devices/0000:1a:00.0/net /sys/bus/pci/devices/0000:1a:00.0/infiniband
    basename "$(readlink -f /sys/class/net/lo/device)"
    cat /sys/class/net/lo/ecn/roce_np/cnp_dscp /sys/class/net/lo/ifindex
    ls /sys/kernel/mm | grep -c hugepages
    grep -lx 0x22a3 /sys/bus/pci/devices/*/device | wc -l
    """
    assert inside(tmp_path, body) == [
        "Ethernet", "/sys/bus/pci/devices/0000:1a:00.0/infiniband:", "mlx5_0", "",
        "/sys/bus/pci/devices/0000:1a:00.0/net:", "lo", "0000:1a:00.0", "48", "1", "1", "4",
    ]  # fmt: skip


def test_the_inbox_driver_has_other_files(tmp_path):
    """Without OFED: no ecn, no tc, but cc_params in debugfs."""
    body = """
    ls /sys/class/net/lo/ecn /sys/class/infiniband/mlx5_0/tc 2>/dev/null || echo none
    cat /sys/kernel/debug/mlx5/0000:1a:00.0/cc_params/np_cnp_dscp
    """
    assert inside(tmp_path, body, "--inbox") == ["none", "48"]


def test_files_answer_as_the_kernel_does(tmp_path):
    """`106` shows as `Global tclass=106`, rules follow it, and what is refused changes nothing."""
    body = """
    standin-sysfs serve >/run/ready &
    while [ ! -s /run/ready ]; do sleep 0.05; done
    class=/sys/class/infiniband/mlx5_0/tc/1/traffic_class
    port=/sys/kernel/config/rdma_cm/mlx5_0/ports/1
    cat $class
    echo 106 >$class; cat $class
    echo tclass=104,dst_ip=10.1.0.0/16 >$class; cat $class
    echo 300 >$class; cat $class
    echo tclass=-1 >$class; cat $class
    echo 106 >$port/default_roce_tos; echo 256 >$port/default_roce_tos; cat $port/default_roce_tos
    echo 'IB/RoCE v1' >$port/default_roce_mode; echo 2 >$port/default_roce_mode
    cat $port/default_roce_mode
    kill $!
    """
    rule = "tclass=104,dst_ip=10.1.0.0/16"
    assert inside(tmp_path, body) == [
        "Global tclass=106", "Global tclass=106", rule, "Global tclass=106", rule, rule, "106",
        "IB/RoCE v1",
    ]  # fmt: skip


def test_a_priority_of_cnps_counts_once_it_is_written(tmp_path):
    """Also one that was there: Linux 6.1 drivers/infiniband/hw/mlx5/cong.c sets the mode to 0."""
    body = """
    standin-sysfs serve >/run/ready &
    while [ ! -s /run/ready ]; do sleep 0.05; done
    at=/sys/kernel/debug/mlx5/0000:1a:00.0/cc_params
    cat $at/np_cnp_prio $at/np_cnp_prio_mode
    cat $at/np_cnp_prio >/run/same; cat /run/same >$at/np_cnp_prio
    cat $at/np_cnp_prio $at/np_cnp_prio_mode
    echo 1 >$at/np_cnp_prio_mode; cat $at/np_cnp_prio_mode
    kill $!
    """
    prio, *rest = inside(tmp_path, body, "--inbox")
    assert rest == ["1", prio, "0", "1"]


def test_gids_follow_addresses(tmp_path):
    """As a RoCE device's do: one that comes is there, v1 and v2, and one that goes is not."""
    body = """
    standin-sysfs serve >/run/ready &
    while [ ! -s /run/ready ]; do sleep 0.05; done
    at=/sys/class/infiniband/mlx5_0/ports/1
    seen() { for _ in $(seq 100); do [ "$(cat $at/gids/* | grep -c ffff:0a09:0807)" = $1 ] && return
        sleep 0.1; done; echo no $1; }
    ip address add 10.9.8.7/31 dev lo; seen 2
    grep -l 'RoCE v2' $at/gid_attrs/types/* | wc -l
    ip address del 10.9.8.7/31 dev lo; seen 0
    grep -l 'RoCE v2' $at/gid_attrs/types/* | wc -l
    kill $!
    """
    with_it, without = inside(tmp_path, body)
    assert int(with_it) == int(without) + 1


def test_a_loaded_module_is_seen(tmp_path):
    """The driver's version and parameters, which it takes of modprobe.d."""
    body = """
    standin-sysfs load nvidia 580.126.20
    cat /sys/module/nvidia/version
    grep -o 'Open Kernel Module.*580.126.20' /proc/driver/nvidia/version
    grep RegistryDwords /proc/driver/nvidia/params
    standin-sysfs load nvme_core 6.1 multipath=N
    cat /sys/module/nvme_core/parameters/multipath
    """
    assert inside(tmp_path, body) == [
        "580.126.20", "Open Kernel Module for x86_64  580.126.20", 'RegistryDwords: ""', "N",
    ]  # fmt: skip


# Where labs, which other workers start and end meanwhile, have theirs.
OF_LABS = ("/var/lib/railbed/", "/run/netns/", "/run/railbed/")


def mount_points() -> list[str]:
    points = (line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines())
    return [one for one in points if not one.startswith(OF_LABS)]


def test_nothing_is_left_on_this_machine(tmp_path):
    """The namespace took its mounts along."""
    before = mount_points()
    inside(tmp_path, "true")
    assert mount_points() == before
    assert not list(Path("/run").glob("*standin*"))
