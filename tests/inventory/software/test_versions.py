"""The version lock and the signing key: part of the plan, and of what nodes are told."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from inventory import InventoryError, Plan, open_site, site_folder
from inventory.load.site import PROFILES, PUBLIC_KEY
from inventory.nodes.hostvars import vars_for
from inventory.software.compat import upstream
from inventory.software.lock import STATE_LOCK, VERSIONS, read_lock

LOCK = VERSIONS / "debian-12-amd64.yml"
KEY = "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmDMEZ\n-----END PGP PUBLIC KEY BLOCK-----\n"


@pytest.fixture
def plan() -> Plan:
    return open_site("lab")


def lab_copy(folder: Path) -> Path:
    """The lab's site with a lock of its own to be changed."""
    site = folder / "site"
    shutil.copytree(site_folder("lab"), site)
    (site / "versions").mkdir()
    shutil.copy(LOCK, site / "versions" / LOCK.name)
    return site


def changed(lock: Path, old: str, new: str) -> None:
    text = lock.read_text()
    assert old in text
    lock.write_text(text.replace(old, new))


def test_the_plan_holds_the_lock_sorted(plan):
    file = read_lock(LOCK)
    found = {one.name: (one.version, one.sha256, one.size_bytes) for one in plan.packages.packages}
    assert found == {
        name: (one.version, one.sha256, one.size_bytes) for name, one in file.packages.items()
    }
    assert list(found) == sorted(found)
    assert dict(plan.packages.components)["time"] == ("chrony",)
    assert plan.packages.origin == "inventory/versions/debian-12-amd64.yml"


def test_what_roles_install_is_locked(plan):
    """All that a component names, and the libraries that come along."""
    names = {one.name for one in plan.packages.packages}
    assert {"chrony", "iperf3", "perftest", "rdma-core", "libibverbs1", "libnl-3-200"} <= names


def test_a_node_is_told_where_to_ask_whom_to_trust_and_what_to_take(plan):
    told = vars_for(plan, "node-p1-1")
    assert told["package_repo_uri"] == "http://10.88.1.1:8080"
    assert told["package_repo_suite"] == "railbed-bookworm"
    assert told["package_repo_keyring_text"] == ""
    assert told["package_repo_pins"] == [
        {"package": one.name, "version": one.version, "priority": 1001}
        for one in plan.packages.packages
    ]


def test_only_the_nodes_zone_is_offered_packages(plan):
    assert {zone.name: [one.name for one in zone.services] for zone in plan.oob.zones} == {
        "hostmgmt": ["ntp", "packages"],
        "netmgmt": ["ntp"],
    }


@pytest.mark.parametrize("what", ["version", "sha256"])
def test_another_version_or_file_is_another_plan(what, tmp_path):
    site = lab_copy(tmp_path)
    before = open_site(site)
    [chrony] = [one for one in before.packages.packages if one.name == "chrony"]
    old = getattr(chrony, what)
    changed(site / "versions" / LOCK.name, old, "9" + old[1:])
    assert open_site(site).digest != before.digest
    assert before.packages.origin == "the site's versions/debian-12-amd64.yml"


def test_the_public_key_is_in_the_plan_and_reaches_nodes(tmp_path, plan):
    (tmp_path / PUBLIC_KEY).parent.mkdir()
    (tmp_path / PUBLIC_KEY).write_text(KEY)
    keyed = open_site("lab", tmp_path)
    assert vars_for(keyed, "node-p1-1")["package_repo_keyring_text"] == KEY.rstrip("\n")
    assert keyed.digest != plan.digest


def test_what_is_no_public_key_is_refused_unprinted(tmp_path):
    (tmp_path / PUBLIC_KEY).parent.mkdir()
    (tmp_path / PUBLIC_KEY).write_text("hunter2\n")
    with pytest.raises(InventoryError, match=r"keyring\.asc:1:1: .*OpenPGP public key") as raised:
        open_site("lab", tmp_path)
    assert "hunter2" not in str(raised.value)


def test_a_labs_own_lock_wins_and_every_report_says_so(tmp_path, plan):
    text = LOCK.read_text().replace('resolved: "2', 'instead_of: "x"\nresolved: "2')
    (tmp_path / STATE_LOCK).write_text(text)
    own = open_site("lab", tmp_path)
    rows = {one.name: one.source for one in own.assumptions}
    assert "this lab's own" in rows["package versions: debian-12 amd64"]
    assert own.digest != plan.digest


@pytest.mark.parametrize("os", ["ubuntu-22.04", "ubuntu-24.04"])
def test_ubuntu_nodes_get_a_fabric_manager_of_their_drivers_version(os, tmp_path):
    site = tmp_path / "site"
    shutil.copytree(site_folder("lab"), site)
    profile = (PROFILES / "nodes.yml").read_text().partition("lab-node:")[2]
    (site / "profiles").mkdir()
    lines = profile.partition("\n\n")[0].replace("os: debian-12", f"os: {os}")
    (site / "profiles" / "nodes.yml").write_text(f"gpu-node:{lines}\n")
    changed(site / "fabric.yml", "node_profile: lab-node", "node_profile: gpu-node")
    lock = open_site(site).packages
    assert (lock.os, lock.origin) == (os, f"inventory/versions/{os}-amd64.yml")
    locked = {one.name: one.version for one in lock.packages}
    parts = dict(lock.components)
    wanted = {*parts["fabric_manager"], *parts["nvidia_driver"]}
    assert len({upstream(locked[name]) for name in wanted}) == 1


def test_an_os_without_a_lock_is_named(tmp_path):
    site = lab_copy(tmp_path)
    (site / "profiles").mkdir()
    (site / "profiles" / "nodes.yml").write_text(
        "rocky:\n  os: rocky-9.8\n  arch: arm64\n  management_port: eth0\n"
        "  rails: [{port: rail0, rate_gbps: 1}, {port: rail1, rate_gbps: 1}]\n  source: a test\n"
    )
    changed(site / "fabric.yml", "node_profile: lab-node", "node_profile: rocky")
    with pytest.raises(InventoryError, match=r"there is no inventory/versions/rocky-9\.8-arm64"):
        open_site(site)
