"""What the role ofed refuses before it changes anything: all reasons at once."""

from __future__ import annotations

from pathlib import Path
from shutil import which
from typing import Any

import pytest

from .machine import Machine

KERNEL = "6.8.0-58-generic"
EFI = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"


class Node(Machine):
    """A new Ubuntu node, with the headers of the kernel that runs."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.write("/etc/os-release", 'NAME="Ubuntu"\nID=ubuntu\nVERSION_ID="24.04"\n')
        self.write(f"/lib/modules/{KERNEL}/build/include/x", "")
        self.tool("uname", f"echo {KERNEL}")
        for name in ("dpkg-query", "rpm"):
            self.tool(name, "exit 1")
        self.tool("ofed_info", "exit 127")
        self.tool("mokutil", "echo 'SecureBoot disabled'")
        self.tool("systemctl", "exit 1")
        self.tool("ip", "exit 2")

    def installed(self, *packages: str, tool: str = "dpkg-query") -> None:
        """Packages as dpkg-query or rpm print those of a pattern; the fake knows `*` and `[!k]`."""
        lines = "".join(
            f'for p in "$@"; do case {one.split()[-2]} in $p) echo "{one}" ;; esac; done\n'
            for one in packages
        )
        self.tool(tool, lines or "exit 1")

    def asked(self, case: str = "gpu", **more: Any) -> tuple[int, list[str]]:
        wanted = {
            "stack": "doca", "os_id": "ubuntu", "os_release": "24.04", "kernels": ["6.8"], **more
        }  # fmt: skip
        values: dict[str, Any] = {f"ofed_{name}": value for name, value in wanted.items()}
        values["package_family"] = values.pop("ofed_family", "deb")
        done = self.run(self.text("ofed", "preflight.sh.j2", values, case))
        assert done.stdout == ""
        return done.returncode, done.stderr.splitlines()


def test_a_new_node_is_welcome(tmp_path):
    node = Node(tmp_path)
    for stack in ("doca", "inbox"):
        assert node.asked(stack=stack) == (0, [])
    before = sorted(tmp_path.rglob("*"))
    node.asked()
    assert sorted(tmp_path.rglob("*")) == before


def refused(node: Node, *parts: str, **more: Any) -> None:
    """Refused with one reason, which says what was found, expected, and what to do."""
    status, lines = node.asked(**more)
    assert status == 1
    assert len(lines) == 1
    assert lines[0].startswith("found ")
    assert ", expected " in lines[0]
    assert "; " in lines[0]
    for part in parts:
        assert part in lines[0]


@pytest.mark.parametrize("os", [("debian", "12"), ("ubuntu", "22.04"), ("ubuntu", "2")])
def test_another_os_than_the_profiles(tmp_path, os):
    refused(Node(tmp_path), "the OS ubuntu 24.04", " ".join(os), os_id=os[0], os_release=os[1])


def test_a_minor_release_is_the_release(tmp_path):
    node = Node(tmp_path)
    node.write("/etc/os-release", 'ID="rhel"\nVERSION_ID="9.4"\n')
    assert node.asked(os_id="rhel", os_release="9", family="rpm") == (0, [])


def test_no_headers_of_the_kernel_that_runs(tmp_path):
    node = Node(tmp_path)
    (tmp_path / f"lib/modules/{KERNEL}/build/include/x").unlink()
    (tmp_path / f"lib/modules/{KERNEL}/build/include").rmdir()
    refused(node, f"no headers of the kernel {KERNEL}", f"lock linux-headers-{KERNEL}")
    refused(node, f"lock kernel-devel-{KERNEL}", family="rpm")
    # They come with the stack, in the same transaction.
    assert node.asked(packages={f"linux-headers-{KERNEL}": "1", "doca-ofed": "2"}) == (0, [])
    assert node.asked(stack="inbox") == (0, [])


def test_a_kernel_that_nobody_read_about(tmp_path):
    node = Node(tmp_path)
    refused(node, f"the kernel {KERNEL}", "6.80, 5.15", kernels=["6.80", "5.15"])
    assert node.asked(kernels=[]) == (0, [])


@pytest.mark.parametrize("family", ["deb", "rpm"])
@pytest.mark.parametrize("stack", ["doca", "inbox"])
def test_mlnx_ofed_beside_any(tmp_path, stack, family):
    """Its uninstaller is in DOCA too: there it is no sign of it."""
    node = Node(tmp_path)
    node.write("/usr/sbin/ofed_uninstall.sh", "").chmod(0o755)
    refused(node, "MLNX_OFED (", "ofed_uninstall.sh", stack=stack, family=family)
    if family == "deb":
        node.installed("installed mlnx-ofed-all 24.10-2.1.8.0")
    else:
        node.installed("mlnx-ofed-all 24.10-2.1.8.0", tool="rpm")
    node.tool("ofed_info", "echo MLNX_OFED_LINUX-24.10-2.1.8.0:")
    told = "MLNX_OFED (MLNX_OFED_LINUX-24.10-2.1.8.0, mlnx-ofed-all 24.10-2.1.8.0)"
    refused(node, told, stack=stack, family=family)


DOCA = (
    "installed doca-ofed 3.2.1-044000",
    "installed mlnx-ofed-kernel-dkms 25.10.OFED.25.10.1.2.8.1-1",
)


def test_doca_beside_doca_is_well_and_beside_inbox_refused(tmp_path):
    node = Node(tmp_path)
    node.write("/usr/sbin/ofed_uninstall.sh", "").chmod(0o755)
    node.installed(*DOCA)
    node.tool("ofed_info", "echo OFED-internal-25.10-1.2.8.0:")
    assert node.asked() == (0, [])
    refused(node, "DOCA (doca-ofed 3.2.1-044000,mlnx-ofed-kernel-dkms", stack="inbox")


def test_what_was_removed_is_not_there(tmp_path):
    node = Node(tmp_path)
    node.installed("config-files mlnx-ofed-all 24.10-2.1.8.0", "not-installed doca-ofed-generic ")
    assert node.asked() == (0, [])


def test_ubuntus_own_doca(tmp_path):
    node = Node(tmp_path)
    node.installed("installed doca-ofed-generic 1:26.04-1")
    refused(node, "Ubuntu's own doca-ofed-generic 1:26.04-1")


def test_secure_boot_without_a_key_that_the_firmware_knows(tmp_path):
    node = Node(tmp_path)
    node.tool("mokutil", "echo 'SecureBoot enabled'")
    refused(node, "Secure Boot on")
    # Modules of the distribution are signed by it.
    assert node.asked(stack="inbox") == (0, [])
    body = '[ "$1" = --test-key ] && echo "$2 is already enrolled" || echo "SecureBoot enabled"'
    node.tool("mokutil", body)
    assert node.asked() == (0, [])


@pytest.mark.skipif(bool(which("mokutil")), reason="this machine has the tool")
@pytest.mark.parametrize(("last", "status"), [(1, 1), (0, 0)])
def test_secure_boot_is_read_from_the_firmware_where_no_tool_is(tmp_path, last, status):
    node = Node(tmp_path)
    (tmp_path / "bin/mokutil").unlink()
    place = node.write(EFI, "")
    place.write_bytes(bytes([6, 0, 0, 0, last]))
    assert node.asked()[0] == status


def test_a_reload_under_the_way_in(tmp_path):
    node = Node(tmp_path)
    for name, driver in (("eno3", "igb"), ("enp1s0np0", "mlx5_core")):
        (tmp_path / f"sys/class/net/{name}/device").mkdir(parents=True)
        (tmp_path / f"sys/bus/pci/drivers/{driver}").mkdir(parents=True)
        link = tmp_path / f"sys/class/net/{name}/device/driver"
        link.symlink_to(tmp_path / f"sys/bus/pci/drivers/{driver}")
    assert node.asked(reload="now", management_port="eno3") == (0, [])
    refused(node, "enp1s0np0, the way in", reload="now", management_port="enp1s0np0")
    assert node.asked(reload="reboot", management_port="enp1s0np0") == (0, [])
    node.env["SSH_CLIENT"] = "10.9.9.9 51000 22"
    node.tool("ip", 'echo "10.9.9.9 via 10.0.0.1 dev enp1s0np0 src 10.0.0.2"')
    refused(node, "enp1s0np0, the way in", reload="now", management_port="eno3")


def test_all_reasons_come_at_once(tmp_path):
    node = Node(tmp_path)
    node.write("/etc/os-release", "ID=debian\nVERSION_ID=11\n")
    node.installed("installed mlnx-ofed-all 24.10-2.1.8.0", "installed doca-ofed-generic 1")
    node.tool("uname", "echo 5.10.0-1-amd64")
    node.tool("mokutil", "echo 'SecureBoot enabled'")
    status, lines = node.asked()
    assert status == 1
    words = [line.split()[1] for line in lines]
    assert words == ["the", "MLNX_OFED", "Ubuntu's", "no", "the", "Secure"]
