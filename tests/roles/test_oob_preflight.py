"""What would cut the operator off from the OOB server is said at once, before any change."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from roles.pyinfra_role import text_of

from .owned import variables

ACCESS, TRUNK = "02:52:42:00:00:01", "02:52:42:00:00:02"
# As iproute2 6.1 of Debian 12 printed them.
HERE = r"3: eno1    inet 192.0.2.10/24 scope global eno1\       valid_lft forever "
BACK = r"198.51.100.7 from 192.0.2.10 via 192.0.2.1 dev {} uid 0 \    cache "
LOCAL = r"local 192.0.2.10 from 192.0.2.10 dev lo uid 0 \    cache <local> "
SESSION = "198.51.100.7 51000 192.0.2.10 22"


class Server:
    """A folder that stands for a server's devices, and programs that answer."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in ("cat", "env", "grep", "head", "sed", "sh", "tr"):
            (root / "bin").mkdir(exist_ok=True)
            (root / "bin" / name).symlink_to(f"/usr/bin/{name}")
        self.port("lo", "00:00:00:00:00:00")
        self.port("eno1", ACCESS)
        self.port("eno2", TRUNK)
        self.ip(HERE, BACK.format("eno1"))

    def port(self, name: str, mac: str, kind: str = "") -> None:
        self.write(f"sys/class/net/{name}/address", f"{mac}\n")
        said = f"DEVTYPE={kind}\n" if kind else ""
        self.write(f"sys/class/net/{name}/uevent", f"{said}INTERFACE={name}\n")

    def ip(self, address: str, back: str) -> None:
        """What `ip` says of the access port's address, and of the way back to a client."""
        self.program(
            "ip",
            f"case $* in *'address show dev eno1 to 192.0.2.10') echo '{address}' ;;\n"
            f"*'route get '*) [ -z '{back}' ] && exit 2; echo '{back}' ;; esac",
        )

    def program(self, name: str, text: str) -> None:
        self.write(f"bin/{name}", f"#!/bin/sh\n{text}\n").chmod(0o755)

    def write(self, path: str, text: str) -> Path:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        return place

    def refused(self, session: str = SESSION, *, by_sudo: bool = False, **more: str) -> list[str]:
        """What the preflight says of a plan with the ports eno1 and eno2, and other values."""
        values: dict[str, Any] = variables("oob_server", "elsewhere") | {
            "oob_server_access_address": "192.0.2.10",
            "oob_server_access_mac": ACCESS,
            "oob_server_access_port": "eno1",
            "oob_server_trunk_mac": TRUNK,
            "oob_server_trunk_port": "eno2",
        }
        values |= {f"oob_server_{name}": value for name, value in more.items()}
        text = text_of("oob_server", "preflight.sh.j2", values)
        text = text.replace("/sys/", f"{self.root}/sys/")
        env = {"PATH": str(self.root / "bin")} | ({"SSH_CONNECTION": session} if session else {})
        argv = ["/bin/sh", "-c", text]
        if by_sudo:  # sudo(8): it waits, sets SUDO_UID, and leaves out what it does not know
            became = 'env -u SSH_CONNECTION SUDO_UID=1000 sh -c "$0"; exit $?'
            argv = ["/bin/sh", "-c", became, text]
        done = subprocess.run(argv, env=env, capture_output=True, text=True, timeout=30)
        said = done.stderr.splitlines()
        assert done.returncode == (1 if said else 0), done.stderr
        return said


@pytest.fixture
def server(tmp_path: Path) -> Server:
    return Server(tmp_path)


def test_a_server_as_planned_is_not_refused(server):
    assert server.refused() == []
    assert server.refused(access_mac="", trunk_mac="") == []
    # Its console, and a session of its own.
    assert server.refused(session="") == []
    server.ip(HERE, LOCAL)
    assert server.refused(session="192.0.2.10 51000 192.0.2.10 22") == []


def test_one_port_may_be_both(server):
    (server.root / "sys/class/net/eno2/address").unlink()
    assert server.refused(trunk_port="eno1", trunk_mac=ACCESS) == []


def test_a_swapped_mac_is_refused_by_name(server):
    server.port("eno1", TRUNK)
    server.port("eno2", ACCESS)
    # Neither is where the address is: a bridge has its port's.
    server.port("br-bmc", ACCESS, "bridge")
    access, trunk = server.refused()
    assert access == (
        f"found eno1 with the MAC address {TRUNK}, expected {ACCESS}, as asbuilt.csv says of the "
        "access port; eno2 has it: mend oob.ports.access or asbuilt.csv, or it is another machine"
    )
    assert trunk.startswith(f"found eno2 with the MAC address {ACCESS}, expected {TRUNK}, as")
    assert "; eno1 has it: " in trunk


def test_a_port_in_a_bond_has_the_mac_that_it_was_made_with(server):
    server.port("eno1", "02:00:00:00:00:99")
    server.write("sys/class/net/eno1/bonding_slave/perm_hwaddr", f"{ACCESS}\n")
    assert server.refused() == []


def test_ports_that_are_not_there_are_refused_and_what_they_are_called_is_said(server):
    access, session, trunk = sorted(server.refused(access_port="up0", trunk_port="ens1f0"))
    assert access == (
        "found no port ens1f0 here, expected the trunk port of the plan; "
        f"eno2 has its MAC address {TRUNK}; say in oob.ports.trunk what this server calls it"
    )
    assert session.startswith("found no port up0 here, expected the access port of the plan; eno1 ")
    assert trunk.startswith("found this SSH session coming in by eno1, expected up0: ")
    (told,) = server.refused(trunk_port="ens1f0", trunk_mac="")
    assert told.endswith("; say in oob.ports.trunk what this server calls it")


def test_an_address_that_is_not_on_the_access_port_is_refused(server):
    server.ip("", BACK.format("eno1"))
    (told,) = server.refused()
    assert told.startswith("found no address 192.0.2.10 on eno1, expected oob.access there; ")


@pytest.mark.parametrize(
    ("by", "found"),
    [("eno2", "coming in by eno2,"), ("br-bmc", "coming in by br-bmc,"), ("", "by no port with")],
)
def test_a_session_by_another_port_would_be_cut_off_and_is_refused(server, by, found):
    server.ip(HERE, BACK.format(by) if by else "")
    (told,) = server.refused()
    assert found in told
    assert "expected eno1: the new firewall lets SSH in there alone; come in by it, or" in told


@pytest.mark.parametrize(
    ("session", "found"),
    [
        ("2001:db8::7 51000 2001:db8::10 22", "found this SSH session over IPv6, expected IPv4"),
        ("198.51.100.7 51000 192.0.2.10 2222", "found this SSH session at TCP port 2222, expected"),
    ],
)
def test_a_session_that_the_firewall_would_not_let_in_is_refused(server, session, found):
    (told,) = server.refused(session=session)
    assert told.startswith(found)


def test_a_session_is_looked_at_where_a_login_became_root_by_sudo(server):
    assert server.refused(by_sudo=True) == []
    (told,) = server.refused("198.51.100.7 51000 192.0.2.10 2222", by_sudo=True)
    assert told.startswith("found this SSH session at TCP port 2222, expected 22")


def test_a_trunk_that_another_program_sets_up_is_refused(server):
    server.program("nmcli", "[ $5 != eno2 ] || echo '100 (connected)'")
    (told,) = server.refused()
    assert told.startswith("found eno2 managed by NetworkManager, expected systemd-networkd alone")
    server.program("nmcli", "echo '10 (unmanaged)'")
    for file, refused in {
        "n/a": 0,
        "/etc/systemd/network/50-railbed-trunk.network": 0,
        "/run/systemd/network/10-netplan-eno2.network": 0,
        "/etc/systemd/network/lan.network": 1,
    }.items():
        server.program("networkctl", f"echo '     Network File: {file}'")
        assert len([one for one in server.refused() if f"set up by {file}" in one]) == refused


def test_everything_is_said_at_once(server):
    server.port("eno1", TRUNK)
    server.ip("", BACK.format("eno2"))
    told = server.refused(session="198.51.100.7 51000 192.0.2.10 2222", trunk_port="eno9")
    assert len(told) == 5


@pytest.mark.skipif(not Path("/usr/bin/shellcheck").exists(), reason="needs shellcheck")
@pytest.mark.parametrize("case", ["", "elsewhere"])
def test_shellcheck_finds_nothing(tmp_path, case):
    path = tmp_path / "preflight.sh"
    path.write_text(text_of("oob_server", "preflight.sh.j2", variables("oob_server", case)))
    done = subprocess.run(
        ["shellcheck", "-s", "sh", str(path)],
        env={**os.environ, "LC_ALL": "C.UTF-8"}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout == ""
