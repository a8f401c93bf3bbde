"""What railbed-acs switches off and refuses, and what speaks against the role on a node."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from roles.pyinfra_role import text_of

from .node_tree import Node
from .owned import variables
from .test_kernel_tuning import named, row, tuned

# lspci -vvv of pciutils (ls-ecaps.c); a controller of disks has no such capability. Registers lie
# in files, as sysfs has them; setpci(8) takes VALUE:MASK, and a locked kernel refuses.
LSPCI = """
[ "$1" = -D ] && [ "$2" = -vvv ] || exit 1
for one in "$STANDIN_ROOT"/acs/*; do
    device=${one##*/}
    [ "${3-}" != -s ] || [ "$4" = "$device" ] || continue
    echo "$device PCI bridge: Broadcom / LSI PEX890xx PCIe Gen 5 Switch (rev b0)"
    printf '\\tCapabilities: [148 v1] Access Control Services\\n'
    printf '\\t\\tACSCap:\\tSrcValid+ TransBlk+ ReqRedir+ CmpltRedir+ UpstreamFwd+\\n'
    sign=+
    case $(cat "$one") in *00 | *80) sign=- ;; esac
    printf '\\t\\tACSCtl:\\tSrcValid%s TransBlk- ReqRedir%s CmpltRedir%s\\n\\n' $sign $sign $sign
done
echo "0000:ff:00.0 SATA controller: Intel Corporation Device 1bd2"
printf '\\tStatus: Cap+ 66MHz- UDF- FastB2B+\\n\\n'
"""
SETPCI = """
echo "$*" >>"$STANDIN_ROOT/said"
[ "$3" = ECAP_ACS+6.w=0:7f ] || exit 1
[ -z "${STANDIN_LOCKED-}" ] || { echo 'setpci: Operation not permitted' >&2; exit 1; }
case $(cat "$STANDIN_ROOT/acs/$2") in
00[89a-f]?) echo 0080 >"$STANDIN_ROOT/acs/$2" ;;
*) echo 0000 >"$STANDIN_ROOT/acs/$2" ;;
esac
"""
BRIDGES = {"0000:17:01.0": "001d", "0000:17:02.0": "0000", "0000:97:01.0": "009d"}


def bare_metal(root: Path) -> Node:
    node = Node(root, "kernel_tuning", "railbed-acs", "kernel-tuning", {})
    node.tool("lspci", LSPCI)
    node.tool("setpci", SETPCI)
    node.tool("systemd-detect-virt", "echo none; exit 1")
    for device, register in BRIDGES.items():
        node.write(f"/acs/{device}", f"{register}\n")
    return node


def registers(node: Node) -> list[str]:
    return [node.read(f"/acs/{device}") for device in BRIDGES]


def test_access_control_goes_off_and_other_bits_stay(tmp_path):
    node = bare_metal(tmp_path)
    done = node.run()
    assert (done.returncode, done.stderr) == (0, "")
    assert registers(node) == ["0000", "0000", "0080"]
    assert node.read("/said").count("\n") == 1
    (tmp_path / "said").unlink()
    assert node.run().returncode == 0
    assert not node.has("/said")


def test_udev_has_one_bridge_done_and_no_other(tmp_path):
    node = bare_metal(tmp_path)
    assert node.run("0000:97:01.0").returncode == 0
    assert registers(node) == ["001d", "0000", "0080"]


def test_a_kernel_that_lets_nobody_write_is_told(tmp_path):
    done = bare_metal(tmp_path).run(STANDIN_LOCKED="yes")
    assert done.returncode == 1
    assert "still on (a locked kernel lets nobody write): 0000:17:01.0 0000:97:01.0" in done.stderr


def test_a_virtual_machine_is_left_alone(tmp_path):
    node = bare_metal(tmp_path)
    node.tool("systemd-detect-virt", "echo kvm")
    done = node.run()
    assert done.returncode == 1
    assert "this is kvm: access control belongs to its host" in done.stderr
    assert registers(node) == list(BRIDGES.values())


def test_without_its_tools_it_says_so(tmp_path):
    node = bare_metal(tmp_path)
    (tmp_path / "tools/setpci").unlink()
    done = node.run(PATH=f"{tmp_path}/tools")
    assert done.returncode == 1
    assert "setpci is not there (package pciutils)" in done.stderr


@pytest.mark.parametrize(("status", "ends"), [(0, 0), (1, 1)])
def test_the_unit_does_it_at_every_boot(tmp_path, status, ends):
    node = tuned(tmp_path, acs="disabled")
    node.write("/usr/local/sbin/railbed-acs", f"#!/bin/sh\nexit {status}\n").chmod(0o755)
    assert node.run().returncode == ends


@pytest.mark.parametrize(("acs", "rules"), [("disabled", 1), ("keep", 0)])
def test_udev_starts_it_only_where_it_is_wanted(acs, rules):
    values = {**variables("kernel_tuning"), "kernel_tuning_acs": acs}
    text = text_of("kernel_tuning", "udev.rules.j2", values)
    assert text.count('SYSTEMD_WANTS}+="railbed-acs@%k.service"') == rules
    assert ("acs disabled" in text_of("kernel_tuning", "kernel-tuning.j2", values)) == bool(rules)


# -- the preflight -----------------------------------------------------------------------------


def refused(root: Path, tools: dict[str, str], **asked: Any) -> tuple[int, list[str]]:
    """The status of the preflight on a Debian server, and what it says."""
    node = tuned(root)
    node.write("/proc/meminfo", "MemTotal:       2113426432 kB\nMemFree: 1 kB\n")
    for name, body in {
        "lspci": "",
        "setpci": "",
        "systemctl": "exit 3",
        "systemd-detect-virt": "echo none; exit 1",
        "update-grub": "",
        **tools,
    }.items():
        node.tool(name, body)
    for number in (0, 1):
        node.write(f"/sys/devices/system/node/node{number}/cpulist", "0-1\n")
    done = node.run(program=node.text("preflight.sh.j2", named(asked)))
    assert done.stdout == ""
    return done.returncode, done.stderr.splitlines()


WHOLE = {
    "boot": "grub",
    "acs": "disabled",
    "governor": "performance",
    "hugepages": [row(1048576, 800, "0"), row(1048576, 800, "1"), row(2048, 4096)],
}


def test_nothing_speaks_against_a_server_that_can_do_it(tmp_path):
    assert refused(tmp_path, {}, **WHOLE) == (0, [])
    assert refused(tmp_path, {}) == (0, [])


@pytest.mark.parametrize(
    ("tools", "asked", "said"),
    [
        ({"systemd-detect-virt": "echo kvm"}, {}, "found a machine of kind kvm, expected bare"),
        ({"systemctl": '[ "$3" = tuned ]'}, {}, "found tuned, which is active, expected no second"),
        ({}, {"boot": "bls"}, "found no GRUB_ENABLE_BLSCFG=true in"),
        (
            {},
            {"hugepages": [row(2048, 8, "2")]},
            "found no NUMA node 2, expected the NUMA nodes of",
        ),
        ({}, {"hugepages": [row(1048576, 1900)]}, "found huge pages of 1992294400 KiB, expected"),
    ],
)
def test_what_speaks_against_it_is_named(tmp_path, tools, asked, said):
    status, lines = refused(tmp_path, tools, **{**WHOLE, **asked})
    assert status == 1
    assert len(lines) == 1
    assert said in lines[0]


def test_pages_that_doca_owns_too_are_refused(tmp_path):
    tuned(tmp_path).write("/etc/mellanox/hugepages.d/doca-flow.json", '{"2048": {"num": 1024}}')
    status, [line] = refused(tmp_path, {}, **WHOLE)
    assert status == 1
    assert "hugepages.d/doca-flow.json, expected no second owner of huge pages" in line
    assert refused(tmp_path, {}, boot="file") == (0, [])


def test_all_of_it_is_said_at_once(tmp_path):
    tools = {"systemd-detect-virt": "echo lxc", "systemctl": "exit 0"}
    status, lines = refused(tmp_path, tools, **WHOLE)
    assert status == 1
    assert len(lines) == 3
    assert all(one.startswith("kernel_tuning: found ") and "; " in one for one in lines)
