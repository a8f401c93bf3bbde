"""The road from boxes to gate 10, as its page prints it, where nobody may log in as root."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.lab.machines import machine
from deploy.packages.repo_run import folder_of
from deploy.session import Selection
from inventory import open_site
from inventory.load.site import SITES
from tests.deploy.command_line import Said, railbed
from tests.labs import OOB, applied, lab_name

from .page import IN_LAB

pytestmark = [
    pytest.mark.lab,
    pytest.mark.instances(keep=1, files_of="the OOB server, by real logins and engines"),
]

BASE = "meet"
NAME = lab_name(BASE)
PLAN = open_site("lab")
SERVERS = (PLAN.oob.name, *(node.name for node in PLAN.nodes))
# What an installer leaves: sudo, a login that may use it, and for root no way in. Each connection
# has an sshd of its own (ssh.socket), which reads its configuration anew.
INSTALLED = """
set -e
cat >/root/sudo.deb
dpkg -i /root/sudo.deb >/dev/null
useradd -m -s /bin/bash {user}
echo '{user}:first light' | chpasswd
echo '{user} ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/{user}
rm -f /root/.ssh/authorized_keys
sed -i -e 's/^PasswordAuthentication .*/PasswordAuthentication yes/' \\
    -e 's/^PermitRootLogin .*/PermitRootLogin no/' /etc/ssh/sshd_config.d/lab.conf
"""


def inside(device: str, script: str, text: bytes = b"") -> str:
    done = machine.inside(NAME, device, ["sh", "-c", script], text, timeout_s=120)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the lab's site in which nobody is root, and what consoles printed."""
    made = tmp_path_factory.mktemp("meet")
    shutil.copytree(SITES / "lab", made / "site")
    path = made / "site/fabric.yml"
    said = (
        f"logins:\n  - {{user: jump, devices: [{PLAN.oob.name}], password: jump_password}}\n"
        '  - {user: ubuntu, devices: ["node-*"], password: node_password}\ncredentials:\n'
        "  jump_password: env:MEET_PASSWORD\n  node_password: env:MEET_PASSWORD\n"
    )
    path.write_text(path.read_text().replace("credentials:\n", said))
    (made / "console").mkdir()
    return made


@pytest.fixture(scope="module")
def selection(folder: Path) -> Iterator[Selection]:
    """A lab whose servers are as an installer leaves them, and whose list of host keys is gone."""
    words = ["apt-get", "download", "-qq", "sudo"]
    subprocess.run(words, cwd=folder, check=True, capture_output=True, timeout=120)
    [package] = folder.glob("sudo_*.deb")
    with applied(BASE, only=OOB) as whole:
        (whole.state_dir / "hostkeys.json").unlink()
        for name in SERVERS:
            user = "jump" if name == PLAN.oob.name else "ubuntu"
            inside(name, INSTALLED.format(user=user), package.read_bytes())
        yield Selection(str(folder / "site"), whole.lab)


@pytest.fixture(autouse=True)
def _secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEET_PASSWORD", "first light")


def call(selection: Selection, *words: str) -> Said:
    said = railbed(*words, "--site", selection.site, "--lab", selection.lab)
    assert "first light" not in said.stdout + said.stderr
    return said


def printed(device: str, folder: Path) -> None:
    """Its keys as cloud-init prints them on a console (cc_keys_to_console)."""
    keys = inside(device, "cat /etc/ssh/ssh_host_ed25519_key.pub")
    text = f"-----BEGIN SSH HOST KEY KEYS-----\n{keys}-----END SSH HOST KEY KEYS-----\n"
    (folder / f"{device}.log").write_text(f"[   12.3] cloud-init\n{text}login: \n")


@pytest.fixture(scope="module")
def road(selection: Selection, folder: Path) -> list[Said]:
    """Every command of the page that meets devices, as printed but for the folder of consoles."""
    console, said = folder / "console", list[Said]()
    printed(PLAN.oob.name, console)
    # So that packages have to be brought, too, by a login that may not write there.
    inside(PLAN.oob.name, f"find {folder_of(PLAN)}/current/ -name '*.deb' | head -n 1 | xargs rm")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEET_PASSWORD", "first light")
        for words in IN_LAB:
            if words[0] == "validate":
                said.append(call(selection, "apply", "--only", "nodes"))
            said.append(call(selection, *(one.replace("console", str(console)) for one in words)))
            if words[0] == "apply":
                for device in PLAN.devices:
                    printed(device, console)
    return said


def test_nobody_was_met_and_then_everybody_is(road, selection):
    """By real sshd, PAM and sudo: passwords, console logs; keys of the site."""
    doctor, server, applied_, every, whole, nodes, gate = road
    assert doctor.returncode == 3
    assert "enroll oob1" in doctor.stdout
    # Its gate wants all behind the OOB server, whom nobody has met yet.
    assert applied_.returncode == 3, applied_.stdout + applied_.stderr
    for one in (server, every):
        assert one.returncode == 0, one.stdout + one.stderr
    assert f"sent to {PLAN.oob.name}" in applied_.stderr
    listed = json.loads((selection.state_dir / "hostkeys.json").read_text())
    assert sorted(listed) == sorted(PLAN.devices)
    assert "host key known, login as ubuntu, may be root" in whole.stdout
    assert nodes.returncode == 0, nodes.stdout + nodes.stderr
    assert gate.returncode == 0, gate.stdout + gate.stderr
    again = call(selection, "enroll")
    assert again.returncode == 0, again.stdout


def test_servers_came_to_the_plan_by_sudo_with_both_engines(road, selection):
    """Roles, packages, probes and the other engine's look; nobody logs in as root."""
    drift = call(selection, "drift", "--limit", "kind_node", "--limit", "kind_oob_server")
    assert drift.returncode == 0, drift.stdout + drift.stderr
    assert {PLAN.engine_of(name) for name in SERVERS} == {"ansible", "pyinfra"}
    for name in SERVERS:
        assert inside(name, "cat /root/.ssh/authorized_keys 2>/dev/null || true") == ""


def test_a_machine_in_anothers_place_is_refused_by_name(road, selection):
    """A node whose host key is another than the one that it was met with."""
    name, key = PLAN.nodes[1].name, "/etc/ssh/ssh_host_ed25519_key"
    change = (
        "cp -p {key} /root/old; ssh-keygen -q -t ed25519 -N '' -f /root/new; cp /root/new {key}"
    )
    inside(name, change.format(key=key))
    try:
        found = call(selection, "enroll", name)
        assert found.returncode == 1
        assert f"`./railbed enroll {name} --keys FILE --replace" in found.stdout
    finally:
        inside(name, f"cp -p /root/old {key}")
