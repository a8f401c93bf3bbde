"""railbed-ofed on a tree of files: do the drivers run that are installed?"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from .machine import Machine

KERNEL = "6.8.0-58-generic"
SIGNAL = "/run/railbed/reboot-required.d/ofed"
OPENIB = "/etc/infiniband/openib.conf"
BUILT, SHIPPED = "updates/dkms/mlx5_core.ko", "kernel/drivers/net/mlx5_core.ko.zst"


class Node(Machine):
    """A node with mlx5 NICs, its drivers, and tools that note what they are asked."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.tool("uname", f"echo {KERNEL}")
        body = f'shift 2; cat "{root}/modinfo/$*" 2>/dev/null || exit 1'
        self.tool("modinfo", body)
        for name in ("modprobe", "update-initramfs", "dracut", "dnf", "ss", "ip"):
            self.tool(name, "exit 0")
        # What openibd does: the installed module is loaded.
        loads = (
            f'cp "{root}/modinfo/-F srcversion mlx5_core" "{root}/sys/module/mlx5_core/srcversion"'
        )
        self.tool("systemctl", loads)
        self.module("mlx5_core", BUILT, "AAAA")
        self.write("/sys/module/mlx5_core/srcversion", "AAAA\n")
        self.port("eth0", "igb")

    def module(self, name: str, path: str, source: str, age_s: int = 0) -> None:
        """Have a module installed."""
        place = self.write(f"/lib/modules/{KERNEL}/{path}", source)
        os.utime(place, (1_000_000 - age_s,) * 2)
        self.write(f"/modinfo/-n {name}", f"{place}\n")
        self.write(f"/modinfo/-F srcversion {name}", f"{source}\n")

    def port(self, name: str, driver: str, *lower: str) -> None:
        """An interface of a driver, or one over others."""
        folder = self.root / f"sys/class/net/{name}"
        folder.mkdir(parents=True)
        for one in lower:
            (folder / f"lower_{one}").symlink_to(f"../{one}")
        if driver:
            (self.root / f"sys/bus/pci/drivers/{driver}").mkdir(parents=True, exist_ok=True)
            (folder / "device").mkdir()
            (folder / "device/driver").symlink_to(self.root / f"sys/bus/pci/drivers/{driver}")

    def asked(self, **more: Any) -> tuple[int, str]:
        """Run the program with what the profile asks."""
        wanted = {"stack": "doca", **more}
        values = {f"ofed_{name}": value for name, value in wanted.items()}
        self.write("/etc/default/railbed-ofed", self.text("ofed", "ofed.j2", values))
        done = self.run(self.text("ofed", "railbed-ofed", values))
        return done.returncode, done.stderr

    def calls(self, *tools: str) -> list[str]:
        return [one for one in self.said() if one.split()[0] in tools]

    def signal(self) -> str:
        return self.read(SIGNAL) if self.has(SIGNAL) else ""


def test_a_node_without_such_a_nic_is_left_alone(tmp_path):
    node = Node(tmp_path)
    (tmp_path / "sys/module/mlx5_core/srcversion").unlink()
    assert node.asked(stack="inbox") == (0, "")
    assert not node.has("/run")
    assert not node.calls("modprobe", "systemctl")


def test_drivers_that_run_as_installed_are_well(tmp_path):
    node = Node(tmp_path)
    assert node.asked(modules=["rdma_ucm"]) == (0, "")
    assert not node.signal()
    assert node.calls("modprobe", "systemctl") == ["modprobe rdma_ucm"]


@pytest.mark.parametrize("stack", ["doca", "inbox"])
def test_new_drivers_wait_for_a_reboot_and_nothing_is_loaded_between_old_ones(tmp_path, stack):
    """Also on the way back to the distribution's."""
    node = Node(tmp_path)
    node.module("mlx5_core", BUILT if stack == "doca" else SHIPPED, "BBBB")
    assert node.asked(stack=stack, modules=["rdma_ucm"]) == (0, "")
    assert node.signal() == "mlx5_core that runs is not the one that is installed"
    assert not node.calls("modprobe", "systemctl")
    node.write("/sys/module/mlx5_core/srcversion", "BBBB\n")
    assert node.asked(stack=stack, modules=["rdma_ucm"]) == (0, "")
    assert not node.signal()
    assert node.calls("modprobe") == ["modprobe rdma_ucm"]


def test_the_version_tells_where_the_kernel_shows_no_source(tmp_path):
    node = Node(tmp_path)
    (tmp_path / "sys/module/mlx5_core/srcversion").unlink()
    node.write("/sys/module/mlx5_core/version", "24.10-1.1.4\n")
    node.write("/modinfo/-F version mlx5_core", "25.10-1.2.8\n")
    assert node.asked() == (0, "")
    assert node.signal()


def test_the_distributions_module_that_still_wins_is_a_failure(tmp_path):
    node = Node(tmp_path)
    node.module("mlx5_core", SHIPPED, "AAAA")
    status, error = node.asked()
    assert (status, "the distribution's and not DOCA's: see `dkms status`" in error) == (1, True)
    assert node.asked(stack="inbox") == (0, "")


@pytest.mark.parametrize("place", ["extra/mlnx-ofa_kernel", "weak-updates/mlnx-ofa_kernel"])
def test_so_it_is_where_the_rhel_family_puts_modules(tmp_path, place):
    node = Node(tmp_path)
    node.module("mlx5_core", f"{place}/mlx5_core.ko.xz", "AAAA")
    assert node.asked() == (0, "")


def test_a_module_that_does_not_load_is_a_failure(tmp_path):
    node = Node(tmp_path)
    node.tool("modprobe", "exit 1")
    assert node.asked(modules=["rdma_ucm"]) == (
        1,
        "railbed-ofed: module rdma_ucm does not load\n",
    )


@pytest.mark.parametrize(
    ("image", "said"),
    [
        (f"initrd.img-{KERNEL}", f"update-initramfs -u -k {KERNEL}"),
        (f"initramfs-{KERNEL}.img", "dracut -f {} " + KERNEL),
    ],
)
def test_a_boot_image_older_than_the_module_is_built_again(tmp_path, image, said):
    node = Node(tmp_path)
    place = node.write(f"/boot/{image}", "")
    assert node.asked() == (0, "")
    assert not node.calls("update-initramfs", "dracut")
    os.utime(place, (999_000, 999_000))
    assert node.asked() == (0, "")
    assert node.calls("update-initramfs", "dracut") == [said.format(place)]
    node.tool(said.split()[0], "exit 1")
    assert "could not be built again" in node.asked()[1]


def test_two_keys_of_openib_conf_are_ours_and_no_other_line(tmp_path):
    node = Node(tmp_path)
    node.write(OPENIB, "# Start\nONBOOT=yes\nIPOIB_LOAD=yes\nIPOIB_LOAD=no\n")
    assert node.asked() == (0, "")
    text = "# Start\nONBOOT=yes\nIPOIB_LOAD=no\nRUN_FW_UPDATER_ONBOOT=no"
    assert node.read(OPENIB) == text
    before = (tmp_path / OPENIB[1:]).stat().st_ino
    assert node.asked() == (0, "")
    assert (tmp_path / OPENIB[1:]).stat().st_ino == before


def test_names_that_rdma_core_gave_wait_for_a_reboot(tmp_path):
    """60-rdma-persistent-naming.rules of rdma-core: by PCI address, and only when one appears."""
    node = Node(tmp_path)
    node.write("/sys/class/infiniband/rocep24s0/node_type", "1: CA\n")
    assert node.asked(kernel_names=False) == (0, "")
    assert not node.signal()
    assert node.asked(kernel_names=True) == (0, "")
    assert node.signal().startswith("RDMA device rocep24s0 has a name of rdma-core's")
    (tmp_path / "sys/class/infiniband/rocep24s0").rename(tmp_path / "sys/class/infiniband/mlx5_0")
    assert node.asked(kernel_names=True) == (0, "")
    assert not node.signal()


def test_peer_memory_older_than_the_core_wants_the_gpu_driver_built_again(tmp_path):
    node = Node(tmp_path)
    node.module("nvidia_peermem", "updates/dkms/nvidia-peermem.ko", "P", age_s=100)
    node.module("ib_core", "updates/dkms/ib_core.ko", "C")
    assert node.asked() == (0, "")
    assert not node.signal()
    assert node.asked(peer_memory=True) == (0, "")
    assert node.signal() == "nvidia_peermem is older than ib_core: build the GPU driver again"
    node.module("nvidia_peermem", "updates/dkms/nvidia-peermem.ko", "P", age_s=-100)
    assert node.asked(peer_memory=True) == (0, "")
    assert not node.signal()


# -- loading again, where a site wants it ------------------------------------------------------


def renewed(root: Path) -> Node:
    node = Node(root)
    node.module("mlx5_core", BUILT, "BBBB")
    return node


def test_drivers_are_loaded_again_where_the_way_in_is_elsewhere(tmp_path):
    node = renewed(tmp_path)
    assert node.asked(reload="now") == (0, "")
    assert node.calls("systemctl") == ["systemctl restart openibd.service"]
    assert not node.signal()
    assert node.asked(reload="now") == (0, "")
    assert not node.calls("systemctl")


def test_a_restart_that_fails_is_a_failure_and_the_reboot_is_asked_for(tmp_path):
    node = renewed(tmp_path)
    node.tool("systemctl", "exit 1")
    assert node.asked(reload="now") == (1, "railbed-ofed: openibd.service does not start again\n")
    assert node.signal()


def way_in(node: Node, how: str) -> dict[str, Any]:
    """Have people come in by an mlx5 NIC."""
    node.port("enp1s0np0", "mlx5_core")
    node.port("bond0", "", "enp1s0np0")
    node.port("bond0.7", "", "bond0")
    if how == "a connection":
        node.tool("ss", "echo '0 0 [::ffff:10.0.0.2]:22 [::ffff:10.9.9.9]:51000'")
        node.tool(
            "ip", '[ "$4" = 10.9.9.9 ] && echo "10.9.9.9 via 10.0.0.1 dev bond0 src 10.0.0.2"'
        )
        return {}
    if how == "SSH_CLIENT":
        node.env["SSH_CLIENT"] = "10.9.9.9 51000 22"
        node.tool("ip", '[ "$4" = 10.9.9.9 ] && echo "10.9.9.9 dev enp1s0np0 src 10.0.0.2"')
        return {}
    return {"management_port": {"a port": "enp1s0np0", "a VLAN of a bond": "bond0.7"}.get(how, how)}


@pytest.mark.parametrize(
    "how", ["a port", "a VLAN of a bond", "a connection", "SSH_CLIENT", "lost0"]
)
def test_nobody_is_cut_off(tmp_path, how):
    """A port that is not there counts as theirs: unknown is never yes."""
    node = renewed(tmp_path)
    status, error = node.asked(reload="now", **way_in(node, how))
    assert (status, "is how people come in" in error) == (1, True)
    assert not node.calls("systemctl")
    assert node.signal() == "mlx5_core that runs is not the one that is installed"


# -- the RHEL family ---------------------------------------------------------------------------

EXCLUDES = [
    {"repository": "baseos", "packages": ["libibverbs", "rdma-core"]},
    {"repository": "cuda-rhel9-x86_64", "packages": ["mft*", "kernel-mft*"]},
]


def test_repositories_do_not_offer_what_is_docas(tmp_path):
    """A repository that this node does not have needs nothing."""
    node = Node(tmp_path)
    (tmp_path / "mft-of-here").write_text("a file that mft* must not become")
    node.tool(
        "dnf",
        'case "$*" in\n'
        '*"--dump baseos"*) echo "[baseos]"; echo "excludepkgs = kernel-rt, rdma-core" ;;\n'
        "*--dump*) exit 1 ;;\nesac",
    )
    assert node.asked(excludes=EXCLUDES) == (0, "")
    saved = [one for one in node.calls("dnf") if "--save" in one]
    told = "baseos.excludepkgs=kernel-rt rdma-core libibverbs"
    assert [one.split("--setopt=")[1] for one in saved] == [told]
    node.tool(
        "dnf", 'case "$*" in *"--dump baseos"*) echo "excludepkgs = libibverbs, rdma-core" ;; esac'
    )
    assert node.asked(excludes=EXCLUDES[:1]) == (0, "")
    assert not [one for one in node.calls("dnf") if "--save" in one]
