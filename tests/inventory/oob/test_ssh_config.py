"""The rendered SSH files, read by OpenSSH itself and by paramiko."""

from __future__ import annotations

import shutil
import subprocess
from ipaddress import IPv4Address
from typing import Any

import paramiko
import pytest

from inventory import InventoryError, open_site
from inventory.oob.ssh_config import known_hosts, ssh_config
from tests.switch_configs.sites import small_with

ACCESS = IPv4Address("100.64.7.2")
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"


@pytest.fixture(scope="module")
def plan():
    return open_site("lab")


@pytest.fixture
def config(plan, tmp_path):
    (tmp_path / "ssh").mkdir()
    text = ssh_config(plan, str(tmp_path), ACCESS, tmp_path / "id_ed25519", "/run/rb")
    (tmp_path / "ssh" / "config").write_text(text)
    return tmp_path / "ssh" / "config"


def understood(config, host) -> dict[str, str]:
    """What OpenSSH makes of it (ssh -G prints the settings and connects to nothing)."""
    tool = shutil.which("ssh")
    if tool is None:
        pytest.skip("needs the OpenSSH client")
    found = subprocess.run(
        [tool, "-G", "-F", str(config), host],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    return dict(line.split(" ", 1) for line in found.stdout.splitlines() if " " in line)


@pytest.mark.parametrize(
    ("dialect", "said", "users"),
    [
        ("cumulus", [], ("cumulus", "cumulus")),
        ("sonic", [], ("admin", "admin")),
        ("cumulus", [{"user": "ops", "devices": ["leaf-*"]}, {"user": "x"}], ("ops", "x")),
    ],
)
def test_each_switch_has_its_user_and_all_else_root(tmp_path, dialect, said, users):
    plan = small_with(dialect, lambda site: site["switch_services"].update(logins=said))
    (tmp_path / "config").write_text(
        ssh_config(plan, str(tmp_path), ACCESS, tmp_path / "id_ed25519", "/run/rb")
    )
    found = paramiko.SSHConfig.from_path(str(tmp_path / "config"))
    wanted = {"leaf-p1-r0": users[0], "spine-p1-1": users[1], plan.nodes[0].name: "root"}
    for name, user in wanted.items():
        assert found.lookup(name)["user"] == user
    assert understood(tmp_path / "config", "leaf-p1-r0")["user"] == users[0]
    assert found.lookup(plan.oob.name)["user"] == "root"


def test_openssh_reaches_a_device_through_the_oob_server(config, tmp_path):
    for name in ("leaf-p1-r0", "10.88.0.11"):
        said = understood(config, name)
        assert said["hostname"] == "10.88.0.11"
        assert said["proxyjump"] == "oob1"
        assert said["stricthostkeychecking"] == "true"
        assert said["userknownhostsfile"] == str(tmp_path / "ssh" / "known_hosts")
        assert said["user"] == "root"
        assert said["identityfile"] == str(tmp_path / "id_ed25519")
        assert said["identitiesonly"] == "yes"
        assert said["batchmode"] == "yes"
        assert said["controlmaster"] == "auto"
        assert said["controlpath"].startswith("/run/rb/")


def test_openssh_reaches_the_oob_server_directly(config):
    said = understood(config, "oob1")
    assert said["hostname"] == str(ACCESS)
    assert "proxyjump" not in said


def test_paramiko_reads_the_same(config, plan, tmp_path):
    read = paramiko.SSHConfig.from_path(str(config))
    for name in plan.devices:
        said: dict[str, Any] = dict(read.lookup(name))
        assert said["user"] == "root"
        assert said["identityfile"] == [str(tmp_path / "id_ed25519")]
        address = "100.64.7.2" if name == "oob1" else said["hostname"]
        assert said["hostname"] == address
        if name != "oob1":
            assert said["proxyjump"] == "oob1"


def test_both_find_host_keys_by_name_and_address(plan, tmp_path):
    keys = dict.fromkeys(plan.devices, f"{KEY} root@somewhere")
    path = tmp_path / "known_hosts"
    path.write_text(known_hosts(plan, keys, ACCESS))
    read = paramiko.HostKeys(str(path))
    for name in ("node-p2-2", "10.88.1.16", "oob1", "100.64.7.2"):
        found = read.lookup(name)
        assert found is not None
        assert found["ssh-ed25519"].get_base64() == KEY.split()[1]
    assert read.lookup("10.88.1.99") is None


def test_a_device_without_a_host_key_gets_no_line(plan):
    text = known_hosts(plan, {"spine1": KEY}, ACCESS)
    assert text == f"spine1,10.88.0.19 {KEY}\n"


@pytest.mark.parametrize(
    "key", ["", "ssh-ed25519", "@cert-authority * ssh-rsa AAAA", f"{KEY}\nevil"]
)
def test_what_is_no_host_key_is_refused(plan, key):
    with pytest.raises(InventoryError, match="no public key"):
        known_hosts(plan, {"spine1": key}, ACCESS)


def test_no_sharing_without_a_folder_for_it(plan):
    assert "Control" not in ssh_config(plan, "/s", ACCESS, "/s/key")


@pytest.mark.parametrize(
    "state", ["/a b", "relative", '/a"b', "/a%h", "/a\nProxyCommand x", "/a$b"]
)
def test_odd_paths_are_refused(plan, state):
    with pytest.raises(InventoryError, match="ssh cannot use"):
        ssh_config(plan, state, ACCESS, "/key")


def test_a_long_control_folder_is_refused(plan):
    """108 bytes end a Unix socket's path (unix(7))."""
    with pytest.raises(InventoryError, match="108 bytes"):
        ssh_config(plan, "/s", ACCESS, "/key", "/run/" + "x" * 60)
    ssh_config(plan, "/s", ACCESS, "/key", "/run/" + "x" * 40)
