"""What one login reads of ssh_config and known_hosts is what paramiko reads of the whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import paramiko
import pytest

from deploy.switches.login_run import trust, wanted_of
from deploy.transport.host_lines import keys_of
from inventory.oob.ssh_config import ssh_config
from tests.switch_configs import sites

CONFIG = """\
# a comment
User first
Host leaf1 10.0.0.1
  HostName 10.0.0.1
Host=leaf2
  Port 2202
Host leaf* !leaf3
  ProxyJump oob
Host "leaf3" leaf4
  Port 2203
host leaf1
  Port 2201
Match host leaf2
  IdentityFile /other
Host leaf3 # why
  Compression yes
Host *
  User last
  ConnectTimeout 10
"""
KEYS = [paramiko.ECDSAKey.generate() for _ in range(5)]
HASHED = paramiko.HostKeys.hash_host("leaf5")


def known(number: int) -> str:
    return f"{KEYS[number].get_name()} {KEYS[number].get_base64()}"


KNOWN = "\n".join(
    [
        "# a comment", "",
        f"leaf1,10.0.0.1 {known(0)}",
        f"[127.0.0.1]:2201 {known(1)}",
        f"  leaf2 {known(2)}",
        f"{HASHED} {known(3)}",
        f"leaf1 {known(4)} a comment",
        "leaf3",
    ]
)  # fmt: skip
NAMES = ("leaf1", "10.0.0.1", "leaf2", "leaf3", "leaf5", "leaf9", "[127.0.0.1]:2201", "127.0.0.1")


@pytest.fixture
def config(tmp_path: Path) -> Path:
    (tmp_path / "config").write_text(CONFIG)
    return tmp_path / "config"


@pytest.fixture
def known_hosts(tmp_path: Path) -> Path:
    (tmp_path / "known_hosts").write_text(KNOWN)
    return tmp_path / "known_hosts"


def whole(path: Path, device: str) -> paramiko.SSHConfigDict:
    return paramiko.SSHConfig.from_path(str(path)).lookup(device)


@pytest.mark.parametrize("device", ["leaf1", "10.0.0.1", "leaf2", "leaf3", "leaf4", "spine1"])
def test_what_is_wanted_of_a_login_is_what_the_whole_file_says(config, device):
    assert wanted_of(config, device) == whole(config, device)


def test_what_we_render_is_read_so_too(tmp_path):
    plan = sites.small("linux_frr")
    path = tmp_path / "rendered"
    path.write_text(ssh_config(plan, "/state", plan.oob.access, "/state/id", "/run/ssh"))
    for device in (plan.oob.name, *plan.switch, *(node.name for node in plan.nodes)):
        assert wanted_of(path, device) == whole(path, device)
        assert wanted_of(path, device)["hostname"] != device


def trusted(path: Path, host: str, port: int) -> set[tuple[str, str]]:
    client = trust(paramiko.SSHClient(), path, host, port)
    name = host if port == 22 else f"[{host}]:{port}"
    found: Any = client.get_host_keys().lookup(name) or {}
    return {(kind, key.get_base64()) for kind, key in found.items()}


@pytest.mark.parametrize("name", NAMES)
def test_the_keys_of_a_host_are_those_of_the_whole_file(known_hosts, name):
    host, _, port = name.strip("[").partition("]:")
    found: Any = paramiko.HostKeys(str(known_hosts)).lookup(name) or {}
    expected = {(kind, key.get_base64()) for kind, key in found.items()}
    assert trusted(known_hosts, host, int(port or 22)) == expected
    assert bool(expected) == (name not in ("leaf3", "leaf9", "127.0.0.1"))


def test_other_hosts_are_not_read(known_hosts):
    assert f"[127.0.0.1]:2201 {known(1)}" not in keys_of(known_hosts, "leaf1")
    assert keys_of(known_hosts.parent / "none", "leaf1") == []


def test_a_file_is_read_once_and_again_when_it_changed(known_hosts, monkeypatch):
    read, reads = Path.read_text, list[Path]()

    def counted(path: Path, encoding: str | None = None) -> str:
        reads.append(path)
        return read(path, encoding)

    monkeypatch.setattr(Path, "read_text", counted)
    for name in NAMES:
        keys_of(known_hosts, name)
    assert len(reads) == 1
    known_hosts.write_text(f"{KNOWN}\nleaf9 {known(0)}\n")
    assert trusted(known_hosts, "leaf9", 22)
    assert len(reads) == 2
