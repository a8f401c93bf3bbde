"""The program that reads the interfaces back, on a tree of files with programs that answer."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from roles.pyinfra_role import text_of

from .owned import variables

AT = "0000:18:00.0"
NETPLAN = "/run/systemd/network/10-netplan-enp24s0np0.link"
OURS = "/etc/systemd/network/50-railbed-rail0.link"


class Node:
    """A node with one NIC, which is to be rail0 and is enp24s0np0."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.write("/etc/railbed/network", f"tool networkd\nnic rail0 mtu 4200\npci rail0 {AT}\n")
        self.write(f"/sys/bus/pci/devices/{AT}/net/enp24s0np0/mtu", "1500\n")
        for folder in ("run", "var/lib", "sys/class/net"):
            (root / folder).mkdir(parents=True)
        self.boots("one")
        self.answers("systemctl", "")
        self.answers("sleep", "")
        text = text_of("roce_nic", "railbed-network", variables("roce_nic", "gpu"))
        for place in ("/etc/", "/sys/", "/run/", "/proc/", "/var/"):
            text = text.replace(f"={place}", f"={root}{place}")
        # netplan's own files, and the folder that its are taken over to.
        for place in ('"/$top', '"/$file', " /run/systemd"):
            text = text.replace(place, place.replace("/", f"{root}/", 1))
        self.program = self.write("/program", text)

    def write(self, path: str, text: str) -> Path:
        place = self.root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        return place

    def answers(self, program: str, text: str) -> None:
        path = self.write(f"/tools/{program}", f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def boots(self, boot_id: str) -> None:
        (self.root / "run/railbed/reboot-required.d/roce_nic_names").unlink(missing_ok=True)
        self.write("/proc/sys/kernel/random/boot_id", f"{boot_id}\n")

    def link_file(self, path: str) -> None:
        """The file that udev noted of the NIC."""
        self.answers("udevadm", f"echo ID_NET_DRIVER=mlx5_core; echo ID_NET_LINK_FILE={path}")

    def is_signalled(self) -> bool:
        return (self.root / "run/railbed/reboot-required.d/roce_nic_names").exists()

    def run(self, verb: str) -> tuple[int, str]:
        path = f"{self.root}/tools:/usr/sbin:/usr/bin:/sbin:/bin"
        argv = ["/bin/sh", str(self.program), verb]
        done = subprocess.run(argv, env={"PATH": path}, capture_output=True, text=True, timeout=60)
        return done.returncode, done.stderr


@pytest.fixture
def node(tmp_path: Path) -> Node:
    return Node(tmp_path)


def test_a_name_that_comes_at_the_next_boot_is_a_signal_and_no_failure(node):
    """However often it runs before that boot."""
    for verb in ("check", "apply", "apply", "check"):
        status, said = node.run(verb)
        assert (status, node.is_signalled()) == (0, True), said
        assert "a reboot is required: 0000:18:00.0 is enp24s0np0 and becomes rail0" in said


@pytest.mark.parametrize(
    ("won", "hint"),
    [
        (NETPLAN, "take set-name of enp24s0np0 out of netplan's files"),
        (OURS, "udev has read our file and could not give the name"),
        ("/etc/systemd/network/10-other.link", "take that file away, or name this port enp24s0np0"),
    ],
)
def test_a_name_that_did_not_come_with_a_boot_is_a_failure_that_says_who_won(node, won, hint):
    """Another reboot would end the same."""
    node.run("apply")
    node.boots("two")
    node.link_file(won)
    for verb in ("apply", "check"):
        status, said = node.run(verb)
        assert (status, node.is_signalled()) == (1, False)
        assert f"rail0: found the name enp24s0np0 after a reboot, by {won}, expected rail0" in said
        assert hint in said
        assert "a reboot is required" not in said


def test_an_initramfs_without_our_file_is_named_and_another_boot_may_help(node):
    """As where a run was cut off before it was built."""
    node.run("apply")
    node.boots("two")
    node.link_file("/usr/lib/systemd/network/99-default.link")
    status, said = node.run("apply")
    assert (status, node.is_signalled()) == (0, True)
    assert "rail0: udev has not read our file: it may be missing in the initramfs" in said


def test_a_name_that_came_leaves_nothing_behind(node):
    node.run("apply")
    assert (node.root / "var/lib/railbed-network.waiting").exists()
    node.boots("two")
    device = node.root / f"sys/bus/pci/devices/{AT}/net"
    (device / "enp24s0np0").rename(device / "rail0")
    (node.root / "sys/class/net/rail0").symlink_to(device / "rail0")
    (device / "rail0/mtu").write_text("4200\n")
    assert node.run("apply") == (0, "")
    assert not (node.root / "var/lib/railbed-network.waiting").exists()


def test_a_vlan_over_a_nic_that_is_not_there_yet_waits_for_it(node):
    config = node.root / "etc/railbed/network"
    config.write_text(f"{config.read_text()}vlan biz.301 mtu 1500\nparent biz.301 rail0\n")
    assert node.run("apply")[0] == 0
    (node.root / "sys/class/net/rail0").mkdir()
    (node.root / "sys/class/net/rail0/mtu").write_text("4200\n")
    status, said = node.run("check")
    assert (status, said.splitlines()[-1]) == (1, "railbed-network: biz.301: there is no such vlan")


def test_tables_are_compared_by_number(node):
    """A site may have names for them (/etc/iproute2/rt_tables): `ip` prints numbers with -N."""
    (node.root / "sys/class/net/rail0").mkdir()
    (node.root / "sys/class/net/rail0/mtu").write_text("4200\n")
    node.write("/etc/railbed/network", "tool networkd\nnic rail0 mtu 4200\n"
               "rule rail0 1000 10.0.0.1/32 100\n")  # fmt: skip
    node.answers("ip", 'table=rails; [ "$1" != -N ] || table=100\n'
                       'echo "1000: from 10.0.0.1 lookup $table proto static"')  # fmt: skip
    assert node.run("check") == (0, "")


def test_two_at_once_generate_netplans_files_one_after_the_other(node):
    """A hand beside the unit: each has the folder of one name alone, from its making to its end."""
    (node.root / "sys/class/net/rail0").mkdir()
    (node.root / "sys/class/net/rail0/mtu").write_text("4200\n")
    node.write("/etc/railbed/network", "tool netplan\nnic rail0 mtu 4200\n")
    made, log = "run/systemd/network", node.root / "log"
    file = f"{made}/10-netplan-rail0.network"
    node.answers("netplan", f'echo begin >>{log}; mkdir -p "$3/{made}"; /bin/sleep 0.5\n'
                 f'echo $$ >"$3/{file}" && echo end >>{log}')  # fmt: skip
    with ThreadPoolExecutor(2) as pool:
        assert [*pool.map(node.run, ["apply"] * 2)] == [(0, "")] * 2
    assert log.read_text().split() == ["begin", "end"] * 2
    assert (node.root / file).exists()
    assert not (node.root / "run/railbed/netplan").exists()
