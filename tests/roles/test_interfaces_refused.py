"""What speaks against a node's interfaces is said before anything is changed, all at once."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from roles.pyinfra_role import text_of

from .owned import variables

TOOLS = {
    "ifupdown2": ("ifreload", "ifquery"),
    "netplan": ("netplan", "networkctl"),
    "networkd": ("networkctl",),
    "networkmanager": ("nmcli",),
}
CASE = {"netplan": "gpu"}


class Node:
    """A folder that stands for a node's files, and programs that answer."""

    def __init__(self, root: Path, tool: str) -> None:
        self.root, self.tool = root, tool
        for name in TOOLS[tool]:
            self.answers(name, "")
        self.answers("ip", "")
        self.write("/etc/network/interfaces", "auto lo\nsource /etc/network/interfaces.d/*\n")

    def answers(self, program: str, text: str, words: str = "") -> None:
        """A program that prints a text where it is asked with these words, and nothing else."""
        path = self.write(
            f"/bin/{program}", f"#!/bin/sh\ncase $* in *'{words}'*) echo '{text}' ;; esac\n"
        )
        path.chmod(0o755)

    def write(self, path: str, text: str) -> Path:
        place = self.root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        return place

    def refused(self, *before: str, **environment: str) -> list[str]:
        """What the preflight says, with words before it; of the devices nothing is asked."""
        values: dict[str, Any] = variables("roce_nic", CASE.get(self.tool, self.tool))
        values |= {"roce_nic_devices": [], "roce_nic_class_wishes": []}
        text = text_of("roce_nic", "preflight.sh.j2", values)
        for place in ("/sys/", "/etc/network/interfaces "):
            text = text.replace(f" {place}", f" {self.root}{place}")
        text = text.replace('"/sys/', f'"{self.root}/sys/')
        text = text.replace(
            "        /etc/network/interfaces ||", f"        {self.root}/etc/network/interfaces ||"
        )
        for name in ("grep", "readlink", "sed", "tr"):
            link = self.root / "bin" / name
            if not link.exists():
                link.symlink_to(f"/usr/bin/{name}")
        done = subprocess.run(
            [*before, "/bin/sh", "-c", text],
            env={"PATH": str(self.root / "bin"), **environment},
            capture_output=True,
            text=True,
            timeout=30,
        )
        said = done.stderr.splitlines()
        assert done.returncode == (1 if said else 0), done.stderr
        return said


@pytest.fixture(params=TOOLS)
def node(request: pytest.FixtureRequest, tmp_path: Path) -> Node:
    return Node(tmp_path, request.param)


def test_a_node_as_planned_is_not_refused(node):
    assert node.refused(SSH_CONNECTION="10.88.1.1 51000 10.88.1.11 22") == []


def test_a_system_without_the_tool_is_refused(node):
    for name in TOOLS[node.tool]:
        (node.root / "bin" / name).unlink()
    told = node.refused()
    assert [one.partition(",")[0] for one in told] == [
        f"found no program {one}" for one in TOOLS[node.tool]
    ]
    assert f"expected the network tool {node.tool}" in told[0]


def test_a_session_that_comes_in_by_a_data_port_is_refused(node):
    node.answers("ip", "7: bond-biz    inet 10.96.0.11/21", "dev bond-biz to 10.96.0.11")
    assert node.refused(SSH_CONNECTION="10.96.9.9 51000 10.96.9.12 22") == []
    (told,) = node.refused(SSH_CONNECTION="10.96.9.9 51000 10.96.0.11 22")
    assert told.startswith("found this SSH session coming in by bond-biz, expected the management")


def test_so_it_is_where_sudo_hides_the_session(node):
    node.answers("ip", "7: bond-biz    inet 10.96.0.11/21", "dev bond-biz to 10.96.0.11")
    sudo = ("/bin/sh", "-c", '/usr/bin/env -u SSH_CONNECTION "$@"; exit $?', "sudo")
    (told,) = node.refused(*sudo, SSH_CONNECTION="10.96.9.9 51000 10.96.0.11 22")
    assert told.startswith("found this SSH session coming in by bond-biz, expected the management")


def test_a_port_in_somebody_elses_bond_is_refused(node):
    for port, bond in {
        "enp41s0f1np1": "bond-biz",
        "enp170s0f1np1": "bond0",
        "enp41s0f0np0": "br0",
    }.items():
        place = node.root / f"sys/class/net/{port}"
        place.mkdir(parents=True)
        (place / "master").symlink_to(f"../{bond}")
    told = node.refused()
    assert {one.partition(";")[0] for one in told} == {
        "found enp170s0f1np1 in bond0, expected bond-biz",
        "found enp41s0f0np0 in br0, expected no bond or bridge",
    }


@pytest.mark.parametrize("tool", ["ifupdown2", "netplan", "networkd"])
def test_a_port_that_networkmanager_has_too_is_refused(tmp_path, tool):
    node = Node(tmp_path, tool)
    node.answers("nmcli", "100 (connected)", "device show enp41s0f0np0")
    (told,) = node.refused()
    assert told.startswith("found enp41s0f0np0 managed by NetworkManager, expected")
    node.answers("nmcli", "10 (unmanaged)", "device show enp41s0f0np0")
    assert node.refused() == []


@pytest.mark.parametrize("tool", ["ifupdown2", "networkmanager"])
def test_a_port_that_systemd_networkd_has_too_is_refused(tmp_path, tool):
    node = Node(tmp_path, tool)
    node.answers("networkctl", "  2 bond-biz ether routable configured", "list bond-biz")
    (told,) = [one for one in node.refused() if "301" not in one]
    assert told.startswith("found bond-biz managed by systemd-networkd, expected")
    node.answers("networkctl", "  2 bond-biz ether routable unmanaged", "list bond-biz")
    assert node.refused() == []


@pytest.mark.parametrize(
    ("line", "is_read"),
    [
        ("source /etc/network/interfaces.d/*", True),
        ("  source /etc/network/interfaces.d/*.intf", True),
        ("source-directory /etc/network/interfaces.d", True),
        ("# source /etc/network/interfaces.d/*", False),
        ("source /etc/network/interfaces.d/*.cfg", False),
        ("", False),
    ],
)
def test_interfaces_that_nobody_would_read_are_refused(tmp_path, line, is_read):
    """Debian's ifupdown2 comes with a file that names no folder."""
    node = Node(tmp_path, "ifupdown2")
    node.write("/etc/network/interfaces", f"auto lo\niface lo inet loopback\n{line}\n")
    told = node.refused()
    assert [one.partition(",")[0] for one in told] == (
        [] if is_read else ["found /etc/network/interfaces without interfaces.d"]
    )
