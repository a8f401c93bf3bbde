"""The units of the NICs' settings on a booted machine: after a reboot, and a device made anew.

The NICs are veth with stand-in tools, whose state is gone with the interface, or the boot, that it
was set on. udev and systemd are the machine's own.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deploy import lab
from deploy.lab.hardware import fitted
from deploy.lab.machines import machine
from roles.pyinfra_role import text_of
from tests.bench import small_lab
from tests.labs import lab_name

from . import owned

pytestmark = [
    pytest.mark.lab,
    pytest.mark.instances(keep=1, files_of="roles by both engines, on machines"),
]

NAME = lab_name("roce")
NODE = "node-p1-1"
# The lab's own, and one that the test makes and takes away.
PORTS = ("rail0", "rail9")
UNITS = ("railbed-roce-nic.service", "railbed-roce-nic@.service")
TRIES = 40

# A container has no udev, because its /sys is not its own. systemd looks at both once.
UDEV = """
mount -o remount,rw /sys
for unit in systemd-udevd.service systemd-udevd-kernel.socket systemd-udevd-control.socket; do
    mkdir -p /run/systemd/system/$unit.d
    printf '[Unit]\\nConditionPathIsReadWrite=\\n' >/run/systemd/system/$unit.d/lab.conf
done
systemctl daemon-reload
systemctl start systemd-udevd-kernel.socket systemd-udevd-control.socket systemd-udevd.service
systemctl daemon-reexec
udevadm settle
"""


def wishes(*ports: str) -> dict[str, Any]:
    """What a GPU node is told, without what an RDMA device must be there for."""
    values = owned.variables("roce_nic", "gpu")
    of_rdma = ("ecn ", "cnp_")
    kept = [one for one in values["roce_nic_class_wishes"] if not one.startswith(of_rdma)]
    devices = [
        {"port": port, "pci": "", "rdma_device": "", "wishes": ["cable 30"]} for port in ports
    ]
    return values | {
        "roce_nic_class_wishes": kept,
        "roce_nic_device_wishes": ["rings 8192"],
        "roce_nic_devices": devices,
    }


def inside(script: str, may_fail: bool = False) -> str:
    done = machine.inside(NAME, NODE, ["sh", "-c", script], timeout_s=120)
    assert may_fail or done.returncode == 0, done.stdout.decode() + done.stderr.decode()
    return done.stdout.decode() + done.stderr.decode()


def put(path: str, template: str, values: dict[str, Any], mode: str = "644") -> None:
    text = text_of("roce_nic", template, values)
    folder = str(Path(path).parent)
    argv = ["sh", "-c", f"mkdir -p {folder} && cat >'{path}' && chmod {mode} '{path}'"]
    done = machine.inside(NAME, NODE, argv, text.encode(), timeout_s=60)
    assert done.returncode == 0, done.stderr


def make(port: str) -> None:
    inside(f"ip link del {port} 2>/dev/null; ip link add {port} type veth peer name {port}-far")


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A machine on which everything was applied once."""
    lab.down(NAME)
    try:
        lab.up(small_lab.site(tmp_path_factory.mktemp("site") / NAME, 1), NAME, say=print)
        nics = [{"netdev": port, "bdf": f"0000:1{at}:00.0", "rdma": f"mlx5_{at}"}
                for at, port in enumerate(PORTS)]  # fmt: skip
        fitted.put_tools(NAME, NODE, {"nics": nics}, "mlnx_qos")
        values = wishes(*PORTS)
        put("/usr/local/lib/railbed/nic/nvidia.sh", "vendor.sh.j2", values)
        put("/usr/local/sbin/railbed-roce-nic", "railbed-roce-nic", values, "755")
        for unit in UNITS:
            put(f"/etc/systemd/system/{unit}", unit, values)
        put("/etc/udev/rules.d/90-railbed-roce-nic.rules", "udev.rules.j2", values)
        inside(f"systemctl daemon-reload && systemctl enable {UNITS[0]}")
        yield
    finally:
        lab.down(NAME)


@pytest.fixture(autouse=True)
def applied(node: None) -> None:
    """Both NICs as planned, whatever an earlier test did: a reboot takes udev's start and rail9."""
    put("/etc/default/railbed-roce-nic", "roce-nic.j2", wishes(*PORTS))
    inside("systemctl is-active --quiet systemd-udevd.service || {" + UDEV + "}")
    make("rail9")
    inside(f"systemctl restart {UNITS[0]}")


def check(name: str = "") -> list[str]:
    """What the program finds to be otherwise."""
    return inside(f"/usr/local/sbin/railbed-roce-nic check {name}", may_fail=True).splitlines()


def pfc_of(port: str) -> list[int]:
    """By the stand-in's own state: of this interface, in this boot."""
    find = (
        "/run/standin/nic/$(cat /sys/class/net/{0}/ifindex)@$(cat /proc/sys/kernel/random/boot_id)"
    )
    text = inside(f"cat {find.format(port)}.json 2>/dev/null || echo '{{}}'")
    return list(json.loads(text).get("pfc", []))


def until(what: str, wanted: str) -> None:
    """Wait until a command says this; the last thing that it said where it never does."""
    said = ""
    for _ in range(TRIES):
        said = inside(what, may_fail=True).strip() if machine.leader(NAME, NODE) else "off"
        if said == wanted:
            return
        time.sleep(1)
    raise AssertionError(f"{what}: {said}, expected {wanted}")


def test_the_unit_applies_everything_and_what_a_hand_changed(node):
    assert check() == []
    assert [pfc_of(port) for port in PORTS] == [[0, 0, 0, 1, 0, 0, 0, 0]] * 2
    inside("mlnx_qos -i rail0 --pfc 0,0,0,0,0,0,0,0 >/dev/null")
    assert check()[0] == (
        "railbed-roce-nic: rail0: pfc: found 0,0,0,0,0,0,0,0, expected 0,0,0,1,0,0,0,0"
    )
    inside(f"systemctl restart {UNITS[0]}")
    assert check() == []


def test_a_nic_that_is_made_anew_is_set_by_udev_and_its_unit(node):
    """What a driver reload and a hot reset are to udev: a device goes, and comes again."""
    cursor = inside("journalctl -q -n 1 -o export --output-fields=MESSAGE").split("\n")[0]
    for _ in range(2):
        make("rail9")
        until("/usr/local/sbin/railbed-roce-nic check rail9 && echo as planned", "as planned")
        assert pfc_of("rail9") == [0, 0, 0, 1, 0, 0, 0, 0]
    since = cursor.removeprefix("__CURSOR=")
    said = inside(f"journalctl --after-cursor '{since}' -o cat -u railbed-roce-nic@rail9.service")
    assert said.count("rail9: pfc: set to 0,0,0,1,0,0,0,0") == 2


def test_a_nic_that_gets_its_name_later_is_set_under_this_name(node):
    """udev sees a move: the interface came under the kernel's name."""
    inside("ip link del rail9; ip link add veth7 type veth peer name rail9-far; udevadm settle")
    inside("ip link set veth7 down; ip link set veth7 name rail9")
    until("/usr/local/sbin/railbed-roce-nic check rail9 && echo as planned", "as planned")


def test_after_a_reboot_the_boot_unit_sets_what_was_lost(node):
    """A reboot by the machine itself; nobody runs anything afterwards."""
    boot = inside("cat /proc/sys/kernel/random/boot_id").strip()
    # A veth of the test's own does not come back.
    put("/etc/default/railbed-roce-nic", "roce-nic.j2", wishes("rail0"))
    inside("systemctl reboot", may_fail=True)
    until(f"[ $(cat /proc/sys/kernel/random/boot_id) != {boot} ] && echo again", "again")
    until(f"systemctl is-active {UNITS[0]}", "active")
    assert check() == []
    assert pfc_of("rail0") == [0, 0, 0, 1, 0, 0, 0, 0]
    said = inside(f"journalctl -b -o cat -u {UNITS[0]}")
    assert "rail0: pfc: set to 0,0,0,1,0,0,0,0" in said
